"""From a plan to another framework's config: placement, rows, releases, defaults, ledger, text."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING, Any

from rftconf.diagnostics import Diagnostic
from rftconf.errors import RefusedError, UsageError
from rftconf.ledger import LOSSES, Basis, Decision, Ledger, State, TargetLine
from rftconf.load import Loaded, StageRead, load
from rftconf.mappers.paths import without_indices
from rftconf.mappers.provenance import comment_of
from rftconf.mappers.rows import UNSET, Fold
from rftconf.mappers.source_lines import source_lines
from rftconf.mappers.tables import table_of
from rftconf.mappers.writing import Out, Outcome, Writing
from rftconf.plan import placement
from rftconf.plan.derive import fill_micro_batches
from rftconf.plan.index import PERFORMANCE, role_of
from rftconf.plan.origin import Kind, Origin
from rftconf.plan.symbols import formula, is_symbolic, names_in, to_interpolation
from rftconf.schemas import catalogue, registry, versions
from rftconf.text.document import Document

if TYPE_CHECKING:
    from rftconf.plan.model import Plan


@dataclass(frozen=True, slots=True)
class Options:
    """What a caller may ask of a conversion.

    `form` is `auto`, `A` or `B` (MAPPING row 1.1, Trinity only); `style` is `sh`, `yaml` or `overrides` (veRL only).
    """

    to_release: str | None = None
    rollout_gpus: int | None = None
    form: str = "auto"
    style: str | None = None


@dataclass(frozen=True, slots=True)
class Conversion:
    """The outcome: the target's text, the ledger, and the plan both stand for."""

    ledger: Ledger
    loaded: Loaded
    text: str
    file_suffix: str
    diagnostics: tuple[Diagnostic, ...] = ()
    lines: tuple[TargetLine, ...] = field(default=())

    @property
    def plan(self) -> Plan:
        """The typed plan of the source."""
        return self.loaded.plan


def convert(
    document: Document,
    to: str,
    *,
    framework: str | None = None,
    release: str | None = None,
    to_release: str | None = None,
    rows: int | None = None,
    rollout_gpus: int | None = None,
    form: str = "auto",
    style: str | None = None,
) -> Conversion:
    """Convert a document. Raises RefusedError where no faithful target exists, UnreadableError for bad input."""
    loaded = load(document, framework=framework, release=release, rows=rows)
    return convert_loaded(loaded, to, Options(to_release, rollout_gpus, form, style))


def convert_loaded(loaded: Loaded, to: str, options: Options) -> Conversion:
    """Convert something that was read already."""
    target = registry.framework(to)
    number = registry.release(target, options.to_release)
    stage = main_stage(loaded)
    values, origins = dict(stage.values), dict(stage.origins)
    decisions = _place(loaded, target.name, values, origins, options)
    writing = _write(loaded, target.name, number, values, origins, options)
    _refuse_other_kinds(to, values)
    lines = _target_lines(loaded, stage, writing)
    sources = source_lines(loaded, stage, writing)
    decisions = [*_unresolved(lines), *_place_names(decisions, writing), *writing.decisions, *_standing(target.name, writing)]
    ledger = Ledger(
        loaded.framework, loaded.release, target.name, number,
        sources, tuple(lines), tuple(decisions), (*loaded.notes, *_other_stages(loaded, stage), *writing.notes, *_silent_losses(stage, writing)),
    )  # fmt: skip
    text, suffix = emit(ledger, writing, options.style)
    return Conversion(ledger, loaded, text, suffix, loaded.diagnostics, tuple(lines))


def _refuse_other_kinds(to: str, values: dict[str, Any]) -> None:
    kind = values.get("stage.kind")
    if registry.framework(to).name == "verl" and kind not in ("rl", None):
        raise RefusedError(
            f"this is a {kind} run; veRL's main_ppo trains with reinforcement learning only",
            choices=("convert the rl stage of a staged config", "sft: prepare it for verl.trainer.sft_trainer by hand"),
        )


