"""The target's side of the ledger: keys in the asked release's shape, without its defaults, with provenance."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

from rftconf.base.ledger import Basis, State, TargetLine
from rftconf.base.symbols import Expr, Now, ShellOnly, Text, Value, formula, names_in, open_keys, to_shell
from rftconf.convert.ledger.keys_with_sections import leave_out_covered
from rftconf.convert.ledger.own_tuning import fills_more, holds_no_sequence, left_to_the_target
from rftconf.convert.ledger.provenance import comment_of
from rftconf.mappers.native import Native
from rftconf.mappers.not_taken import Slot, account_change, leave_out_what_is_not_taken, newest_names
from rftconf.mappers.outcomes import UNSET, Out
from rftconf.mappers.placing import LAYOUT
from rftconf.mappers.writing import Writing
from rftconf.plan.origin import Kind
from rftconf.schemas import catalogue, registry, versions
from rftconf.schemas.resolvers import functions_for

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rftconf.text.document import Leaf
    from rftconf.text.key_tree import Tree


def target_lines(source: Native, writing: Writing) -> list[TargetLine]:
    """Downgrade to the asked release, drop what equals its default, say where each value comes from."""
    outs = {key: out for key, out in writing.out.items() if out.value is not None or out.null or writing.same_framework}
    newest = {key: Slot(out.value, out) for key, out in outs.items()}
    plus = {key.lstrip("+"): key[: len(key) - len(key.lstrip("+"))] for key in newest}
    bare = {key.lstrip("+"): slot for key, slot in newest.items()}
    done = versions.downgrade(writing.framework, bare, writing.release, trainer=writing.trainer)
    as_written: set[str] = set()
    slots = _as_it_was(source, writing, bare)
    for change in done.changes:
        if change.key in slots and not change.became and slots[change.key][0].key not in done.flat:
            leaf, slot = slots[change.key]
            done.flat[leaf.key], plus[leaf.key] = slot, leaf.mode.value
            as_written.add(leaf.key)
            continue
        old_slot = None if change.became or change.lossy else bare.get(change.key)
        behaviour = "" if old_slot is None else _does_otherwise(writing, old_slot.out)
        account_change(writing, change.key, change.became, behaviour or change.why, change.lossy or bool(behaviour))
    known = catalogue.load(writing.framework, writing.release, writing.trainer)
    leave_out_what_is_not_taken(done.flat, bare, known, writing, source.release)
    title, title_to = (registry.framework(side.framework).title for side in (source, writing))
    lines, names = [], writing.table.respelt(writing)
    for key, slot in done.flat.items():
        out = slot.out
        settled = versions.reason_value_is_fixed(writing.framework, writing.release, key)
        if settled is not None and not _is_default(known, key, slot, done.flat, writing):
            account_change(writing, key, (), settled, _basis(out, writing) is Basis.WRITTEN)
            continue
        if not out.always and _is_default(known, key, slot, done.flat, writing):
            _account_default(writing, out, f"the default of {title_to} {writing.release}")
            continue
        if not out.always and not writing.same_framework and _only_tuning(writing, known, key, done.flat):
            _account_default(writing, out, f"tuning that nobody wrote: {title_to}'s own default holds")
            continue
        comment, keys = comment_of(out, writing.origins, source, title)
        name = plus.get(key, "") + key if key in as_written else _prefixed(known, key, slot.value, plus.get(key, ""))
        value = _as_the_loader_has_it(writing, slot.value)
        lines.append(TargetLine(respelt(name, names), value, _basis(out, writing), comment, keys))
    for path, outcome in writing.outcomes.items() if names else ():
        targets = tuple(respelt(target, names) for target in outcome.targets)
        writing.outcomes[path] = replace(outcome, targets=targets)
    return leave_out_covered(lines, writing, newest_names(done.flat, bare))


def with_key_of_program(lines: list[TargetLine], writing: Writing, style: str | None) -> list[TargetLine]:
    """The lines, and where a text names no program a key that only its own has, so that it is no other program's text.

    Nothing is added where the program is the framework's usual one, or where one of its keys is written.
    """
    recipe = registry.framework(writing.framework).recipes.get(writing.trainer)
    if recipe is None or style not in ("yaml", "overrides"):
        return lines
    known = catalogue.load(writing.framework, writing.release, writing.trainer).written_defaults
    own = {key: value for key, value in known.items() if _is_within(key, recipe.own_key) and value is not None}
    if not own or any(_is_within(line.key.lstrip("+"), recipe.own_key) for line in lines):
        return lines
    key = next(iter(own))
    why = f"its default; {recipe.program} has the key and other programs lack it"
    return [*lines, TargetLine(key, own[key], Basis.FIXED, why)]


def _is_within(key: str, section: str) -> bool:
    return key == section or key.startswith(f"{section}.")


def _as_the_loader_has_it(writing: Writing, value: Value) -> Value:
    known = registry.framework(writing.framework)
    value = value if known.interpolates else without_variables(value)
    return value if known.tells_time else without_clock(value)


def without_variables(value: Value) -> Value:
    """`value` for a loader that takes text as it stands: what a variable holds is what only a shell could tell."""
    match value:
        case list():
            return [without_variables(item) for item in value]
        case dict():
            return {key: without_variables(item) for key, item in value.items()}
        case Expr() if not open_keys(value):
            return ShellOnly(to_shell(value), tuple(sorted(names_in(value))))
    return value


def without_clock(value: Value) -> Value:
    """`value` for a loader without Hydra's `${now:...}`: the time is what only a shell could tell."""
    match value:
        case Now():
            return ShellOnly(to_shell(value))
        case Text(parts):
            return Text(tuple(ShellOnly(to_shell(part)) if isinstance(part, Now) else part for part in parts))
        case list():
            return [without_clock(item) for item in value]
        case dict():
            return {key: without_clock(item) for key, item in value.items()}
    return value


