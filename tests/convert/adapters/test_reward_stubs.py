"""The generated reward stubs, called through each target's interface with each source's reward behind it."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from rftconf.base.symbols import ShellOnly, Text, Var
from rftconf.convert.adapters.shapes import SHAPES
from tests.convert.adapters.samples import PAIRS, adapters, domain, module, run_of, stand_in

MATH_RULE = "roll.pipeline.rlvr.rewards.math_rule_reward_worker"
FUNCTION = """
def graded(data_source, solution_str, ground_truth, extra_info, bonus=0.0):
    assert data_source == "set" and isinstance(extra_info, dict)
    return {"score": float(solution_str == ground_truth) + bonus, "length": len(solution_str)}
async def later(data_source, solution_str, ground_truth, extra_info):
    return float(solution_str == ground_truth)
"""

QUERIES = """
def reward_func(queries, prompts, labels):
    return {"rewards": [[float(query.removeprefix(prompt) == label)] for query, prompt, label in zip(queries, prompts, labels)]}
"""


def is_five(prompts: list[Any], completions: list[str], completion_ids: list[Any], **columns: list[Any]) -> list[float]:
    """A reward function as TRL calls it."""
    assert all(isinstance(value, list) for value in (prompts, completion_ids, *columns.values()))
    return [float(completion == "5") for completion in completions]


class Worker:
    """ROLL's worker as far as a reward needs it."""

    def __init__(self, worker_config: Any) -> None:
        self.worker_config, self.rank_info = worker_config, SimpleNamespace(rank=0, world_size=1)


class SimpleWorkflow:
    """Trinity's workflow as far as the converted one overrides it."""

    def reset(self, task: Any) -> None:
        self.raw_task, self.reward_fn = task.raw_task, task.reward_fn(**task.reward_fn_args)


class RuleReward:
    """ChatLearn's rule reward: its dispatch by data_source."""

    def select_rule_reward_score_fn(self, data_source: str) -> Any:
        assert data_source == "set"
        return lambda response, ground_truth: float(response == ground_truth)


class Length:
    """A reward function class of Trinity's kind."""

    def __init__(self, scale: float = 1.0) -> None:
        self.scale = scale

    def __call__(self, response: str, truth: str) -> dict[str, float]:
        return {"accuracy": float(response == truth), "length": self.scale * len(response)}


def registry() -> Any:
    """A registry that keeps what is registered."""
    values: dict[str, Any] = {}
    return SimpleNamespace(register_module=lambda name: lambda cls: values.setdefault(name, cls), get=values.get)


def passing(*_: Any, **__: Any) -> Any:
    return lambda method: method


def passing_equals(**_: Any) -> Any:
    """Stand for math_verify's metric: texts are compared, where it compares expressions."""
    return lambda golds, responses: (float(golds == [f"\\boxed{{{responses[0]}}}"]), None)


