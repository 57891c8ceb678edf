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
        new_answer = str(numbers[0])
        for number in numbers[1:]:
            new_answer = (
                draw.choice((f"({new_answer})", new_answer))
                + draw.choice((" + ", "-", "*", "/", " // ", "("))
                + str(number)
            )
        try:
            target = eval(new_answer)
        except Exception:  # noqa: BLE001 - whatever it raises
            target = 7
        target = target if isinstance(target, (int, float)) and abs(target) < 1e9 else 7
        output = draw.choice(
            (
                new_answer,
                new_answer,
                new_answer + " ",
                near(draw, new_answer),
                noise(draw),
                new_answer.replace("+", "-"),
                new_answer + " = 7",
            )
        )
        reply = draw.choice(
            (f"<answer>{output}</answer>", f"so\n<answer> {output} </answer>", f"<answer>{output}</answer>\nok", output)
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


result = {"compared": {}, "differences": {}, "absent": [], "earned": {}}
for rule in RULES:
    if rule.framework != "trinity" or rule.function is None or not rule.fits("trinity", RELEASE, rule.names[0]):
        continue
    (name,), (file, class_) = rule.names, rule.cited.split(": ")
    theirs = getattr(importlib.import_module(file.removesuffix(".py").replace("/", ".")), class_)()
    seed = f"trinity {name}"
    drawn = countdown(seed, COUNT) if name == "countdown_reward" else pairs(seed, COUNT, MARKS[name])
    differences, earned = [], 0
    for answer, truth in drawn:
        first = told(rule.function, answer, truth)
        second = told(lambda: theirs(response=answer, truth=truth))  # noqa: B023 - called at once
        if isinstance(second, dict):
            second = {**second, "score": sum(second.values())}
            earned += second["score"] > 0.5
        if first != second:
            differences.append([answer, truth, str(first), str(second)])
    result["compared"][name], result["earned"][name] = COUNT, earned
    if differences:
        result["differences"][name] = [len(differences), *differences[:4]]
print(json.dumps(result))
