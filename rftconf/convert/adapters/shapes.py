"""What each framework expects of a row and of a reward: facts that both generated files go by, one entry a framework."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from rftconf.schemas import registry

DATA_FILE = "convert_data.py"
REWARD_MODULE = "converted_reward"


@dataclass(frozen=True, slots=True)
class Shape:
    """How converted rows and rewards look to a framework.

    `suffix` is of its data files; `columns` the names its writer gives to the plan's columns; `reward_file` where the
    reward goes below the folder; `reward`, `workflow`, `domain` and `function` what the config then names; `start` how
    the run finds the reward, with `{folder}`, `{file}` and `{module}`. `answers` are the keys whose questions about data
    and reward the files settle.
    """

    suffix: str
    columns: Mapping[str, str]
    start: str
    answers: tuple[str, ...]
    reward_file: str = f"{REWARD_MODULE}.py"
    function: str | None = None
    reward: str | None = None
    workflow: str | None = None
    domain: str | None = None
    lacks: str = ""
    media: Mapping[str, str] = field(default_factory=lambda: {"image": "images", "video": "videos"})


SHAPES: Mapping[str, Shape] = {
    "verl": Shape(
        ".parquet",
        {"prompt": "prompt"},
        "the config names it; its path is relative to where the run starts",
        answers=("reward.custom_reward_function.path", "custom_reward_function.path"),  # up to 0.7.0 (H59)
        function="compute_score",
    ),
    "trinity": Shape(
        ".parquet",
        {"prompt": "prompt", "response": "ground_truth", "messages": "messages"},
        "start the run with --plugin-dir {folder}/plugin, which registers it",
        answers=("buffer.explorer_input.tasksets[].default_workflow_type", "buffer.explorer_input.tasksets[].format"),
        reward_file=f"plugin/{REWARD_MODULE}.py",
        reward="converted_reward",
        workflow="converted_workflow",
    ),
    "roll": Shape(
        ".jsonl",
        {"messages": "messages", "response": "ground_truth"},
        "put {folder} on PYTHONPATH of every node, so that ROLL finds {module}",
        answers=("actor_train.data_args",),
        domain="converted",
        reward=f"{REWARD_MODULE}.ConvertedRewardWorker",
    ),
    "chatlearn": Shape(
        ".jsonl",
        {},
        "start the run with `python {file} grpo --config-file …` instead of chatlearn/entrypoint.py: no key names a reward",
        answers=("models.reward", "runtime_args.data_path"),
        lacks="ChatLearn's data pipeline hands on data_source and ground_truth only: the reward gets an empty extra_info",
    ),
}

FIRST_REWARD: Mapping[str, str] = {"verl": "0.3.0"}
"""The first release that takes a reward function from a file: veRL 0.2.0's main_ppo.py passes none."""
FIRST_MAPPING: Mapping[str, str] = {"verl": "0.4.1"}
"""The first release whose reward manager takes a mapping with `score`: veRL 0.3.0's naive.py writes what it gets into a tensor."""


def interface(target: str, release: str | None) -> str:
    """The name of the part that stands between the reward and a release of the target."""
    return f"{target}_number" if earlier(target, release, FIRST_MAPPING) else target


def earlier(target: str, release: str | None, first: Mapping[str, str]) -> bool:
    """Whether a release of `target` lies before the one that `first` names for it."""
    if release is None or target not in first:
        return False
    order = registry.framework(target).releases
    return order.index(release) < order.index(first[target])
