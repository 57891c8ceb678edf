"""ChatLearn's rows and rewards: columns that nobody can rename, rules chosen by the row's data_source."""

from __future__ import annotations

from typing import Any

from rftconf.mappers.adapting import Adapter, Reward, Shape, Values, label_of


def _fields(values: Values, path: str) -> dict[str, Any]:
    """PromptPipeline: nothing can be renamed."""
    return {"source": label_of(values, path)}


def _reward(values: Values) -> Reward:
    del values
    return Reward({}, ["the stub calls ChatLearn's rule for the row's data_source, so chatlearn has to be installed"])


ADAPTER = Adapter(
    Shape(
        ".jsonl",
        {},
        "start the run with `python {file} grpo --config-file …` instead of chatlearn/entrypoint.py: no key names a reward",
        answers=("models.reward", "runtime_args.data_path"),
        lacks="ChatLearn's data pipeline hands on data_source and ground_truth only: the reward gets an empty extra_info",
    ),
    _fields,
    _reward,
)
