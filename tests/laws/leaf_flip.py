"""Sets one key of a base config to another value and looks at what the conversion makes of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from rftconf.base.errors import RefusedError, UnreadableError
from rftconf.base.ledger import LOSSES, SourceLine, State
from rftconf.base.symbols import formula
from rftconf.convert.convert import Conversion, convert
from rftconf.load.effective import STAGED
from rftconf.mappers.rows import natives_of
from rftconf.mappers.tables import all_tables, table_of
from rftconf.schemas import catalogue, registry, versions
from tests.laws.flip_base import Base
from tests.laws.flip_bases import FLIPPED
from tests.laws.flip_bases_nemo_rl import NEMO_RL
from tests.laws.flip_bases_openrlhf import OPENRLHF
from tests.laws.flip_bases_sft import SFT
from tests.laws.flip_bases_trl import TRL
from tests.laws.flip_values import candidates, is_node, is_open
from tests.laws.round_trips import document

OTHER = {"verl": "trinity", "trinity": "verl", "roll": "trinity", "chatlearn": "verl"}
"""Where each framework's leaves are flipped to, for all of its catalogues."""
FURTHER = [(name, to) for name, other in OTHER.items() for to in OTHER if to not in (name, other)]  # newest releases
STAGE = "stages[]."
IDLE = "benchmark"
"""A base in which nearly all of Trinity-RFT's keys do nothing, so that flips in it show nothing; the laws of round trips have it."""
GENERIC = "is kept in the plan as it is; no other framework has it"  # where neither a row nor a reason speaks
LOST = LOSSES | {State.WITHHELD, State.DEAD_IN_TARGET}


@dataclass(frozen=True)
class Catalogued:
    """One catalogue: framework, release and veRL's trainer; `to` is where it is converted, if not to `OTHER`."""

    framework: str
    release: str
    trainer: str = ""
    to: str = ""

    @property
    def keys(self) -> Mapping[str, catalogue.Key]:
        """Its keys."""
        return catalogue.load(self.framework, self.release, self.trainer).keys

    def leaves(self) -> list[str]:
        """The keys that a file sets by themselves and that have several legal values, without those of stages, with those
        that rows know in open nodes. Of a recipe only those in which it differs from the trainer it stands on."""
        if self.trainer in registry.VERL.recipes:
            below = catalogue.load(self.framework, self.release, registry.VERL.backend(self.trainer)).keys
            return [name for name, key in self.keys.items() if below.get(name) != key]
        keys, known = self.keys, catalogue.load(self.framework, self.release, self.trainer)
        inside = [name for name in sorted(_natives(self.framework)) if name not in keys and known.get(name) is not None]
        own = (name for name in keys if not name.startswith(STAGE) and not is_node(name, keys))
        return [*(name for name in own if candidates(name, keys[name])), *inside]

    def key(self, name: str) -> catalogue.Key:
        """The key of a leaf; one in an open node takes anything."""
        return self.keys[name] if name in self.keys else catalogue.Key(name)


@dataclass(frozen=True)
class Verdict:
    """What became of one flipped leaf.

    `changed` and `refused` translate; `lost` and `dead` are told by a reason; `silent` is what must not happen.
    """

    key: str
    outcome: str
    base: str = ""
    value: Any = None
    state: State | None = None
    reason: str = ""
    row: bool = False

    def __str__(self) -> str:
        return f"{self.key}={self.value!r} in {self.base!r}: {self.outcome}, {self.state or '-'}: {self.reason}"


def run(of: Catalogued, flat: Mapping[str, Any]) -> Conversion:
    """Convert to the other framework's newest release."""
    source, to = document(of.framework, flat, of.trainer), of.to or OTHER[of.framework]
    return convert(source, to, framework=of.framework, release=of.release)


def further(framework: str, to: str) -> Catalogued:
    """The newest catalogue of a framework, for another direction than its usual one."""
    known = registry.framework(framework)
    return Catalogued(framework, known.newest, known.trainer, to)


def targets(conversion: Conversion) -> dict[str, str]:
    """What the target says, without comments."""
    return {line.key: formula(line.value) for line in conversion.ledger.targets}


@dataclass(frozen=True)
class _Slot:
    value: Any


