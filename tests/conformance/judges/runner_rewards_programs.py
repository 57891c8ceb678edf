"""The runner's reward for programs beside veRL's own of Sandbox Fusion. Prints one JSON object.

veRL's function calls a service; here it gets what the service would say of a program that this Python runs.
"""

import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

from rftconf_runner.scores.scoring import compute_score
from verl.utils.reward_score import sandbox_fusion
from verl.utils.reward_score.sandbox_fusion import utils

RELEASE, COUNT = sys.argv[1], int(sys.argv[2])


def served(sandbox_fusion_url, code, stdin, *_, **__):
    """Answer as Sandbox Fusion does: a program that ends with 0 is a success, and any other has failed."""
    with tempfile.TemporaryDirectory() as folder:
        file = f"{folder}/answer.py"
        Path(file).write_text(code)
        done = subprocess.run(
            [sys.executable, "-I", file], input=stdin or "", capture_output=True, text=True, check=False, cwd=folder
        )
    run = {"status": "Finished", "return_code": done.returncode, "stdout": done.stdout, "stderr": done.stderr}
    return {"status": "Success" if done.returncode == 0 else "Failed", "run_result": run}, None


utils.call_sandbox_api = served
PROGRAMS = (
    "print(int(input()) + 1)", "import sys\nprint(int(sys.stdin.read()) + 1)", "print(input())", "print(2", "print(2)\n\n", "raise SystemExit(1)",
    "def f(x, y=1):\n    return x + y", "class Solution:\n    def f(self, x, y=1):\n        return x + y", "def f(x, y=1):\n    return [x, None]",
    "def f(*x):\n    return str(x)", "def f(x):\n    raise ValueError", "g = 1", "import os\nprint(int(os.read(0, 9)) + 1)", "def f(x):\n    return x > 0",
    "def f(x):\n    return {x}", "x = Counter('aa')\ndef f(y, z=1):\n    return x['a']", "def f(x): print(x)", "",
)  # fmt: skip
FRAMES = (
    "```python\n{}\n```", "so ```\n{}\n``` and", "{}", "```py\n{}```", "```python\nprint(1)\n```\n```python\n{}\n```", "```{}```", "``` \n{}",
    "```c1\n{}\n```",
)  # fmt: skip
CASES = (
    {"inputs": ["1\n", "2\n"], "outputs": ["2\n", "3"]},
    {"inputs": ["1"], "outputs": ["2\n\n"]},
    {"inputs": ["1", "5"], "outputs": ["2", "6"], "fn_name": "f"},
    {"inputs": ["1\n2", "", "x"], "outputs": ["3", "", "true"], "fn_name": "f"},
    {"inputs": ["1"], "outputs": ["[1, null]"], "fn_name": "f"},
    {"inputs": ["1"] * 12, "outputs": ["2"] * 9 + ["9"] * 3},
    {"inputs": ["1"], "outputs": []},
    {"inputs": [], "outputs": []},
    {"inputs": [1, None], "outputs": [2, 3]},
    {"inputs": ["1"]},
    {"assert_case": ["assert f(1) == 2", "assert f(1) == 3"]},
    {"assert_case": ["assert True"], "inputs": ["1"], "outputs": ["2"]},
    "[1]",
    "no JSON",
)
draw, differences, earned = random.Random("programs"), [], 0.0
for _ in range(COUNT):
    answer = draw.choice(FRAMES).replace("{}", draw.choice(PROGRAMS))
    cases = draw.choice(CASES)
    truth = cases if isinstance(cases, str) else json.dumps(cases)
    theirs, _ = sandbox_fusion.compute_score("url", None, 1024, answer, truth, continuous=True)
    mine = compute_score("taco", answer, truth, "verl", RELEASE, confined=True)
    earned += theirs
    if abs(theirs - mine) > 1e-9:
        differences.append([answer, truth, theirs, mine])
print(json.dumps({"differences": differences[:9], "count": len(differences), "earned": earned}))