def _silent_losses(stage: StageRead, writing: Writing) -> tuple[str, ...]:
    """What differs although no leaf says so: defaults and fixed behaviours of the source that the target lacks."""
    found = []
    for path, outcome in writing.outcomes.items():
        origin = stage.origins.get(path)
        keys = origin.keys if origin is not None else ()
        if origin is not None and origin.kind is Kind.DEFAULT and path.startswith("stage.data."):
            continue
        if outcome.state in LOSSES and outcome.note and not any(stage.reading.written(key) for key in keys):
            if role_of(without_indices(path)) == "" and stage.values.get(path) is not None:
                found.append(f"{path.removeprefix('stage.')}: {outcome.note}")
    return tuple(dict.fromkeys(found))


def main_stage(loaded: Loaded) -> StageRead:
    """The stage that a single-run target gets: the last one that trains with reinforcement learning, else the last."""
    return next((s for s in reversed(loaded.stages) if s.values.get("stage.kind") == "rl"), loaded.stages[-1])


def _other_stages(loaded: Loaded, stage: StageRead) -> tuple[str, ...]:
    others = [s for s in loaded.stages if s is not stage]
    return tuple(
        f"stage {s.name} ({s.values.get('stage.kind')}) is a run of its own: run it first and start from its checkpoint (rows 11.1, 11.2)"
        for s in others
    )


def _place(
    loaded: Loaded, to: str, values: dict[str, Any], origins: dict[str, Origin], options: Options
) -> list[Decision]:
    if to == loaded.framework:
        return []
    fill_micro_batches(values, origins)
    layout, memory = values.get("stage.placement.layout"), "stage.placement.rollout.gpu_memory_fraction"
    if to == "trinity" and layout == "colocated":
        decisions = placement.disaggregate(values, origins, options.rollout_gpus)
        if values["stage.placement.layout"] == "disaggregated":
            _choose_memory(values, origins, memory, 0.9, "the engine owns its GPUs now; Trinity's default (row 8.2)")
        return decisions
    if to == "verl" and layout == "disaggregated":
        ahead = values.get("stage.sync.run_ahead_rollouts") or 0
        if ahead and registry.at_least("verl", registry.release(registry.framework("verl"), options.to_release), "0.9.0"):
            return placement.separate(values, origins)
        decisions = placement.colocate(values, origins)
        _choose_memory(values, origins, memory, 0.5, "the engine shares its GPUs with the trainer now; veRL's default (row 8.2)")
        return decisions
    if options.rollout_gpus is not None and layout != "colocated":
        raise UsageError("--rollout-gpus: the source already gives its engines GPUs of their own")
    if to == "trinity" and layout in ("disaggregated", "lendable"):
        placement.check_apart(values)
    return []


def _choose_memory(values: dict[str, Any], origins: dict[str, Origin], path: str, share: float, why: str) -> None:
    """A share of a GPU means something else once engines stop, or start, sharing it with the trainer."""
    old = values.get(path)
    if old is not None and old != share:
        values[path] = share
        origins[path] = Origin(Kind.CHOSEN, origins[path].keys, f"{formula(old)} became {share}: {why}")


def _write(
    loaded: Loaded, to: str, number: str, values: dict[str, Any], origins: dict[str, Origin], options: Options
) -> Writing:
    trainer = "megatron" if values.get("stage.placement.actor.backend") == "megatron" and to == "verl" else ""
    known = catalogue.load(to, None, trainer or registry.framework(to).trainer)
    same = to == loaded.framework
    writing = Writing(table_of(to), to, number, trainer or registry.framework(to).trainer, values, origins, same_framework=same,
                      defaults=known.default)  # fmt: skip
    writing.facts.update(form=options.form, rows=main_stage(loaded).reading.facts.get("rows"))
    writing.write_all()
    for path, origin in origins.items():
        if origin.kind is Kind.CHOSEN and path.endswith("gpu_memory_fraction") and path in writing.outcomes:
            writing.outcomes[path] = Outcome(State.NARROWED, writing.outcomes[path].targets, origin.how)
    if same:
        _keep_as_written(main_stage(loaded), writing, loaded.secrets)
    return writing