@cache
def bases(of: Catalogued, staged: bool = False) -> tuple[Base, ...]:
    """The bases that are legal in a release, under its names; `staged` puts their sections below a stage."""
    new_bases = []
    for base in {"verl_sft": SFT, "trl": TRL, "openrlhf": OPENRLHF, "nemo_rl": NEMO_RL, **FLIPPED}[of.framework]:
        if base.name != IDLE and base.trainer == of.trainer and registry.at_least(of.framework, of.release, base.since):
            flat = {key: _Slot(value) for key, value in base.flat.items()}
            older = versions.downgrade(of.framework, flat, of.release, trainer=of.trainer).flat
            values = {key: slot.value for key, slot in older.items()}
            new_bases.append(
                replace(base, flat=_below_stage(values) if staged else values, name=base.name + " in a stage" * staged)
            )
    return tuple(new_bases)


def _below_stage(flat: dict[str, Any]) -> dict[str, Any]:
    staged = {f"stages[0].{key}" if key.split(".")[0] in STAGED else key: value for key, value in flat.items()}
    return {"stages[0].stage_name": "only", **staged}


@cache
def unflipped(of: Catalogued, base: Base) -> dict[str, str]:
    """The target of the base itself; nothing where there are no such runs, and a value makes another one of it."""
    try:
        return targets(run(of, base.flat))
    except RefusedError:
        return {}


def written(name: str, key: catalogue.Key) -> str:
    """The leaf that a file writes for a catalogue key: the first list item, a key of one's own in a dictionary."""
    leaf = name.replace("[]", "[0]").replace("<*>", ".own")
    return f"{leaf}.own_key" if is_open(key) else leaf


@cache
def has_row(of: Catalogued, name: str) -> bool:
    """True when some row speaks for the key under its newest name, or for the node above it."""
    values = candidates(name, of.key(name))
    up = versions.upgrade(of.framework, {name: _Slot(values[0])}, of.release, trainer=of.trainer).flat
    plain = [
        key.removeprefix(STAGE).replace("explorer_input.taskset.", "explorer_input.tasksets[].") for key in (*up, name)
    ]
    return any(key == native or key.startswith(native + ".") for key in plain for native in _natives(of.framework))


@cache
def _natives(framework: str) -> frozenset[str]:
    tables = [table_of(name, kind) for name, kind in all_tables() if name == framework]
    rows = [row for table in tables for row in table.rows]
    return frozenset(native.removesuffix(".*") for row in rows for native in natives_of(row))


_HINTS = {
    "critic": "critic", "lora": "lora", "filter_groups": "filter", "reward_model": "reward model", "kl_ctrl": "adaptive",
    "custom_reward": "custom", "separate_async": "separate", "colocate_async": "ahead", "micro_batch_size": "static",
    "auxiliary": "helper", "rewards.own": "judge", "megatron": "megatron", "kl_penalty": "ppo", "tau_": "sapo", "seed": "shuffled",
    "entropy_loss_fn": "entropy", "loss_scale_factor": "sum norm", "hybrid_engine": "separate", "checkpoint_engine": "separate",
    ".actor.engine.": "lite", "datasets[]": "mixture", "warmup_ratio": "no warm-up", "student_": "student",
}  # fmt: skip


def preferred(of: Catalogued, name: str) -> list[Base]:
    """The bases in which the key most likely acts come first."""
    hints = [hint for word, hint in _HINTS.items() if word in name]
    if "helper" in hints:  # an option of a model that is not there would bring it into being
        hints = ["helper"]
    return sorted(bases(of, name.startswith(STAGE)), key=lambda base: -sum(hint in base.name for hint in hints))


def try_leaf(of: Catalogued, base: Base, leaf: str, value: Any) -> Verdict:
    """Convert a base with one leaf set to a value; a crash is a verdict too."""
    try:
        done = run(of, with_flips(base, {leaf: value}))
    except (RefusedError, UnreadableError) as refused:
        return Verdict(leaf, "refused", base.name, value, None, str(refused), True)
    except Exception as error:  # noqa: BLE001 - a crash is a finding, not the end of the survey
        return Verdict(leaf, "silent", base.name, value, None, f"{type(error).__name__}: {error}", True)
    lines = [line for line in done.ledger.sources if line.key == leaf]
    if len(lines) != 1:
        return Verdict(leaf, "silent", base.name, value, None, f"{len(lines)} ledger lines", True)
    changed = targets(done) != unflipped(of, base)
    return Verdict(leaf, judge(lines[0], changed), base.name, value, lines[0].state, lines[0].reason, True)


