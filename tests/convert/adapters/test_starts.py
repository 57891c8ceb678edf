"""Stubs that start the target themselves, because its own program does not name a reward."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from tests.convert.adapters.samples import adapters, module, run_of, stand_in

CHAT = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "2+3?"}]
LABEL = {"data_source": "sums", "ground_truth": "5", "extra_info": {"index": 0}}
ENVIRONMENT = "converted_reward.ConvertedEnvironment"


class RuleReward:
    """ChatLearn's class by its name."""


def stub_of(target: str) -> str:
    """The stub for a run of veRL's."""
    return adapters("verl", target, run_of("verl", "/x")).files["converted_reward.py"]


def with_modules(monkeypatch: pytest.MonkeyPatch, *modules: ModuleType) -> None:
    """Let these modules be imported."""
    for new_module in modules:
        monkeypatch.setitem(sys.modules, new_module.__name__, new_module)


def test_chatlearn_starts_with_the_stub_s_class(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[Any] = []
    grpo = stand_in("chatlearn.algorithm.grpo", RuleReward=RuleReward)
    launcher = type("Launcher", (), {"run": lambda self: started.append(grpo.__dict__["RuleReward"])})
    with_modules(
        monkeypatch,
        stand_in("chatlearn"),
        stand_in("chatlearn.algorithm", grpo=grpo),
        grpo,
        stand_in("chatlearn.entrypoint", ChatlearnLauncher=launcher),
        stand_in("chatlearn.models.reward.rule_reward", RuleReward=RuleReward),
    )
    stub = module(stub_of("chatlearn"))
    stub.main()
    assert started == [stub.ConvertedReward]


class Tokens:
    """A tokenizer whose tokens are letters; it keeps the chat that it is handed."""

    def apply_chat_template(self, chat: list[dict[str, str]], **options: bool) -> str:
        assert options == {"tokenize": False, "add_generation_prompt": True, "add_special_tokens": False}
        assert chat == CHAT
        return "abcdefgh"

    def __call__(self, text: str, **options: Any) -> dict[str, list[str]]:
        assert options == {"return_tensors": "pt", "add_special_tokens": False}
        return {"input_ids": [text]}


@pytest.fixture
def nemo_rl(monkeypatch: pytest.MonkeyPatch) -> dict[str, dict[str, Any]]:
    """Stand in for NeMo-RL; the value has everything that a script registers with it, by kind."""
    kinds: dict[str, dict[str, Any]] = {"actors": {}, "environments": {}, "processors": {}}
    register = {kind: values.__setitem__ for kind, values in kinds.items()}
    actors = "nemo_rl.distributed.ray_actor_environment_registry"
    with_modules(
        monkeypatch,
        stand_in("ray", remote=lambda cls: cls),
        stand_in("torch"),
        stand_in("nemo_rl.environments.interfaces", EnvironmentInterface=object, EnvironmentReturn=SimpleNamespace),
        stand_in("nemo_rl.data.processors", register_processor=register["processors"]),
        stand_in(actors, ACTOR_ENVIRONMENT_REGISTRY=kinds["actors"]),
        stand_in("nemo_rl.distributed.virtual_cluster", PY_EXECUTABLES=SimpleNamespace(SYSTEM="python")),
        stand_in("nemo_rl.environments.utils", register_env=register["environments"]),
    )
    return kinds


def test_nemo_rl_s_program_starts_with_the_stub_s_environment(
    nemo_rl: dict[str, dict[str, Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is registered under the stub's name, which the config names, before the program runs with the words behind it."""
    file = tmp_path / "converted_reward.py"
    file.write_text(stub_of("nemo_rl"))
    program = tmp_path / "run_grpo.py"
    program.write_text("import sys, pathlib; pathlib.Path(sys.argv[1]).write_text(__name__)")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "argv", [str(file), str(program), str(tmp_path / "started")])
    monkeypatch.delitem(sys.modules, "converted_reward", raising=False)
    stub = module(file.read_text())
    stub.__file__ = str(file)
    stub.main()
    assert (tmp_path / "started").read_text() == "__main__"
    assert nemo_rl["actors"] == {ENVIRONMENT: "python"}
    assert nemo_rl["environments"] == {"converted_reward": ENVIRONMENT}
    assert nemo_rl["processors"]["converted_reward"].__module__ == "converted_reward"


@pytest.mark.parametrize(("longest", "ids", "weight"), [(9, "abcdefgh", 1.0), (8, "abcd", 0.0)])
def test_nemo_rl_is_asked_the_whole_chat_of_a_row(
    nemo_rl: dict[str, dict[str, Any]], longest: int, ids: str, weight: float
) -> None:
    """A prompt of the longest length or more is cut to four tokens and masked, as NeMo-RL's own processors do (H90)."""
    assert nemo_rl["processors"] == {}
    texts = [("user", json.dumps(CHAT)), ("assistant", json.dumps(LABEL))]
    row = {"messages": [{"role": role, "content": text} for role, text in texts], "task_name": "data-train"}
    prompt = module(stub_of("nemo_rl")).converted_prompt(row, None, Tokens(), longest, 7)
    assert prompt["message_log"] == [{"role": "user", "content": "abcdefgh", "token_ids": ids}]
    assert (prompt["length"], prompt["loss_multiplier"], prompt["idx"]) == (8, weight, 7)
    assert (prompt["extra_env_info"], prompt["task_name"]) == (LABEL, "data-train")
