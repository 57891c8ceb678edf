"""A conversion needs files beside the config: a script for the data, and a stub for the reward. The plan names both."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from rftconf.base.errors import RefusedError, UsageError
from rftconf.base.ledger import Decision, State
from rftconf.base.symbols import formula, is_symbolic
from rftconf.convert.adapters.data_sets import fields_of, names, outputs
from rftconf.convert.adapters.scripts import data_script, reward_stub, title
from rftconf.convert.adapters.shapes import DATA_FILE, adapter_for, earlier, interface
from rftconf.mappers.adapting import DOMAINS, REWARD_MODULE, Adapter, Missing, R, Reward, Shape, Values
from rftconf.mappers.outcomes import Outcome
from rftconf.plan.kinds import NAMES
from rftconf.plan.origin import Kind, Origin

COLUMNS = ("prompt", "response", "messages", "tools", "image", "video", "system")
OF_ROWS = ("uri", "split", "subset", "storage", "prompt_type", "system_prompt")
"""Fields of a data set that say where and how rows lie: the script has read them, so the target need not."""


@dataclass(frozen=True, slots=True)
class Carried:
    """A value of the source that a file carries now: the plan path that stands for it ("" for none), and the file."""

    path: str
    file: str


@dataclass(slots=True)
class Adapters:
    """The files by name, the plan as it is once they have run, and what they leave to a person."""

    folder: str
    files: dict[str, str]
    values: dict[str, Any]
    replaced: dict[str, Carried] = field(default_factory=dict)
    """Plan paths of the source that the files speak for now."""
    decisions: list[Decision] = field(default_factory=list)
    answers: tuple[str, ...] = ()
    """Keys of the target about which nothing has to be asked any more."""

    def apply(self, values: dict[str, Any], origins: dict[str, Origin]) -> None:
        """Change a flat plan so that it names the converted data and the stub."""
        for path in self.replaced:
            values.pop(path, None)
        for path, value in self.values.items():
            values[path] = value
            keys = origins[path].keys if path in origins else ()
            file = self.reward_file if ".data." not in path or path.endswith((".reward", ".workflow")) else DATA_FILE
            origins[path] = Origin(Kind.CHOSEN, keys, f"{self.folder}/{file}")

    @property
    def reward_file(self) -> str:
        """The stub's place below the folder."""
        return next(name for name in self.files if name != DATA_FILE)

    def instead_of(self, questions: list[Decision]) -> list[Decision]:
        """Return the decisions about the files, and the questions about the target that they do not settle."""
        return [*self.decisions, *(question for question in questions if question.key not in self.answers)]

    def settle(self, outcomes: dict[str, Outcome]) -> None:
        """Mark every value that the files carry as derived, and name the file that it is in."""
        for path, now in self.replaced.items():
            outcome = outcomes.get(path) or outcomes.get(now.path)
            outcomes[path] = Outcome(State.DERIVED, outcome.targets if outcome else (), f"in {self.folder}/{now.file}")


def adapt(values: Mapping[str, Any], *, source: str, target: str, folder: str, release: str | None = None) -> Adapters:
    """The adapters for a flat plan, for a release of the target (the newest where none is named).

    Raises UsageError within one framework, RefusedError where rows are no prompts or the release takes no reward function.
    """
    kind = values.get("stage.kind")
    if kind not in (None, "rl"):
        choices = ("convert it without --adapters", "prepare its data by hand")
        raise RefusedError(
            f"--adapters: this is {NAMES.get(kind, kind)}; only rows of {NAMES['rl'].removeprefix('a ')}s are converted",
            choices=choices,
        )
    if source == target:
        raise UsageError(f"--adapters: source and target are both {title(target)}; data and reward fit as they are")
    of_source, of_target = adapter_for(source), adapter_for(target)
    if not names(values):
        why = "--adapters: the config names no data set, so there are no rows to convert; environments and reward are code"
        raise RefusedError(why, choices=("convert it without --adapters",))
    if earlier(target, release, of_target.first_reward):
        why = f"--adapters: {title(target)} {release} takes no reward function of its user's own"
        choices = (f"--to-release {of_target.first_reward} or newer does", "convert it without --adapters")
        raise RefusedError(why, choices=choices)
    folder = folder.rstrip("/") or "/"
    reward, shape = _reward(of_source, values), of_target.shape
    files = outputs(values, folder, target)
    sets = {
        name: fields_of(source, values, path, files[path], own_sources=not reward.by_data_set)
        for path, name in names(values).items()
    }
    texts = {
        DATA_FILE: data_script(source, target, sets),
        shape.reward_file: reward_stub(source, interface(target, release), reward.constants),
    }
    adapters = Adapters(folder, texts, _new_values(values, files, shape, folder), answers=shape.answers)
    adapters.replaced = _replaced(values, adapters.values, reward, files, of_source, shape.reward_file)
    adapters.decisions = [_run_script(source, folder, sets), _place_stub(reward, shape, folder)]
    adapters.decisions += _about_rows(of_source, values, files, folder)
    return adapters


