"""The runner's reward for code, and what it asks a judge, beside ROLL's own functions. Prints one JSON object.

`cal_local_test` of ROLL's worker runs each answer's code; its worker of judges makes messages and reads replies, with no model asked.
"""

import importlib.util
import json
import logging
import os
import random
import sys
import tempfile
import types
from pathlib import Path

from rftconf_runner import judged
from rftconf_runner.scores.coding import code

COUNT = int(sys.argv[2])
os.environ["PATH"] = f"{Path(sys.executable).parent}:{os.environ['PATH']}"  # `python`, which ROLL starts, is this one
logging.disable(logging.CRITICAL)


class Anything(types.ModuleType):
    """A module that has whatever is imported from it: nothing of it is called."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return object


STUBS = (
    "aiohttp", "ray", "tensordict", "requests", "roll.configs.worker_config", "roll.distributed.executor.worker",
    "roll.distributed.scheduler.protocol",
    "roll.distributed.strategy.factory", "roll.distributed.strategy.strategy", "roll.models.model_providers", "roll.pipeline.rlvr.rlvr_config",
    "roll.platforms", "roll.utils.context_managers", "roll.utils.local_code.evaluator", "roll.datasets.chat_template",
)  # fmt: skip
for name in STUBS:
    sys.modules[name] = Anything(name)
sys.modules["roll.utils.logging"] = types.ModuleType("roll.utils.logging")
sys.modules["roll.utils.logging"].get_logger = logging.getLogger
sys.modules["roll.distributed.scheduler.decorator"] = types.ModuleType("decorator")
sys.modules["roll.distributed.scheduler.decorator"].Dispatch = types.SimpleNamespace(ONE_TO_ALL=0, DP_MP_COMPUTE=0)
sys.modules["roll.distributed.scheduler.decorator"].register = lambda **_: lambda function: function


def loaded(path):
    """The worker's module, without the package around it."""
    root = importlib.util.find_spec("roll").submodule_search_locations[0]
    spec = importlib.util.spec_from_file_location(path.replace("/", "_"), f"{root}/{path}")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


CODER = loaded("pipeline/rlvr/rewards/code_sandbox_reward_worker.py")
JUDGE = loaded("pipeline/rlvr/rewards/llm_judge_reward_worker.py")

SOLUTIONS = (
    "def f(x):\n    return x + 1", "def f(x):\n    return x + 2", "def f(x):\n    return x +", "f = lambda x: x + 1",
    "import os\ndef f(x):\n    os.remove('a')\n    return x + 1",
    "def f(x):\n    return int(ceil(x + 0.5))", "import sys\nsys.exit(0)", "def f(x):\n    return sum(repeat(1, x + 1))",
    "def f(x):\n    print(x)\n    return x + 1",
    "def f(x):\n    return f(x)", "x = input()\ndef f(x):\n    return x + 1",
    "if __name__ == '__main__':\n    raise ValueError\ndef f(x):\n    return x + 1", "",
    "class Solution:\n    def f(self, x):\n        return x + 1\nf = Solution().f",
    "import subprocess\nsubprocess.run(['true'])\ndef f(x):\n    return x + 1",
    "def f(x):\n    open('written', 'w').write('b')\n    return x + 1", "def f(x):\n    raise AssertionError", "exit()",
    "import psutil\ndef f(x):\n    return x + 1",
)  # fmt: skip
FRAMES = (
    "```python\n{}\n```", "```\n{}\n```", "{}", "so\n```python\n{}\n```\nand\n```python\nprint(f(2))\n```",
    "<think>```python\ndef f(x): return 0\n```</think>```py\n{}```",
    "<|begin_of_solution|>{}", "```python\nprint(1)\n```\n```python\n{}\n```", "```python {}", "``` ```{}``` ```", "</think>",
)  # fmt: skip
TESTS = {
    "assert": ("assert f(1) == 2", "assert f(1) == 2 and f(3) == 4", "assert True", "assert f(2)", ""),
    "pytest": (
        "def test_one():\n    assert f(1) == 2\n\ndef test_two():\n    assert f(2) == 3", "import pytest\ndef test_one(): assert f(1) == 2",
        "def test_one():\n    raise ValueError", "# def test_none\nassert f(1) == 2", "def test_one(x=1):\n    assert f(x) == 2", "assert f(1) == 2",
    ),
    "check_based": ("def check(c):\n    assert c(1) == 2\n    assert c(2) == 3", "def check(c): assert c(1) == 2", "",
    "def check(c):\n    assert c(1) == 2\n\n    pass"),
}  # fmt: skip


def rows():
    """Answers with kinds of tests and tests, some of which are no tests."""
    draw = random.Random("code")
    for _ in range(COUNT):
        case = draw.choice([*TESTS])
        tests = [{"assert_code": draw.choice(TESTS[case]), "entry_point": "f"} for _ in range(draw.randint(1, 2))]
        if draw.random() < 0.1:
            tests = draw.choice(
                (
                    [],
                    [{}],
                    json.dumps(tests),
                    [{"assert_code": "assert f(1) == 2", "entry_point": "f", "import_prefix": "g = 3\n"}],
                )
            )
        yield draw.choice(FRAMES).replace("{}", draw.choice(SOLUTIONS)), case, tests


def theirs(answer, case, tests):
    """Return the number that `compute_rewards` puts into the answer's reward."""
    tests = json.loads(tests) if isinstance(tests, str) else tests
    correct, _, _ = CODER.cal_local_test(0, "", "", answer, case, tests, None)
    return float(correct)


differences, earned = [], 0
os.chdir(tempfile.mkdtemp())  # where code of checks writes
for answer, case, tests in rows():
    both = theirs(answer, case, tests), code(answer, None, {"case_type": case, "test_cases": tests})["score"]
    earned += both[0]
    if both[0] != both[1]:
        differences.append([answer, case, tests, *both])

FORM = "Qwen2.5-7B-Instruct-RLVR-prompt"
worker = object.__new__(JUDGE.LLMJudgeRewardWorker)
worker.judge_prompt, worker.logger = JUDGE.prompt_maps[FORM], logging.getLogger()
questions = 0
for prompt in ("system\nbe good\nuser\n2 + 2?\nassistant\n", "2 + 2?", "user\na user\nuser\nb", " user \n"):
    for answer, reply in (("4", "YES"), ("{5}", "no"), ("", "Yes, no"), ("x", "maybe"), ("eyes", "NO eyes")):
        (message,) = worker._format_judge_prompt(prompt, answer, "4")
        mine = judged.judge_prompt(answer, "4", prompt, form_name=FORM)
        score = float(worker._extract_score_v2(reply))
        questions += 1
        if (message["content"], score) != (mine, judged.says_yes(reply, form_name=FORM)):
            differences.append([prompt, answer, reply])
print(json.dumps({"differences": differences[:9], "count": len(differences), "earned": earned, "asked": questions}))