def _keep_as_written(stage: StageRead, writing: Writing, secrets: frozenset[str]) -> None:
    """Within a framework what is written stays as written; rows only pin defaults that changed with the release."""
    source = stage.reading.source
    written = {key: leaf for key, leaf in source.leaves() if leaf.key not in secrets}
    plain = {without_indices(key) for key in written}
    spoken = {key for row in writing.table.rows if isinstance(row, Fold) and plain & set(row.natives) for key in row.natives}
    known = catalogue.load(writing.framework, writing.release, writing.trainer)
    pins = {
        key: replace(out, always=False)
        for key, out in writing.out.items()
        if key in source.cells and key not in written and source.cells[key].value != known.default(key)
        and without_indices(key) not in spoken and not source.written(key)
    }  # fmt: skip
    reached: dict[str, list[str]] = {}
    for path, origin in stage.origins.items():
        for key in origin.keys:
            reached.setdefault(key, []).append(path)
    kept = {key: Out(source.cells[key].value, tuple(reached.get(key, ())), always=True) for key in written}
    writing.out = {**kept, **pins}
    for key, out in kept.items():
        for path in out.plans:
            writing.outcomes[path] = Outcome(State.EXACT, (key,))


@dataclass(frozen=True, slots=True)
class _Slot:
    """What the release edits carry along: an output with its value."""

    value: Any
    out: Out


def _target_lines(loaded: Loaded, stage: StageRead, writing: Writing) -> list[TargetLine]:
    """Downgrade to the asked release, drop what equals its default, say where each value comes from."""
    newest = {key: _Slot(out.value, out) for key, out in writing.out.items() if out.value is not None or writing.same_framework}
    plus = {key.lstrip("+"): key[: len(key) - len(key.lstrip("+"))] for key in newest}
    bare = {key.lstrip("+"): slot for key, slot in newest.items()}
    done = versions.downgrade(writing.framework, bare, writing.release, trainer=writing.trainer)
    for change in done.changes:
        _account_change(writing, change.key, change.became, change.why, change.lossy)
    known = catalogue.load(writing.framework, writing.release, writing.trainer)
    title, title_to = registry.framework(loaded.framework).title, registry.framework(writing.framework).title
    lines = []
    for key, slot in done.flat.items():
        out = slot.out
        if not out.always and _is_default(known, key, slot.value, out, done.flat):
            _account_default(writing, out, f"the default of {title_to} {writing.release}")
            continue
        if not out.always and not writing.same_framework and _only_tuning(writing, out):
            _account_default(writing, out, f"tuning that nobody wrote: {title_to}'s own default holds")
            continue
        comment, keys = comment_of(out, writing.origins, stage.reading.source, title)
        lines.append(TargetLine(_prefixed(known, key, plus.get(key, "")), slot.value, _basis(out, writing), comment, keys))
    return lines


def _prefixed(known: catalogue.Catalogue, key: str, given: str) -> str:
    """veRL takes keys that its YAML lacks only with `+`."""
    if given or known.framework != "verl":
        return given + key
    found = known.get(key)
    return f"+{key}" if found is None or found.plus_only else key


def _is_default(known: catalogue.Catalogue, key: str, value: Any, out: Out, flat: dict[str, _Slot]) -> bool:
    if out.default is not UNSET and not callable(out.default):
        return bool(value == out.default)
    found = known.get(key)
    if found is None or found.open:
        return False
    if found.interpolation and not callable(out.default):
        return bool(value == _followed(known, found.interpolation, found.default, flat))
    return (bool(value == found.default) and type(value) is type(found.default)) or value == found.default


