"""NeMo-RL's rows and rewards: a question and an answer, an environment that a data set names."""

from __future__ import annotations

from typing import Any

from rftconf.base.symbols import formula
from rftconf.mappers.adapting import (
    LISTS,
    Adapter,
    Missing,
    Reward,
    Shape,
    Values,
    count,
    label_of,
    path_of,
)

VERIFIED = frozenset({"math", "math_default"})
"""Environments of which the stub has the rule (nemo_rl/environments/math_environment.py: HFVerifyWorker)."""


def _fields(values: Values, path: str) -> dict[str, Any]:
    """ResponseDataset: two columns; a name without a path is that of a class of NeMo-RL's, which makes rows itself."""
    uri = values.get(path + "uri")
    fields = {
        "prompt_key": values.get(path + "keys.prompt") or "input",
        "response_key": values.get(path + "keys.response") or "output",
        "source": label_of(values, path),
    }
    if isinstance(uri, str) and uri and "/" not in uri and "." not in uri:
        fields["input"] = Missing(f"NeMo-RL's own code makes the rows of {uri}: name a file, or a data set of the hub")
    return fields


def _reward(values: Values) -> Reward:
    """Each data set names an environment; NeMo-RL's class for mathematics is the one that compares answers."""
    reward = Reward({})
    of_set: dict[str, Any] = {}
    for listed in LISTS:
        for index in range(count(values, listed)):
            path = path_of(listed, index)
            name = values.get(path + "reward") or Missing("no env_name, which a data set needs")
            of_set.setdefault(label_of(values, path), name)
            reward.carried.append(path + "reward")
    reward.by_data_set = len({repr(name) for name in of_set.values()}) > 1
    usual = next(iter(of_set.values()), Missing("no data set names an environment"))
    reward.constants["ENVIRONMENTS"] = of_set if reward.by_data_set else {None: usual}
    for name in dict.fromkeys(of_set.values()):
        if name in VERIFIED:
            reward.asks.append("the stub calls math_verify, as the math environment does unless env.math names another")
        else:
            reward.asks.append(
                f"{formula(name)} is an environment, an actor of NeMo-RL's: write its rule as a function in KNOWN of the stub"
            )
    return reward


def _limits(values: Values, path: str) -> str:
    del values, path
    return (
        "NeMo-RL puts the text of prompt_file around each question, and that of system_prompt_file before it;"
        " the converted rows have the question alone"
    )


ADAPTER = Adapter(
    Shape(
        ".jsonl",
        {"prompt": "input", "response": "output"},
        "start `uv run python {file} examples/run_grpo.py`, with PYTHONPATH={folder} on every node",
        answers=("data.default.env_name",),
        function="ConvertedEnvironment",
        media={},
        lacks="run_grpo.py knows environments by name: the stub registers its own, and then starts the program",
    ),
    _fields,
    _reward,
    limits=_limits,
    first_reward="0.5.0",  # register_env and register_processor came with it
)
