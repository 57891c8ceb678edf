"""The runner's rewards beside ROLL's own workers, string by string: `compute_rewards` of each is called. Prints one JSON object."""

import importlib
import importlib.util
import json
import logging
import random
import sys
import types

import numpy
import torch
from reward_strings import near, noise, pairs
from rftconf_runner.scores.instructions import CHECKS
from rftconf_runner.scores.scoring import compute_score
from rftconf_runner.scores.table import RULES

RELEASE, COUNT = sys.argv[1], int(sys.argv[2])
AT_ONCE = 500
logging.disable(logging.CRITICAL)


def empty(name, **contents):
    """Put a module of these contents where ROLL imports it: a worker's rule needs nothing of what starts processes and loads models."""
    module = sys.modules[name] = types.ModuleType(name)
    module.__dict__.update(contents)
    return module


R = "roll."
protocol = importlib.import_module(R + "distributed.scheduler.protocol")
empty("nltk", data=types.SimpleNamespace(path=[]))  # imported for functions that nothing calls
empty("nltk.corpus", wordnet=None)
empty("nltk.wsd", lesk=None)
empty(R + "configs.worker_config", WorkerConfig=object)
empty(R + "distributed.executor.worker", Worker=object)
empty(
    R + "distributed.scheduler.decorator", Dispatch=types.SimpleNamespace(ONE_TO_ALL=0, DP_MP_COMPUTE=0),
    register=lambda **_: lambda function: function,
)  # fmt: skip
empty(R + "distributed.strategy.factory", create_strategy=None)
empty(R + "distributed.strategy.strategy", InferenceStrategy=object, TrainStrategy=object)
empty(R + "models.model_providers", default_reward_model_provider=None, default_tokenizer_provider=None)
empty(R + "utils.context_managers", state_offload_manger=None)


def loaded(path):
    """The worker's module, without the package around it."""
    root = importlib.util.find_spec("roll").submodule_search_locations[0]
    spec = importlib.util.spec_from_file_location(path.replace("/", "_"), f"{root}/{path.partition('/')[2]}")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


ENDS = ("<|im_end|>", "<|im_end|><|endoftext|>", "<|endoftext|>", "", "<pad>", "<|im_end|>\n")
THOUGHTS = (
    "",
    "",
    "<think>so 3</think>",
    "<think>a</think>\n\n",
    "b</think>",
    "<think>",
    "so\n\n",
    "</think></think>",
    " <think>c</think>\n",
)
PROMPTS = ("<|im_start|>assistant\n", "<|im_start|>assistant\n<think>\n", "<|endoftext|>2 + 2?<think>", "")


class Texts:
    """A tokenizer whose tokens are numbers of texts."""

    def __init__(self, texts):
        self.texts = texts

    def decode(self, tokens, **_):
        return self.texts[int(tokens[0])]

    def batch_decode(self, rows, **_):
        return [self.decode(row) for row in rows]


def choices(seed):
    """Answers to questions of several choices, each with its truth."""
    draw = random.Random(seed)
    while True:
        truth = draw.choice("ABCDEFGHIJ")
        letter = draw.choice((truth, truth, truth, draw.choice("ABCDEFGHIJabcd")))
        forms = (
            f"\\boxed{{{letter}}}", f"the answer is {letter}", f"The ANSWER IS ({letter})", f"{letter}", f"\\boxed{{\\text{{{letter}}}}}",
            f"\\boxed{{1}} {letter}",
            f"\\boxed{{A}} \\boxed{{{letter}}}", f"\\boxed{{}}{letter}", f"İ the answer is {letter}",
            "so so so so so " * draw.randint(1, 4) + letter, noise(draw), "",
        )  # fmt: skip
        yield draw.choice(forms), draw.choice((truth, truth, f"{truth}. yes"))


def instructed(seed):
    """Answers and functions with arguments that check them, wrong ones among these."""
    draw, names = random.Random(seed), [*CHECKS]
    words = ("hello", "World", "BIG", "* point", "- point", "* * *", "\n", "\n\n", ". ", "? ", "<<Title>>", "[name]", "*bold*", "******",
    "P.S. bye", ",", '"', "{}", "yes", "SECTION")  # fmt: skip
    while True:
        text = " ".join(draw.choice(words) for _ in range(draw.randint(0, 9)))
        text = draw.choice(
            (
                text,
                text,
                text.upper(),
                text.lower(),
                f'"{text}"',
                noise(draw),
                '{"a": 1}',
                "yes",
                f"{text} and on and on and on and on",
            )
        )
        name = draw.choice([name for name in names if name != "validate_response_language"])
        arguments = {
            "keyword_list": draw.choice((["hello"], ["big", "yes"], [], [1])), "word": draw.choice(("hello", 3)), "N": draw.choice((0, 1, 2, 3,
            5, "2")),
            "forbidden_words": draw.choice((["world"], [])), "letter": draw.choice(("o", "l", "ab")), "quantifier": draw.choice(("at least",
            "at most", "around", "about")),
            "first_word": draw.choice(("hello", "World")), "i": draw.choice((1, 2)), "postscript_marker": "P.S.", "options": ["yes", "no",
            "yes or no"],
            "section_splitter": draw.choice(("SECTION", "")), "original_prompt": text[: draw.randint(0, 9)], "end_phrase": text[-draw.randint(1,
            9) :], "language": "en",
        }  # fmt: skip
        if draw.random() < 0.05:
            arguments.pop("N")
        yield text, json.dumps({"func_name": name, **arguments})


