"""The target's text: YAML, a launch script or bare overrides, in the order its users are used to."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

from rftconf.base.errors import RefusedError
from rftconf.base.ledger import Basis, Ledger, TargetLine
from rftconf.base.symbols import Expr, text
from rftconf.mappers.native import nodes_above
from rftconf.mappers.paths import without_indices
from rftconf.mappers.writing import Writing
from rftconf.report.wording import without_citations
from rftconf.schemas import catalogue, registry
from rftconf.schemas.framework import Framework
from rftconf.schemas.guess import guess
from rftconf.text.keys import segments

if TYPE_CHECKING:
    from rftconf.convert.script_on_template import ScriptContent


def writes_script(framework: str, style: str | None) -> bool:
    """True when the target's text is a launch script, which can compute what YAML cannot."""
    known = registry.framework(framework)
    return (style or known.usual_form) in {*known.forms} - {"yaml"}


def content_of(ledger: Ledger, writing: Writing) -> ScriptContent:
    """Return the content that a launcher on top of a template has to state."""
    from rftconf.convert.script_on_template import ScriptContent

    return ScriptContent(
        writing.table,
        writing.values,
        frozenset(path for line in ledger.sources for path in line.plan),
        keeps_template=bool(writing.facts.shipped) and ledger.source_release == ledger.target_release,
    )


def stated_on_template(ledger: Ledger, writing: Writing, style: str | None) -> tuple[str, list[TargetLine]]:
    """The template that the output starts from, empty for an output that stands alone, and what is stated besides the lines."""
    launcher = registry.framework(writing.framework).launcher
    if launcher is None:
        return "", []
    from rftconf.convert.script_on_template import of_template, undone

    known = catalogue.load(writing.framework, ledger.target_release, writing.trainer)
    if style != "sh":
        return "", of_template(known, ledger.targets) if content_of(ledger, writing).keeps_template else []
    return launcher.template(known.trainer), undone(known, ledger.targets, content_of(ledger, writing))


def emit(ledger: Ledger, writing: Writing, style: str | None, header: Sequence[str] | None = None) -> tuple[str, str]:
    """The target's text and its file suffix; `header` stands above it instead of where it was converted from."""
    target = registry.framework(ledger.target_framework)
    source = registry.framework(ledger.source_framework)
    runs = f"{source.title} {ledger.source_release} to {target.title} {ledger.target_release}"
    header = (f"Converted by rftconf from {runs}.",) if header is None else header
    order, known = writing.table.sections, catalogue.load(target.name, ledger.target_release, writing.trainer)
    key_order = first_seen(line.key for line in ledger.targets)
    shown_lines = (replace(line, comment=without_citations(line.comment)) for line in ledger.targets)
    ranked = sorted(shown_lines, key=lambda line: reading_order(known, order, line.key, key_order))
    groups = target.config_groups.get(writing.trainer, ()) if writing.trainer != target.trainer else ()
    ranked = whole_lists(ranked, known) if target.adds_with_plus and writes_script(target.family, style) else ranked
    sections = _sections_below(known, target)
    if target.adds_with_plus and style in (None, "sh"):
        from rftconf.text.write import emit_shell

        recipe = target.recipes.get(writing.trainer)
        plain = recipe.name if recipe else target.trainer
        options = [*groups] if groups or writing.trainer == plain else [_config_name(target, writing)]
        program = ["python3", "-m", recipe.program] if recipe else _program(target, ledger.target_release, writing)
        return emit_shell.emit(ranked, program=program, options=options, header=header, sections=sections), ".sh"
    if target.adds_with_plus and style == "overrides":
        from rftconf.text.write import emit_shell

        if not groups:
            _refuse_nameless(target, ledger.target_release, writing.trainer, ranked)
        return "".join(f"{word}\n" for word in groups) + emit_shell.emit_overrides(ranked, sections), ".txt"
    if target.launcher is not None and style == "sh":
        from rftconf.convert.script_on_template import script

        return script(target.launcher, known, ranked, content_of(ledger, writing), header), ".sh"
    if target.command and (style or target.usual_form) == "sh":
        from rftconf.text.write import emit_options

        return emit_options.emit(ranked, program=target.command, header=header, switches=target.switches), ".sh"
    from rftconf.text.write import emit_yaml

    ranked = [*ranked, *stated_on_template(ledger, writing, style)[1]]
    bare = [replace(line, key=line.key.lstrip("+")) for line in followed(ranked, writing.table.follows)]
    base = _base_of(target)
    _refuse_lists_over_sections(bare, sections if base else frozenset())
    return emit_yaml.emit([*base, *bare], header=header, order=(*(line.key for line in base), *order)), ".yaml"


