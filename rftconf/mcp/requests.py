"""The arguments of each tool are data from outside: every value is checked before it is used."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from rftconf.base.errors import UsageError

MOST_TEXT = 1024 * 1024
"""Characters of one text; the largest config seen in the wild has 0.2 MiB."""
LONGEST_WORD = 4096

Word = Annotated[str, Field(max_length=LONGEST_WORD)]
Count = Annotated[int, Field(ge=1, lt=10**12)]
FRAMEWORK = "verl, trinity, roll, chatlearn, trl or openrlhf"


class Request(BaseModel):
    """The arguments of a call; a name that is not known is an error, never passed over."""

    model_config = ConfigDict(extra="forbid")


class ConfigInput(Request):
    """A config is a file by its path, or the text itself; exactly one of the two is set."""

    path: Word | None = Field(None, description="A file below a root that `rftconf mcp --root` names.")
    text: str | None = Field(None, max_length=MOST_TEXT, description="The text of a launch script, YAML or overrides.")
    name: Annotated[str, Field(max_length=200)] = Field("config", description="What places in a text are called.")
    framework: Word | None = Field(None, description=f"Guessed when absent: {FRAMEWORK}.")
    release: Word | None = Field(None, description="The framework's release that it is for; guessed when absent.")
    variables: dict[Word, Word] = Field(
        {}, description="Values of shell variables or dotted keys, as --set gives them."
    )
    arguments: Word | None = Field(None, description="What a script is called with.")
    launch: Count | None = Field(None, description="Which of several commands in a script counts, from 1.")
    base: Word | None = Field(None, description="The path of the config that it stands on, below a root.")
    rows: Count | None = Field(None, description="How many rows the training data has.")
    assume: dict[Word, Word] = Field({}, description='What a fork means, e.g. {"mini_batch": "samples"}.')


class OneConfig(Request):
    """A tool is asked about this config."""

    config: ConfigInput


class Check(OneConfig):
    """A check looks for these findings."""

    gpu: Word = Field("", description="A GPU that the run has to fit, e.g. h100-80g.")
    select: list[Word] = Field([], max_length=100, description="Prefixes of codes to report; all when empty.")
    ignore: list[Word] = Field([], max_length=100, description="Prefixes of codes to leave out.")
    severity: Literal["info", "warning", "error"] = "info"


class Fix(Check):
    """A fix starts from a check, and is safe unless the caller says otherwise."""

    unsafe: bool = Field(False, description="Also make fixes that may change what the run does.")


class Convert(OneConfig):
    """A conversion has a target, and a way to take losses."""

    to: Word = Field(description=f"The framework to write for: {FRAMEWORK}.")
    to_release: Word | None = Field(None, description="Its release; the newest known when absent.")
    style: Word | None = Field(None, description="The target's form: sh, yaml or overrides.")
    layout: Literal["colocated", "separated"] | None = None
    rollout_gpus: Count | None = Field(None, description="GPUs of the engines, where the target separates them.")
    gpu: Word = Field("", description="A GPU that the run has to fit, e.g. h100-80g.")
    on_loss: Literal["error", "warn", "allow"] = Field("warn", description="`error` refuses where anything is lost.")
    ledger: bool = Field(False, description="Also give the account of every key, which is long.")


class Cluster(OneConfig):
    """The run is priced on these GPUs; its own cluster counts unless another is set."""

    gpu: Word = Field(description="A name such as h100-80g, a100-80g, h20, or NAME:GIB for another.")
    nodes: Count | None = None
    gpus_per_node: Count | None = None
    model: Word | None = Field(None, description="The model: a name, or a config.json below a root.")
    mean_tokens: Count | None = Field(None, description="Mean tokens of a sequence, where padding is removed.")


class Budget(Cluster):
    """An account is short unless every term is asked for."""

    terms: bool = Field(False, description="Also give every term with its formula, which is long.")


class Fit(Cluster):
    """One of the answers is written into the config, where its number is set."""

    apply: Count | None = Field(None, description="The number of the answer to apply, from 1; none when absent.")


class Diff(Request):
    """These two configs are compared; they may be of any two frameworks."""

    a: ConfigInput
    b: ConfigInput
    only: list[Word] = Field([], max_length=10, description="Effects to list, such as mathematics or measurement.")


class Explain(Request):
    """This subject is explained."""

    subject: Word = Field(description="A code (KEY001), a key, plan.FIELD, a hazard (H28) or dialect:NAME.")
    framework: Word | None = Field(None, description="Whose key it is, where several frameworks have it.")
    release: Word | None = Field(None, description="Type and default in this release alone.")


class Migrate(OneConfig):
    """The config is rewritten for this release."""

    to_release: Word
    on_loss: Literal["error", "warn"] = Field("error", description="`error` refuses where anything is lost.")


class New(Request):
    """A first config is written for this framework, algorithm, model and cluster."""

    framework: Word = Field(description=f"What to write it for: {FRAMEWORK}.")
    algorithm: Word = Field(description="grpo, dapo, ppo, rloo, reinforce++ or gspo.")
    model: Word = Field(description="The policy, e.g. Qwen/Qwen2.5-7B-Instruct.")
    gpus: Count = Field(description="All GPUs of the run.")
    gpu: Word = Field(description="Which GPU, e.g. h100-80g.")
    nodes: Count | None = None
    data: Word | None = Field(None, description="The training rows, as the config will name them.")
    eval_data: Word | None = None
    rows: Count | None = None
    prompt_tokens: Count | None = None
    response_tokens: Count | None = None
    release: Word | None = None


R = TypeVar("R", bound=Request)


def checked(kind: type[R], fields: Any) -> R:
    """Return the arguments of a call. Raises UsageError with the first that is wrong; it never repeats a value."""
    try:
        return kind.model_validate(fields)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False, include_context=False)[0]
        place = ".".join(str(part)[:80] for part in first["loc"])
        raise UsageError(f"{place or 'arguments'}: {first['msg'][:1].lower()}{first['msg'][1:]}") from None