def respelt(key: str, names: Mapping[str, str]) -> str:
    """A key below a section that this run calls otherwise."""
    old = next((section for section in names if key.startswith(f"{section}.")), None)
    return key if old is None else names[old] + key.removeprefix(old)


def _as_it_was(source: Native, writing: Writing, slots: dict[str, Slot]) -> dict[str, tuple[Leaf, Slot]]:
    """The file's own keys by both names, newest and own: at its own release they stay, whatever a catalogue knows of them."""
    if not writing.same_framework or source.release != writing.release:
        return {}
    return {name: (leaf, slots[key]) for key, leaf in source.leaves() if key in slots for name in (key, leaf.key)}


def _prefixed(known: catalogue.Catalogue, key: str, value: Any, given_key: str) -> str:
    """Hydra takes keys that the release's own YAML lacks only with `+`, and so a mapping's own: `x: {}`, `+x={a: 1}`.

    A key that is there already it refuses to add, whatever prefix another release asked for.
    """
    if given_key == "++" or not registry.framework(known.framework).adds_with_plus:
        return given_key + key
    entry = known.get(key)
    below = [known.get(f"{key}.{name}") for name in value] if isinstance(value, dict) else []
    adds = entry is None or entry.plus_only or (entry.open and bool(below))
    adds = adds or any(inner is None or inner.plus_only for inner in below)
    return f"+{key}" if adds else key


def _is_default(known: catalogue.Catalogue, key: str, slot: Slot, flat: dict[str, Slot], writing: Writing) -> bool:
    out, value = slot.out, slot.value
    if value == {} and not writing.same_framework:
        return True  # merged over the default, it changes nothing
    if out.default is not UNSET:
        return bool(value == out.usual(writing))
    entry = known.get(key)
    if entry is None or entry.open:
        return value in ({}, None) and entry is not None and not entry.default
    if entry.interpolation:
        return bool(value == _followed(known, entry, flat))
    return (bool(value == entry.default) and type(value) is type(entry.default)) or value == entry.default


