"""The runner's rewards beside Trinity-RFT's registered reward functions, string by string. Prints one JSON object."""

import contextlib
import importlib
import io
import json
import logging
import random
import sys

from reward_strings import near, noise, pairs
from rftconf_runner.scores.table import RULES

RELEASE, COUNT = sys.argv[1], int(sys.argv[2])
logging.disable(logging.CRITICAL)
MARKS = {"math_reward": "<think>so</think> <answer>{}</answer>", "accuracy_reward": "it is $\\boxed{{{}}}$"}


def countdown(seed, count):
    """Equations, right ones among them, and what a model could write instead."""
    draw = random.Random(seed)
    for _ in range(count):
        numbers = [draw.randint(1, 20) for _ in range(draw.randint(2, 4))]
        said = str(numbers[0])
        for number in numbers[1:]:
            said = draw.choice((f"({said})", said)) + draw.choice((" + ", "-", "*", "/", " // ", "(")) + str(number)
        try:
            target = eval(said)
        except Exception:  # noqa: BLE001 - whatever it raises
            target = 7
        target = target if isinstance(target, (int, float)) and abs(target) < 1e9 else 7
        shown = draw.choice(
            (said, said, said + " ", near(draw, said), noise(draw), said.replace("+", "-"), said + " = 7")
        )
        reply = draw.choice(
            (f"<answer>{shown}</answer>", f"so\n<answer> {shown} </answer>", f"<answer>{shown}</answer>\nok", shown)
        )
        yield reply, json.dumps({"target": target, "numbers": numbers})


def told(function, *arguments):
    """Numbers, or that it raised."""
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            return function(*arguments)
    except ImportError:
        raise
    except Exception:  # noqa: BLE001 - whatever it raises
        return "raised"


found = {"compared": {}, "differences": {}, "absent": [], "earned": {}}
for rule in RULES:
    if rule.framework != "trinity" or rule.function is None or not rule.fits("trinity", RELEASE, rule.names[0]):
        continue
    (name,), (file, class_) = rule.names, rule.cited.split(": ")
    theirs = getattr(importlib.import_module(file.removesuffix(".py").replace("/", ".")), class_)()
    seed = f"trinity {name}"
    drawn = countdown(seed, COUNT) if name == "countdown_reward" else pairs(seed, COUNT, MARKS[name])
    differences, earned = [], 0
    for answer, truth in drawn:
        one = told(rule.function, answer, truth)
        other = told(lambda: theirs(response=answer, truth=truth))  # noqa: B023 - called at once
        if isinstance(other, dict):
            other = {**other, "score": sum(other.values())}
            earned += other["score"] > 0.5
        if one != other:
            differences.append([answer, truth, str(one), str(other)])
    found["compared"][name], found["earned"][name] = COUNT, earned
    if differences:
        found["differences"][name] = [len(differences), *differences[:4]]
print(json.dumps(found))