def _followed(known: catalogue.Catalogue, interpolation: str, default: Any, flat: dict[str, _Slot]) -> Any:
    """A default that repeats another key: that key's value in this output."""
    from rftconf.text.interpolation import Resolver

    texts = {k.name: k.interpolation or k.default for k in known.keys.values() if "[]" not in k.name and not k.plus_only}
    texts.update({key: slot.value for key, slot in flat.items()})
    texts["__followed__"] = interpolation
    done = Resolver(texts).resolve("__followed__")
    return default if done.problem else done.value


def _basis(out: Out, writing: Writing) -> Basis:
    kinds = {writing.origins[p].kind for p in out.plans if p in writing.origins}
    if Kind.CHOSEN in kinds or out.chosen:
        return Basis.CHOSEN
    if out.state is State.DERIVED or Kind.DERIVED in kinds:
        return Basis.DERIVED
    if Kind.WRITTEN in kinds:
        return Basis.WRITTEN
    return Basis.DEFAULT if kinds else Basis.FIXED


def _account_change(writing: Writing, key: str, became: tuple[str, ...], why: str, lossy: bool) -> None:
    """A key renamed or dropped on the way down to the asked release."""
    for path, outcome in list(writing.outcomes.items()):
        if key not in [t.lstrip("+") for t in outcome.targets]:
            continue
        targets = tuple(t for old in outcome.targets for t in (became if old.lstrip("+") == key else (old,)))
        state = State.NO_COUNTERPART if lossy and not became else State.NARROWED if lossy else outcome.state
        if not became and not lossy and not targets:
            state = State.DEFAULT
        note = "; ".join(n for n in (outcome.note, why if lossy or not became else "") if n)
        writing.outcomes[path] = Outcome(state, targets, note)


def _only_tuning(writing: Writing, out: Out) -> bool:
    """True for performance settings that are only the source release's defaults: each framework tunes itself."""
    return bool(out.plans) and all(
        role_of(without_indices(path)) == PERFORMANCE and path in writing.origins and writing.origins[path].kind is Kind.DEFAULT
        for path in out.plans
    )


def _account_default(writing: Writing, out: Out, why: str) -> None:
    for path in out.plans:
        outcome = writing.outcomes[path]
        if outcome.state in (State.EXACT, State.DERIVED) and len(outcome.targets) == 1:
            writing.outcomes[path] = replace(outcome, state=State.DEFAULT, note=why)


def _unresolved(lines: list[TargetLine]) -> list[Decision]:
    """Values that nobody told first, then the variables that the target reads when it starts."""
    found, readers = [], dict[str, list[str]]()
    for line in lines:
        passed = is_symbolic(line.value) and to_interpolation(line.value) is not None
        if line.value == "???" or (is_symbolic(line.value) and not passed):
            names = sorted(names_in(line.value))
            hint = tuple("--rows N" if name == "ROWS" else f"--set {name}=..." for name in names)
            found.append(Decision(line.key, line.comment or "the source does not tell", hint))
        for name in names_in(line.value) if passed else ():
            readers.setdefault(name, []).append(line.key)
    for name, users in readers.items():
        more = f" and {len(users) - 1} more" if len(users) > 1 else ""
        found.append(Decision(users[0], f"${name} is read when the run starts ({users[0]}{more})", (f"--set {name}=... writes its value",)))
    return found


def _place_names(decisions: list[Decision], writing: Writing) -> list[Decision]:
    """Decisions about the plan, under the target's own keys."""
    named = []
    for decision in decisions:
        outcome = writing.outcomes.get(decision.key)
        named.append(replace(decision, key=outcome.targets[0]) if outcome and outcome.targets else decision)
    return named