@pytest.fixture(autouse=True)
def frameworks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stand-ins for the frameworks, which are not here; tests/conformance has the real ones."""
    torch = stand_in(
        "torch",
        float="single",
        float16="half",
        tensor=lambda v, dtype: Tensor(v),
        zeros_like=lambda v, dtype: [0.0] * len(v),
        ones=lambda count: [1.0] * count,
    )
    proto = SimpleNamespace(from_dict=lambda tensors: tensors)
    modules = [
        stand_in("trinity.common.rewards", REWARD_FUNCTIONS=registry(), RewardFn=object),
        stand_in("trinity.common.workflows", WORKFLOWS=registry()),
        stand_in("trinity.common.workflows.workflow", SimpleWorkflow=SimpleWorkflow),
        stand_in("torch", **vars(torch)),
        stand_in("roll.distributed.executor.worker", Worker=Worker),
        stand_in(
            "roll.distributed.scheduler.decorator",
            Dispatch=SimpleNamespace(ONE_TO_ALL=0, DP_MP_COMPUTE=1),
            register=passing,
        ),
        stand_in("roll.distributed.scheduler.protocol", DataProto=proto),
        stand_in("roll.models.model_providers", default_tokenizer_provider=lambda model_args: Tokenizer()),
        stand_in(MATH_RULE, hf_verify_math_sample=lambda response, answer, prompt: (answer == f"${response}$", "", "")),
        stand_in("chatlearn.models.reward.rule_reward", RuleReward=RuleReward),
        stand_in("ray", remote=lambda cls: cls),
        stand_in("nemo_rl.environments.interfaces", EnvironmentInterface=object, EnvironmentReturn=SimpleNamespace),
        stand_in("math_verify.parser", ExprExtractionConfig=tuple, LatexExtractionConfig=tuple),
        stand_in("math_verify.metric", math_metric=passing_equals),
    ]
    for new_module in modules:
        monkeypatch.setitem(sys.modules, new_module.__name__, new_module)


class Tensor(list[float]):
    def clone(self) -> Tensor:
        return Tensor(self)


class Tokenizer:
    def batch_decode(self, responses: list[str], skip_special_tokens: bool) -> list[str]:
        assert skip_special_tokens
        return responses


def judged(target: str, stub: ModuleType, response: str) -> float:
    """The score of a response to the row ("set", truth "5"), through the target's own interface."""
    extra = {"index": 3}
    if target == "verl":
        result = stub.compute_score(
            data_source="set", solution_str=response, ground_truth="5", extra_info=extra, more=1
        )
        return float(result["score"] if isinstance(result, dict) else result)
    if target == "trinity":
        row = {"messages": json.dumps([{"role": "user", "content": "2+3?"}]), "ground_truth": "5", "data_source": "set"}
        task = SimpleNamespace(raw_task=row | {"extra_info": json.dumps(extra)}, reward_fn=None, reward_fn_args={})
        workflow = stub.ConvertedWorkflow()
        workflow.reset(task)
        assert workflow.format_messages() == [{"role": "user", "content": "2+3?"}]
        return float(sum(workflow.reward_fn(response=response, truth="5").values()))
    if target == "roll":
        rows = {"tag": ["set"], "ground_truth": ["5"], "extra_info": [json.dumps(extra)]}
        worker = stub.ConvertedRewardWorker(SimpleNamespace(model_args=None))
        result = worker.compute_rewards(SimpleNamespace(batch={"responses": [response]}, non_tensor_batch=rows))
        assert result["scores"] == result["response_level_rewards"]
        assert result["token_level_rewards"] == [0.0]
        return float(result["scores"][0])
    if target == "openrlhf":
        prompt, label = "<|user|>2+3?<|assistant|>", {"data_source": "set", "ground_truth": "5", "extra_info": extra}
        result = stub.reward_func([f"{prompt}{response}<|im_end|>\n"], [prompt], [json.dumps(label)])
        assert result["scores"] == result["rewards"]
        return float(result["rewards"][0])
    if target == "trl":
        chats = [[{"role": "assistant", "content": response}]]
        columns = {"ground_truth": ["5"], "data_source": ["set"], "extra_info": [json.dumps(extra)]}
        return float(stub.score_completions(prompts=[[]], completions=chats, completion_ids=[[1]], **columns)[0])
    if target == "nemo_rl":
        log = [{"role": "user", "content": "2+3?"}, {"role": "assistant", "content": response}]
        label = {"data_source": "set", "ground_truth": "5", "extra_info": extra}
        result = stub.ConvertedEnvironment({}).step([log], [label])
        assert (result.terminateds, result.metadata) == ([1.0], [label])
        return float(result.rewards[0])
    rule = stub.ConvertedReward().select_rule_reward_score_fn("set")
    return float(rule(response, "5"))


def with_reward(source: str, tmp_path: Path) -> dict[str, Any]:
    """A run whose reward is 1 for the right answer, plus what the config's arguments add."""
    if source == "verl":
        (tmp_path / "mine.py").write_text(FUNCTION)
        reward = {
            "function_path": str(tmp_path / "mine.py"),
            "function_name": "graded",
            "function_args": {"bonus": 0.5},
        }
        return run_of("verl", "/x") | {f"stage.reward.{name}": value for name, value in reward.items()}
    if source == "trinity":
        return run_of("trinity", "/x", reward=f"{__name__}.Length", reward_args={"scale": 0.5})
    if source == "openrlhf":
        (tmp_path / "own.py").write_text(QUERIES)
        return run_of("openrlhf", "/x") | {"stage.reward.function_path": str(tmp_path / "own.py")}
    if source == "trl":
        return run_of("trl", "/x")
    if source == "nemo_rl":
        return run_of("nemo_rl", "/x")
    judge = domain(0, "math", ["set"], f"{MATH_RULE}.MathRuleRewardWorker") if source == "roll" else {}
    return run_of(source, "/x") | judge


ADDED = {"verl": 0.5, "trinity": 0.5, "roll": 0.0, "chatlearn": 0.0, "openrlhf": 0.0, "trl": 0.0, "nemo_rl": 0.0}


@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_the_source_s_reward_behind_the_target_s_interface(source: str, target: str, tmp_path: Path) -> None:
    new_adapters = adapters(source, target, with_reward(source, tmp_path))
    text = new_adapters.files[SHAPES[target].reward_file]
    if source == "trl":  # its functions are named by hand
        text = re.sub(r"FUNCTION = Required\([^)]*\)", f'FUNCTION = "{__name__}.is_five"', text)
    stub = module(text)
    assert judged(target, stub, "5") == 1.0 + ADDED[source]
    assert judged(target, stub, "6") == 0.0 + ADDED[source]


