"""The runner's rewards beside ChatLearn's rule for mathematics, string by string. Prints one JSON object.

ChatLearn publishes no package: its file, which imports nothing, is named on the command line.
"""

import contextlib
import importlib.util
import io
import json
import sys

from reward_strings import pairs
from rftconf_runner.scores.table import rule

FILE, COUNT = sys.argv[1], int(sys.argv[2])
spec = importlib.util.spec_from_file_location("rule_of_chatlearn", FILE)
theirs = importlib.util.module_from_spec(spec)
spec.loader.exec_module(theirs)

ours, differences, earned = rule("chatlearn", "2025.10.23", "openai/gsm8k").function, [], 0
for answer, truth in pairs("chatlearn", COUNT, "\\boxed{{{}}}"):
    with contextlib.redirect_stdout(io.StringIO()):
        first, second = ours(answer, truth), theirs.compute_score(answer, truth)
    earned += second
    if first != second:
        differences.append([answer, truth, first, second])
print(json.dumps({"compared": COUNT, "earned": earned, "differences": [len(differences), *differences[:4]]}))