def _base_of(target: Framework) -> list[TargetLine]:
    """Return the line that names the shipped config below a YAML; none where a config stands alone."""
    why = "what is not written here; a path as seen from this file"
    return [TargetLine("defaults", target.inherits, Basis.FIXED, why)] if target.inherits else []


def _sections_below(known: catalogue.Catalogue, target: Framework) -> frozenset[str]:
    """Every section of the config that lies below overrides of a framework."""
    if not target.adds_with_plus:
        return frozenset()
    return frozenset(node for key in known.written_defaults for node in nodes_above(key))


def _refuse_lists_over_sections(lines: Sequence[TargetLine], sections: frozenset[str]) -> None:
    """Raise RefusedError for a list where the config below has a section, over which no YAML puts one."""
    for line in lines:
        if isinstance(line.value, list) and line.key in sections:
            why = f"{line.key} is a list here and a section of the config below, and OmegaConf merges neither into the other"
            raise RefusedError(why, choices=("--as sh", "--as overrides"))


def _refuse_nameless(target: Framework, release: str, trainer: str, lines: Sequence[TargetLine]) -> None:
    """Raise RefusedError for bare overrides of a config that is not the usual one and that none of them gives away."""
    if trainer == target.trainer or trainer not in target.config_names:
        return
    values = {line.key.lstrip("+"): line.value for line in lines}
    if guess(values, overrides=True, framework=target.name, release=release).trainer != trainer:
        name = target.config_names[trainer]
        why = f"bare overrides do not say that they are for {target.title}'s {name}, and other defaults would lie below them"
        raise RefusedError(why, choices=("--as sh", "--as yaml"))


def _config_name(target: Framework, writing: Writing) -> str:
    return f"--config-name={target.config_names[writing.trainer]}"


def _program(target: Framework, release: str, writing: Writing) -> list[str | Expr]:
    """Return the command that starts the program: under torchrun where it has one process per GPU and no own Ray."""
    if target.command:
        return list(target.command)
    starter = starter_of(target, release, writing)
    if not starter:
        return ["python3", "-m", target.mains[-1] if target.of else target.mains[0]]
    alone = ["--standalone"] if starter["nnodes"] == 1 else []
    options = [text(f"--{name}=", value if isinstance(value, Expr) else str(value)) for name, value in starter.items()]
    return ["torchrun", *alone, *options, "-m", target.mains[0]]


def starter_of(target: Framework, release: str, writing: Writing) -> dict[str, Any]:
    """torchrun's options, where a run of the target is started under it: nodes, and processes (GPUs) of each."""
    if not target.spmd_until or not registry.at_least(target.name, target.spmd_until, release):
        return {}
    nodes, processes = (writing.plan(path) for path in ("cluster.nodes", "cluster.gpus_per_node"))
    return {"nnodes": 1 if nodes is None else nodes, "nproc_per_node": 1 if processes is None else processes}


def whole_lists(lines: Sequence[TargetLine], known: catalogue.Catalogue) -> list[TargetLine]:
    """Items of lists as one line a list, as overrides have them: Hydra takes no `key[0]`."""
    target_lines: list[TargetLine] = []
    lists: dict[str, int] = {}
    for line in lines:
        bare = line.key.lstrip("+")
        base, bracket, _ = bare.partition("[")
        if not bracket or not bare[len(base) + 1 : len(base) + 2].isdigit():
            target_lines.append(line)
            continue
        if base not in lists:
            own = known.get(base)
            lists[base] = len(target_lines)
            target_lines.append(replace(line, key=f"+{base}" if own is None or own.plus_only else base, value=[]))
        list_line = target_lines[lists[base]]
        comment = "; ".join(dict.fromkeys(filter(None, (list_line.comment, line.comment))))
        whole = _with_item(list_line.value, segments(bare[len(base) :]), line.value)
        target_lines[lists[base]] = replace(list_line, value=whole, comment=comment)
    return target_lines