@pytest.mark.parametrize("running", [False, True])
def test_an_asynchronous_function_is_waited_for(running: bool, tmp_path: Path) -> None:
    values = with_reward("verl", tmp_path) | {"stage.reward.function_name": "later", "stage.reward.function_args": None}
    stub = module(adapters("verl", "chatlearn", values).files["converted_reward.py"])
    if not running:
        assert judged("chatlearn", stub, "5") == 1.0
        return
    import asyncio

    async def inside() -> float:
        return judged("chatlearn", stub, "5")

    assert asyncio.run(inside()) == 1.0


def test_a_path_of_the_environment_is_read_when_the_run_starts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    values = with_reward("verl", tmp_path) | {"stage.reward.function_path": Text((Var("MY_CODE"), "/mine.py"))}
    stub = module(adapters("verl", "chatlearn", values).files["converted_reward.py"])
    with pytest.raises(
        ValueError, match=r"FUNCTION_FILE is \$\{MY_CODE\}/mine\.py, and not all of its variables are set"
    ):
        judged("chatlearn", stub, "5")
    monkeypatch.setenv("MY_CODE", str(tmp_path))
    assert judged("chatlearn", stub, "5") == 1.5


@pytest.mark.parametrize(
    ("source", "more", "why"),
    [
        ("verl", {"stage.reward.function_path": ShellOnly("$(dirname x)/r.py")}, r"fill in FUNCTION_FILE.*\$\(dirname x\)/r\.py"),
        ("verl", {"stage.reward.function_path": "/nowhere/r.py"}, "file is not there: /nowhere/r.py"),
        ("openrlhf", {"stage.reward.function_path": "/nowhere/r.py"}, "file is not there: /nowhere/r.py"),
        ("trl", {}, "fill in FUNCTION.*functions of reward_funcs are code"),
        ("openrlhf", {"stage.reward.function_path": None}, "fill in FUNCTION_FILE.*no file with reward_func"),
        ("verl", {"stage.reward.function_path": None}, "the reward is veRL's own scorer: install it here"),
        ("trinity", {"stage.data.train[0].reward": None}, "fill in REWARDS.*workflow simple_workflow computes the reward"),
        ("trinity", {"stage.data.train[0].reward": "not.there.Reward"}, "the reward is the class not.there.Reward"),
        ("roll", domain(0, "math", ["set"], "roll.x.JudgeWorker"), "roll.x.JudgeWorker judges batches inside of ROLL"),
        ("roll", domain(0, "math", ["set"], None), "fill in REWARDS.*no worker_cls for domain math"),
        ("nemo_rl", {"stage.data.train[0].reward": "code"}, "code is an environment of NeMo-RL's: write its rule"),
        ("nemo_rl", {"stage.data.train[0].reward": None}, "fill in ENVIRONMENTS.*no env_name"),
        ("roll", domain(0, "math", ["other"], "x"), r"no reward for domain 'math_rule' \(tag 'set'\); REWARDS has math"),
    ],
)  # fmt: skip
def test_what_is_missing_is_said_at_the_first_answer(
    source: str, more: dict[str, Any], why: str, tmp_path: Path
) -> None:
    target = "chatlearn"
    stub = module(adapters(source, target, with_reward(source, tmp_path) | more).files["converted_reward.py"])
    with pytest.raises((ValueError, FileNotFoundError, ImportError, NotImplementedError, KeyError), match=why):
        judged(target, stub, "5")


def test_rewards_of_several_data_sets_go_by_the_row_s_data_set(tmp_path: Path) -> None:
    values = run_of("trinity", "/d/set", reward=f"{__name__}.Length", reward_args={"scale": 0.0})
    second = run_of("trinity", "/d/other", reward=f"{__name__}.Length", reward_args={"scale": 2.0})
    values |= {path.replace("train[0]", "train[1]"): value for path, value in second.items()}
    stub = module(adapters("trinity", "verl", values).files["converted_reward.py"])
    assert stub.compute_score("set", "5", "5") == {"accuracy": 1.0, "length": 0.0, "score": 1.0}
    assert stub.compute_score("other", "5", "5")["score"] == 3.0
    with pytest.raises(KeyError, match="no reward for rows of 'third'; REWARDS has set, other"):
        stub.compute_score("third", "5", "5")


def test_domains_are_assigned_as_roll_does() -> None:
    """A row's own domain, else its tag's, else math_rule (H43)."""
    worker = f"{MATH_RULE}.MathRuleRewardWorker"
    values = run_of("roll", "/x") | domain(0, "code", ["kod"], "roll.Code") | domain(1, "math_rule", ["deep"], worker)
    stub = module(adapters("roll", "verl", values).files["converted_reward.py"])
    workers = [
        stub.worker_of(tag, extra)
        for tag, extra in (("kod", {}), ("deep", {}), ("?", {}), ("deep", {"domain": "code"}))
    ]
    assert workers == ["roll.Code", worker, worker, "roll.Code"]
    assert stub.compute_score("anything", "5", "5") == 1.0