def _reward(source: Adapter, values: Values) -> Reward:
    """Return the reward that this run comes to."""
    reward = source.reward(values)
    if any(value == "reward" for path, value in values.items() if path.endswith(".role")):
        reward.asks.append("the source run also asks a reward model, which no function can stand for")
    return reward


def _new_values(values: Mapping[str, Any], files: Mapping[str, str], shape: Shape, folder: str) -> dict[str, Any]:
    replaced: dict[str, Any] = {}
    for path, file in files.items():
        replaced |= {path + "uri": file, path + "storage": "file"}
        replaced |= {f"{path}keys.{name}": column for name, column in shape.columns.items()}
        replaced |= {
            f"{path}keys.{name}": column for name, column in shape.media.items() if values.get(f"{path}keys.{name}")
        }
        if shape.workflow:
            replaced |= {path + "workflow": shape.workflow, path + "reward": shape.reward}
    if shape.domain:
        only = {"name": shape.domain, "tags": [shape.domain], "weight": 1.0, "reward": shape.reward}
        replaced |= {f"{DOMAINS}[0].{name}": value for name, value in only.items()}
    if shape.function:
        replaced |= {R + "function_path": f"{folder}/{shape.reward_file}", R + "function_name": shape.function}
    return replaced


def _replaced(
    values: Mapping[str, Any],
    new: Mapping[str, Any],
    reward: Reward,
    files: Mapping[str, str],
    source: Adapter,
    stub: str,
) -> dict[str, Carried]:
    first = next(iter(files), "")
    named = (R + "function_path", first + "reward", f"{DOMAINS}[0].reward")
    by_stub = Carried(next((path for path in named if path in new), ""), stub)
    carried = {path: by_stub for path in reward.carried if values.get(path) is not None}
    for item_path in files:
        of_rows = [item_path + name for name in OF_ROWS] + [f"{item_path}keys.{name}" for name in COLUMNS]
        carried |= {path: Carried(item_path + "uri", DATA_FILE) for path in of_rows if values.get(path) is not None}
        if values.get(item_path + "workflow") in source.workflows:
            carried[item_path + "workflow"] = by_stub
    return carried


def _run_script(source: str, folder: str, sets: Mapping[str, Mapping[str, Any]]) -> Decision:
    missing = [
        f"--{field_} {name}=…" if field_ in ("input", "output") else f"--set {name}.{field_}=…"
        for name, fields in sets.items()
        for field_, value in fields.items()
        if isinstance(value, Missing) or is_symbolic(value)
    ]
    command = " ".join(["python", f"{folder}/{DATA_FILE}", *missing])
    why = f"it turns the {title(source)} data into the files that this config names; run it before the training"
    return Decision(f"{folder}/{DATA_FILE}", why, (command,))


def _place_stub(reward: Reward, shape: Shape, folder: str) -> Decision:
    file = f"{folder}/{shape.reward_file}"
    asks = [*reward.asks, *([shape.lacks] if shape.lacks else [])]
    return Decision(
        file,
        "; ".join(asks) or "it calls the source's function",
        (shape.start.format(folder=folder, file=file, module=REWARD_MODULE),),
    )


def _about_rows(source: Adapter, values: Mapping[str, Any], files: Mapping[str, str], folder: str) -> list[Decision]:
    """Return a decision about settings of rows that the script does not follow; none where it follows all."""
    whys = []
    own_class = values.get("stage.data.dataset_class")
    if own_class is not None:
        whys.append(
            f"rows are read by a class of their own ({formula(own_class)}); the script reads columns as they lie"
        )
    for path in files:
        name = path.removeprefix("stage.data.").rstrip(".")
        limits = source.limits(values, path)
        if limits:
            whys.append(f"{name}: {limits}")
        if values.get(path + "reply_prefix"):
            whys.append(f"{name}: reply_prefix begins the answer for the model; the converted rows do not")
        if values.get(f"{path}keys.image") or values.get(f"{path}keys.video"):
            whys.append(
                f"{name}: images and videos are carried as they lie; the target's placeholders were not checked"
            )
    decision = Decision(f"{folder}/{DATA_FILE} (rows)", "; ".join(dict.fromkeys(whys)), ("check a converted row",))
    return [decision] if whys else []