def _with_item(list_items: Any, steps: tuple[str | int, ...], value: Any) -> Any:
    """A list or mapping, which may not be there yet, with a value put in by its steps."""
    if not steps:
        return value
    first, *deeper = steps
    if isinstance(first, int):
        items = [*list_items] if isinstance(list_items, list) else []
        items += [None] * (first + 1 - len(items))
        items[first] = _with_item(items[first], tuple(deeper), value)
        return items
    entries = list_items if isinstance(list_items, dict) else {}
    return {**entries, first: _with_item(entries.get(first), tuple(deeper), value)}


def followed(lines: Sequence[TargetLine], follows: Mapping[str, str]) -> list[TargetLine]:
    """Copies of another line's value as `${its key}`, where the target's users write them so."""
    values = {line.key: line.value for line in lines}
    plain = (str, int, float, bool)
    return [
        replace(line, value=f"${{{leader}}}")
        if (leader := follows.get(line.key)) in values
        and values[leader] == line.value != "???"
        and isinstance(line.value, plain)
        else line
        for line in lines
    ]


def reading_order(
    known: catalogue.Catalogue, sections: tuple[str, ...], key: str, order: Mapping[str, int] | None = None
) -> tuple[Any, ...]:
    """Sections as the framework's own examples order them, keys within as its catalogue does, list items together.

    Entries of named mappings stand in `order`.
    """
    bare = key.lstrip("+")
    top = re.split(r"[.\[]", bare)[0]
    indices = [int(i) for i in re.findall(r"\[(\d+)\]", bare)]
    position = (
        sections.index(top) if top in sections else len(sections),
        *_positions(known, bare, indices, order or {}),
    )
    return tuple((0, part, "") if isinstance(part, int) else (1, 0, part) for part in position)


def first_seen(keys: Iterable[str]) -> dict[str, int]:
    """Every node and list of some keys without their indices, numbered by its first appearance."""
    order: dict[str, int] = {}
    for key in map(without_indices, keys):
        for end in [i for i, char in enumerate(key) if char in ".["] + [len(key)]:
            order.setdefault(key[:end], len(order))
    return order


def _positions(known: catalogue.Catalogue, key: str, indices: list[int], order: Mapping[str, int]) -> tuple[Any, ...]:
    plain = without_indices(key)
    places, lists = _places(known), list[Any]()
    if indices and "[]" in plain:
        lists = [places.get(plain[: plain.index("[]") + 2], len(places)), indices[0]]
    positions, node = lists, plain
    entry_and_key = _named_entry(known, plain)
    if entry_and_key:
        entry, inner = entry_and_key[0].removesuffix("[]"), entry_and_key[1]
        above = entry.rpartition(".")[0]
        named = [places.get(above, len(places)), order.get(entry, len(order))]
        # an entry may be a list, or have one, and may itself stand in an item of one
        positions = [*lists, *named] if "[]" in entry else [*named, *lists]
        plain, node = inner, f"{above}<*>.{inner}" if inner else f"{above}<*>"
    while node and node not in places:
        node = node.rpartition(".")[0]
    return (*positions, places.get(node, len(places)), plain)


def _named_entry(known: catalogue.Catalogue, plain: str) -> tuple[str, str] | None:
    """An entry of a named mapping and what stands below it: `rewards.math` and `worker_cls`.

    Where a loader takes any key, a mapping that the catalogue has no entries of is one of named entries too.
    """
    canonical = known.canonical(plain)
    if "<*>" in canonical:
        above = canonical.partition("<*>")[0]
        entry, _, inner = plain[len(above) + 1 :].partition(".")
        return f"{above}.{entry}", inner
    if registry.framework(known.framework).drops_unknown and canonical not in known.keys:
        above = plain
        while above and above not in known.keys:
            above = above.rpartition(".")[0]
        if above:
            entry, _, inner = plain[len(above) + 1 :].partition(".")
            return f"{above}.{entry}", inner
    return None


@cache
def _places(known: catalogue.Catalogue) -> dict[str, int]:
    """Every key and every node above one, by its first place in the catalogue."""
    places: dict[str, int] = {}
    for index, name in enumerate(known.keys):
        for end in [i for i, char in enumerate(name) if char == "."] + [len(name)]:
            places.setdefault(name[:end], index)
            places.setdefault(name[:end].split("[]")[0] + "[]", index) if "[]" in name[:end] else None
    return places
