"""The parts of a plan that say what is learned from: data sets, domains, environments, turns and rewards."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from rftconf.plan.field_roles import MEASUREMENT
from rftconf.plan.fields import Book, Bool, Float, Free, Int, Part, Perf, Seen, Str, Symbol
from rftconf.plan.units import Unit


class Sampling(Part):
    """Parameters that decide how tokens are drawn."""

    temperature: Float | None = None
    top_p: Float | None = None
    top_k: Int | None = None
    repetition_penalty: Float | None = None
    responses: Int | None = None
    ignore_eos: Bool | None = None


class DataKeys(Part):
    """Names of the columns in which a data set holds prompts, answers, images and the rest."""

    prompt: Str | None = None
    response: Str | None = None
    messages: Str | None = None
    tools: Str | None = None
    image: Str | None = None
    video: Str | None = None
    system: Str | None = None
    chosen: Str | None = None
    rejected: Str | None = None


class DataSet(Part):
    """One data set; `uri` is a file, folder or hub name."""

    name: Str | None = Book
    uri: Str | None = None
    split: Str | None = None
    subset: Str | None = None
    storage: Str | None = None
    keys: DataKeys = DataKeys()
    prompt_type: Str | None = None
    system_prompt: Str | None = None
    reply_prefix: Str | None = None
    workflow: Str | None = None
    workflow_args: Free | None = None
    reward: Str | None = None
    reward_args: Free | None = None
    trained_turns: Literal["last", "all"] | Symbol | None = None
    selector: Str | None = None
    seed: Int | None = None
    sampling: Sampling = Sampling()


class Domain(Part):
    """Rows with certain tags, their share of each batch, and who scores them; `reward` is a name, never imported."""

    name: Str | None = None
    tags: list[Str] | Str | None = None
    weight: Float | None = None
    reward: Str | None = None


class Turns(Part):
    """An answer's growth over several turns: the code that leads it, the tools it may call. Nothing set: one turn."""

    loop: Str | None = None
    tools: Str | None = None
    assistant_max: Int | None = None
    user_max: Int | None = None


class Environment(Part):
    """A world that an agent acts in, turn by turn; `kind` and `manager` are names of code, `config` its own settings."""

    name: Str | None = None
    kind: Str | None = None
    manager: Str | None = None
    groups: Int | None = None
    turns_max: Int | None = None
    turn_max_tokens: Annotated[Int | None, Unit.TOKENS] = None
    system_prompt: Str | None = None
    config: Free | None = None


class Data(Part):
    """Data sets and environments that the run trains and validates on."""

    train: list[DataSet] = Field(default_factory=list)
    eval: list[DataSet] = Field(default_factory=list, json_schema_extra={"role": MEASUREMENT})
    domains: list[Domain] = Field(default_factory=list)
    environments: list[Environment] = Field(default_factory=list)
    mixing: Literal["concat", "proportional", "weighted"] | Symbol | None = None
    shuffle: Bool | None = None
    seed: Int | None = None
    rows: Int | None = None
    train_max_samples: Int | None = None
    eval_max_samples: Int | None = Seen
    loader_workers: Int | None = Perf
    dataset_class: Str | None = None
    dataset_class_name: Str | None = None


class Reward(Part):
    """The reward as the source names it; code is a reference, never imported."""

    function_path: Str | None = None
    function_name: Str | None = None
    function_args: Free | None = None
    manager: Str | None = None
    manager_args: Free | None = None
