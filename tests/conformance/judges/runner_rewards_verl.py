"""The runner's rewards beside veRL's own `default_compute_score`, string by string. Prints one JSON object."""

import contextlib
import io
import json
import sys

from reward_strings import pairs
from rftconf_runner.scores.table import RULES
from verl.utils import reward_score

RELEASE, COUNT = sys.argv[1], int(sys.argv[2])
theirs = getattr(reward_score, "default_compute_score", None) or reward_score._default_compute_score
with contextlib.suppress(ImportError, AttributeError):  # releases before 0.4.1 have another limit
    from verl.utils.reward_score import prime_math

    # the release forks a process for every comparison, only for its limit of time
    prime_math.are_equal_under_sympy = prime_math.are_equal_under_sympy.__wrapped__


def told(function, *arguments):
    """A number or numbers, or that it raised."""
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            new_result = function(*arguments)
    except ImportError:
        raise
    except Exception:  # noqa: BLE001 - whatever it raises
        return "raised"
    return new_result if isinstance(new_result, dict) else float(new_result)


LAST_OF_SLOW = {"0.5.0", "0.9.1"}
"""Where all strings are put to rules that ask sympy, which takes minutes: the last releases that have them in one form."""
MARKS = {
    "openai/gsm8k": "so #### {}",
    "searchR1": "<answer>{}</answer>",
    "numina": "The answer is {}",
    "lighteval": "\\boxed{{{}}}",
}


def mark_of(source):
    """In which form this rule wants an answer."""
    return next((mark for name, mark in MARKS.items() if source.startswith(name)), "Answer: {}")


result = {"compared": {}, "differences": {}, "absent": [], "earned": {}}
for rule in RULES:
    for name in rule.names if rule.framework == "verl" else ():
        source = name.replace("*", "_2024")
        if rule.function is None or not rule.fits("verl", RELEASE, source):
            continue
        # one name of several with the same function takes all strings, the others a few
        whole = name == rule.names[0] and ("sympy" not in rule.needs or RELEASE in LAST_OF_SLOW)
        count = COUNT if whole else COUNT // 20
        differences, earned = [], 0
        try:
            for answer, truth in pairs(f"verl {source}", count, mark_of(source)):
                gold = {"target": [truth, "none"]} if "searchR1" in source else truth
                if "searchR1" in source and len(truth) % 2:
                    gold = {"target": truth}
                first, second = told(rule.function, answer, gold), told(theirs, source, answer, gold)
                earned += second != "raised" and (second["score"] if isinstance(second, dict) else second) > 0
                if first != second:
                    differences.append([answer, truth, str(first), str(second)])
        except ImportError as error:
            result["absent"].append(f"{source}: {error}")
            continue
        result["compared"][source], result["earned"][source] = count, earned
        if differences:
            result["differences"][source] = [len(differences), *differences[:4]]
print(json.dumps(result))