def drawn(name, count):
    """Strings for a worker, with thoughts before and marks behind, and prompts."""
    draw, seed = random.Random(f"marks {name}"), f"roll {name}"
    strings = {
        "MathRuleRewardWorker": lambda: pairs(seed, count, "\\boxed{{{}}}"),
        "GeneralRuleRewardWorker": lambda: instructed(seed),
    }
    for _, (text, truth) in zip(range(count), strings.get(name, lambda: choices(seed))(), strict=False):
        yield (
            draw.choice(THOUGHTS) + (near(draw, text) if draw.random() < 0.05 else text) + draw.choice(ENDS),
            truth,
            draw.choice(PROMPTS),
        )


def theirs(module, name, part, reward_type):
    """The worker's rewards and scores."""
    texts = [text for row in part for text in (row[0], row[2])]
    numbers = torch.arange(len(texts)).view(-1, 2)
    worker = object.__new__(getattr(module, name))
    worker.tokenizer, worker.logger, worker.format_pattern = Texts(texts), logging.getLogger(), None
    worker.reward_type, worker.response_length_penalty_coef = reward_type, 0.0
    worker.response_length_reward_fn = lambda _: 0.0
    most = -0.1 if name == "MathRuleRewardWorker" else -0.5
    if hasattr(module, "get_repetition_penalty_reward"):
        worker.repetition_penalty_reward_fn = module.get_repetition_penalty_reward(ngram_size=3, max_penalty=most)
    if hasattr(
        module, "hf_verify_math_sample"
    ):  # the release forks a process for every answer, only for its limit of time
        module.hf_verify_math_sample = lambda *of: forked(module, *of)
    columns = {"ground_truth": [row[1] for row in part], "prompt": ["?"] * len(part), "tag": ["ifeval"] * len(part)}
    data = protocol.DataProto.from_dict(
        tensors={"responses": numbers[:, :1], "prompts": numbers[:, 1:]},
        non_tensors={key: numpy.array(values, dtype=object) for key, values in columns.items()},
    )
    output = getattr(module, name).compute_rewards(worker, data).batch
    return output["response_level_rewards"].tolist(), output["scores"].tolist()


def forked(module, *arguments):
    result = []
    response, truth, *prompt = arguments
    module._hf_verify_math_sample(response, truth, result, *prompt)
    return result[0]


def halved(value):
    """A number as ROLL's tensors of 16 bits hold it."""
    return torch.tensor(value, dtype=torch.float16).item()


result = {"compared": {}, "differences": {}, "earned": {}}
for rule in RULES:
    name = rule.names[0]
    if rule.framework != "roll" or rule.function is None or not rule.fits("roll", RELEASE, name):
        continue
    module = loaded(rule.cited.partition(":")[0])
    for reward_type in ("soft", "strict", "loose") if "reward_type" in rule.words else ("",):
        rows, differences, earned = list(drawn(name, COUNT)), [], 0
        for start in range(0, COUNT, AT_ONCE):
            part = rows[start : start + AT_ONCE]
            for row, reward, score in zip(part, *theirs(module, name, part, reward_type), strict=True):
                words = {"prompt": row[2], "reward_type": reward_type}
                mine = compute_score("", row[0], row[1], "roll", RELEASE, name, **words)
                earned += score > 0
                # the worker adds the penalty to the reward in 16 bits
                if (
                    abs(mine["score"] - reward) > 2e-3
                    or mine["acc"] != score
                    or (reward in (0, 1) and halved(mine["score"]) != reward)
                ):
                    differences.append([*row, str(mine), str((reward, score))])
        key = f"{name} {reward_type}".strip()
        result["compared"][key], result["earned"][key] = len(rows), earned
        if differences:
            result["differences"][key] = [len(differences), *differences[:4]]
print(json.dumps(result))