def _followed(known: catalogue.Catalogue, entry: catalogue.Key, flat: dict[str, Slot]) -> Any:
    """A default that repeats another key: that key's value in this output."""
    from rftconf.text.omegaconf.interpolation import Resolver

    texts = {**{key: slot.value for key, slot in flat.items()}, entry.name: entry.interpolation}
    done = Resolver(texts, defaults=_tree(known), functions=functions_for(known.framework)).resolve(entry.name)
    return entry.default if done.problem else done.value


@cache
def _tree(known: catalogue.Catalogue) -> Tree:
    from rftconf.text.key_tree import Tree

    return Tree(known.written_defaults)


def _basis(out: Out, writing: Writing) -> Basis:
    kinds = {writing.origins[p].kind for p in out.plans if p in writing.origins}
    if Kind.CHOSEN in kinds or out.chosen:
        return Basis.CHOSEN
    if out.state is State.DERIVED or Kind.DERIVED in kinds:
        return Basis.DERIVED
    if Kind.WRITTEN in kinds:
        return Basis.WRITTEN
    return Basis.DEFAULT if kinds else Basis.FIXED


def _does_otherwise(writing: Writing, out: Out) -> str:
    """Return a note where a release without the key does not do what is wanted: the newest one's default is another."""
    behaviours = (writing.table.absent.get(path, UNSET) for path in out.plans)
    absent = next((value for value in behaviours if value is not UNSET), UNSET)
    if absent is UNSET or absent is None or out.value == absent or writing.same_framework:
        return ""
    title = registry.framework(writing.framework).title
    return f"{title} {writing.release} has no such key and does as with {formula(absent)}"


def _only_tuning(writing: Writing, known: catalogue.Catalogue, key: str, flat: dict[str, Slot]) -> bool:
    """True for performance settings that are only the source release's defaults, and that each framework tunes itself."""
    out = flat[key].out
    shares = writing.plan(LAYOUT) == "colocated"
    tuning = [path for path in out.plans if left_to_the_target(path, writing.plan(path), shares_gpus=shares)]
    if any(
        _switches_what_is_written(writing, path)
        or _must_be_stated(writing, known, key, flat, path)
        or fills_more(writing, path)
        or holds_no_sequence(writing, path)
        for path in tuning
    ):
        return False
    return bool(tuning) and all(
        path in tuning and path in writing.origins and writing.origins[path].kind is Kind.DEFAULT for path in out.plans
    )


def _switches_what_is_written(writing: Writing, path: str) -> bool:
    """True for the choice of micro-batches by tokens or sequences where the file gives their size: it goes with it."""
    block, _, last = path.rpartition(".")
    size = f"{block}.{'tokens_per_rank' if writing.plan(path) is True else 'sequences_per_rank'}"
    origin = writing.origins.get(size) if last == "dynamic" else None
    return origin is not None and origin.kind is Kind.WRITTEN and writing.plan(size) is not None


def _must_be_stated(writing: Writing, known: catalogue.Catalogue, key: str, flat: dict[str, Slot], path: str) -> bool:
    """True for the fixed size of micro-batches where the target has no default of its own: it stops without one. Where
    updates fill micro-batches with tokens, targets' other passes do so too by their own default."""
    block, _, last = path.rpartition(".")
    fills = [writing.plan(f"{path}.dynamic") for path in (block, "stage.batch.micro")]
    if last != "sequences_per_rank" or any(fill is True or isinstance(fill, Expr) for fill in fills):
        return False
    out, entry = flat[key].out, known.get(key)
    if out.default is not UNSET:
        return out.usual(writing) is None
    return entry is not None and (_followed(known, entry, flat) if entry.interpolation else entry.default) is None


def _account_default(writing: Writing, out: Out, why: str) -> None:
    for path in out.plans:
        outcome = writing.outcomes[path]
        if outcome.state in (State.EXACT, State.DERIVED) and len(outcome.targets) == 1:
            writing.outcomes[path] = replace(outcome, state=State.DEFAULT, note=why)