def with_flips(base: Base, flips: Mapping[str, Any]) -> dict[str, Any]:
    """The base with other values; one of its data sets is written as `taskset` where that is what is flipped."""
    single = any(".taskset." in leaf for leaf in flips)
    flat = {
        k.replace("explorer_input.tasksets[0]", "explorer_input.taskset") if single else k: v
        for k, v in base.flat.items()
    }
    above = tuple(leaf + end for leaf in flips for end in ".[")
    return {k: v for k, v in flat.items() if not k.startswith(above)} | dict(flips)


def judge(line: SourceLine, changed: bool) -> str:
    """`silent` is a line that claims to have arrived, or says nothing, while the target is the same.

    `kept` is a value that needs no line in the target, because the target does so by itself: the flip came from a
    default that is tuning only and was not carried over.
    """
    if changed and line.state not in (State.DEAD_IN_SOURCE, State.EXTENSION, State.UNKNOWN):
        return "changed"
    if line.state is State.UNKNOWN or not line.reason or line.reason.endswith(GENERIC):
        return "silent"
    if line.state is State.DEFAULT and line.reason.startswith("the default of"):
        return "kept"
    if line.state is State.DEAD_IN_SOURCE:
        return "dead"
    return "lost" if line.state in LOST else "silent"


def name_all(of: Catalogued, names: Iterable[str]) -> Iterator[Verdict]:
    """Keys without a row cannot disturb each other: all are set at once, and each must have its own line.

    Where the target is another one all the same, halves find the keys that did it.
    """
    groups: dict[str, tuple[Base, dict[str, Any]]] = {}
    for name in names:
        base = preferred(of, name)[0]
        leaf = written(name, of.key(name))
        if leaf not in base.flat:
            groups.setdefault(base.name + " (single)" * (".taskset." in leaf), (base, {}))[1][leaf] = candidates(
                name, of.key(name)
            )[0]
    for base, flips in groups.values():
        yield from _name(of, base, flips)


def _name(of: Catalogued, base: Base, flips: dict[str, Any]) -> Iterator[Verdict]:
    items = list(flips.items())
    try:
        done = run(of, with_flips(base, flips))
    except RefusedError as refused:  # it makes another kind of run
        if len(items) == 1:
            yield Verdict(items[0][0], "refused", base.name, items[0][1], None, str(refused))
            return
        for half in (items[: len(items) // 2], items[len(items) // 2 :]):
            yield from _name(of, base, dict(half))
        return
    if targets(done) != unflipped(of, base):
        if len(items) == 1:
            yield Verdict(items[0][0], "silent", base.name, items[0][1], None, "has no row, and yet the target changed")
            return
        for half in (items[: len(items) // 2], items[len(items) // 2 :]):
            yield from _name(of, base, dict(half))
        return
    for leaf, value in flips.items():
        lines = [line for line in done.ledger.sources if line.key == leaf]
        if len(lines) != 1:
            yield Verdict(leaf, "silent", base.name, value, None, f"{len(lines)} ledger lines")
        else:
            yield Verdict(leaf, judge(lines[0], changed=False), base.name, value, lines[0].state, lines[0].reason)


def defaults_written(of: Catalogued) -> list[Verdict]:
    """Every leaf with a row set to its own default: nothing may be lost that way without a word of its own."""
    base = next(base for base in bases(of) if unflipped(of, base))  # a target refuses some runs whole
    names = [name for name in of.leaves() if has_row(of, name) and "[]" not in name and not is_open(of.key(name))]
    flat = {
        name: of.key(name).default for name in names if of.key(name).default is not None and not of.key(name).mandatory
    }
    done = run(of, {**flat, **base.flat})
    lines = [line for line in done.ledger.sources if line.key in flat and line.key not in base.flat]
    return [Verdict(x.key, judge(x, changed=True), base.name, x.value, x.state, x.reason, True) for x in lines]