def _standing(to: str, writing: Writing) -> list[Decision]:
    """Questions that a config cannot answer: do data and rewards fit?"""
    if to == "trinity" and not writing.same_framework and writing.plan("stage.kind") == "rl":
        return [
            Decision("buffer.explorer_input.tasksets[].default_workflow_type", "Trinity asks a workflow for answers and rewards; the source's reward code is not carried over",
                     ("math_workflow", "math_boxed_workflow", "a workflow or reward class of your own")),
            Decision("buffer.explorer_input.tasksets[].format", "veRL's rows hold chat messages and reward_model.ground_truth; Trinity reads the columns named here (row 7.3)",
                     ("check prompt_key and response_key", "or convert the data")),
        ]  # fmt: skip
    if to == "verl" and not writing.same_framework and not writing.plan("stage.reward.function_path"):
        return [Decision("reward.custom_reward_function.path", "Trinity's workflow or reward function does not exist in veRL; its built-in scorer chooses by data_source (row 7.7)",
                         ("write a compute_score and name its file here", "or rely on data_source"))]  # fmt: skip
    return []


def emit(ledger: Ledger, writing: Writing, style: str | None) -> tuple[str, str]:
    """The target's text and its file suffix."""
    target = registry.framework(ledger.target_framework)
    source = registry.framework(ledger.source_framework)
    header = (f"Converted by rftconf from {source.title} {ledger.source_release} to {target.title} {ledger.target_release}.",)
    order = writing.table.sections
    known = catalogue.load(target.name, ledger.target_release, writing.trainer)
    ranked = sorted(ledger.targets, key=lambda line: reading_order(known, order, line.key))
    if target.name == "verl" and style in (None, "sh"):
        from rftconf.text import emit_shell

        options = ["--config-name=ppo_megatron_trainer"] if writing.trainer == "megatron" else []
        return emit_shell.emit(ranked, program=["python3", "-m", "verl.trainer.main_ppo"], options=options, header=header), ".sh"
    if target.name == "verl" and style == "overrides":
        from rftconf.text import emit_shell

        return emit_shell.emit_overrides(ranked), ".txt"
    from rftconf.text import emit_yaml

    bare = [replace(line, key=line.key.lstrip("+")) for line in ranked]
    return emit_yaml.emit(bare, header=header, order=order), ".yaml"


def reading_order(known: catalogue.Catalogue, sections: tuple[str, ...], key: str) -> tuple[Any, ...]:
    """Sections as the framework's own examples order them, keys within as its catalogue does, list items together."""
    bare = key.lstrip("+")
    top = re.split(r"[.\[]", bare)[0]
    indices = [int(i) for i in re.findall(r"\[(\d+)\]", bare)]
    return (sections.index(top) if top in sections else len(sections), *_positions(known, bare, indices))


def _positions(known: catalogue.Catalogue, key: str, indices: list[int]) -> tuple[Any, ...]:
    plain = without_indices(key)
    places = _places(known)
    found: list[Any] = []
    if indices and "[]" in plain:
        listed = plain[: plain.index("[]") + 2]
        found += [places.get(listed, len(places)), indices[0]]
    node = plain
    while node and node not in places:
        node = node.rpartition(".")[0]
    return (*found, places.get(node, len(places)), plain)


@cache
def _places(known: catalogue.Catalogue) -> dict[str, int]:
    """Every key and every node above one, by its first place in the catalogue."""
    places: dict[str, int] = {}
    for at, name in enumerate(known.keys):
        for end in [i for i, char in enumerate(name) if char == "."] + [len(name)]:
            places.setdefault(name[:end], at)
            places.setdefault(name[:end].split("[]")[0] + "[]", at) if "[]" in name[:end] else None
    return places


def plan_of(document: Document, *, framework: str | None = None, release: str | None = None, rows: int | None = None) -> Plan:
    """The plan of a document."""
    return load(document, framework=framework, release=release, rows=rows).plan


__all__ = ["Conversion", "Options", "RefusedError", "convert", "convert_loaded", "load", "plan_of"]
