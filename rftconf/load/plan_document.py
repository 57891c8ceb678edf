"""A plan that was written as a document, understood as if its source had just been read.

What it was made from is not there any more: each value of the plan is a leaf of its own, and the keys that only the
source's framework understands stand under their native names.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rftconf.base.diagnostics import Diagnostic, Severity
from rftconf.base.errors import UsageError
from rftconf.base.symbols import Value, formula, names_in
from rftconf.load import release_defaults as silence
from rftconf.load.loaded import Loaded
from rftconf.load.refuse_unreadable import refuse_unreadable
from rftconf.load.stage import StageRead
from rftconf.load.withhold_secrets import reference
from rftconf.mappers.facts import Facts
from rftconf.mappers.native import Cell, Native
from rftconf.mappers.reading import Reading
from rftconf.mappers.tables import table_of
from rftconf.plan.flat import flat_stages
from rftconf.plan.kinds import WITH_ROLLOUTS
from rftconf.plan.origin import Kind, Origin
from rftconf.plan.substitution import substitute
from rftconf.schemas import registry
from rftconf.schemas.guess import Guess
from rftconf.text.document import Document, Leaf
from rftconf.text.read.read_plan import Path, Tree, tree_of

if TYPE_CHECKING:
    from pydantic import ValidationError

    from rftconf.plan.fields import Part
    from rftconf.plan.model import Plan, Stage


def load_plan(
    document: Document, *, framework: str | None = None, release: str | None = None, rows: int | None = None
) -> Loaded:
    """Understand a plan. Raises UnreadableError for what is none, UsageError for a framework that it is not of."""
    plan, problems = plan_of(document)
    if plan is None:
        refuse_unreadable(replace(document, diagnostics=(*document.diagnostics, *problems)))
        raise AssertionError("a plan without problems is a plan")
    plan = _bound(plan, document.environment, rows)
    guess = _source(plan, framework, release)
    tree = tree_of(document.name, document.text)
    facts = Facts(rows=rows, rows_asked=rows is not None, unsettled=plan.source.unsettled, is_plan=True)
    own = plan.extensions.get(guess.framework, {})
    extensions = {
        key: Cell(value, _leaf(tree, ("extensions", guess.framework, key), value)) for key, value in own.items()
    }
    stages, secrets = [], set[str]()
    for index, values in enumerate(flat_stages(plan, nulls=True)):
        stage = _Stage(plan, guess, tree, index)
        withheld = {path for path, value in values.items() if document.secrets.are_in(stage.key(path), value)}
        secrets |= {stage.key(path) for path in withheld}
        referred = {path: reference(stage.key(path), values[path], document.secrets) for path in withheld}
        reading = stage.reading({**values, **referred}, extensions, facts)
        stages.append(StageRead(values.get("stage.name"), reading))
    stages[0].reading.beyond |= {key: own[key] for key in plan.beyond if key in own}
    leaves = {leaf.key: leaf for stage in stages for _, leaf in stage.reading.source.leaves()}
    leaves |= {key: _leaf(tree, (), None, key) for key in secrets}
    document = replace(document, leaves=tuple(leaves.values()))
    loaded = Loaded(
        document, guess, table_of(guess.framework), stages, document.diagnostics, dict(own), frozenset(secrets)
    )
    loaded.known_plan = plan
    return loaded


def _bound(plan: Plan, environment: Mapping[str, Value], rows: int | None) -> Plan:
    """The plan with what the command line says of names that it leaves open, and of the rows of its data."""
    known: dict[str, Value] = dict(environment) | ({} if rows is None else {"ROWS": rows})
    if not known:
        return plan
    bound = plan.model_copy(deep=True)
    _bind(bound, known, "")
    for stage in bound.stages if rows is not None else ():
        stage.run_length.rollouts = _periods(stage, rows)
    return bound


def _bind(part: Part, known: Mapping[str, Value], path: str) -> None:
    """Put what is known into every field of a part. Raises UsageError for a value that a field does not take."""
    from rftconf.plan.fields import Part

    for name in part.model_fields_set:
        value, field = getattr(part, name), f"{path}.{name}" if path else name
        for index, item in enumerate(value if isinstance(value, list) else [value]):
            if isinstance(item, Part):
                _bind(item, known, f"{field}[{index}]" if isinstance(value, list) else field)
        names = names_in(value) & known.keys()
        if names:
            try:
                type(part).__pydantic_validator__.validate_assignment(part, name, substitute(value, known))
            except ValueError as error:
                givens = ", ".join(f"{name}={known[name]}" for name in sorted(names))
                raise UsageError(f"{givens} is nothing that {field} = {formula(value)} takes") from error


def _periods(stage: Stage, rows: int | None) -> Any:
    """Rollout periods of the run where its epochs are its only limit, and its data's rows are told."""
    size, length = stage.batch.prompts_per_rollout, stage.run_length
    known = all(isinstance(value, int) for value in (rows, size, length.epochs))
    if length.rollouts is not None or not known or stage.kind not in WITH_ROLLOUTS:
        return length.rollouts
    epochs: Any = length.epochs
    whole: Any = rows
    if length.last_partial == "drop":
        return whole // size * epochs
    return whole * epochs // size if length.last_partial == "carry" else None


def plan_of(document: Document) -> tuple[Plan | None, list[Diagnostic]]:
    """The typed plan, or what is wrong with it, each at its place."""
    from pydantic import ValidationError

    from rftconf.plan.fields import DOCUMENT
    from rftconf.plan.model import Plan

    tree = tree_of(document.name, document.text)
    if tree.problems:
        return None, []
    try:
        plan = Plan.model_validate(tree.data, context={DOCUMENT: True})
    except ValidationError as error:
        return None, list(_problems(error, tree))
    if not plan.stages:
        return None, [Diagnostic("SYN702", Severity.ERROR, "a plan has at least one stage", tree.place(("stages",)))]
    return plan, []


def _problems(error: ValidationError, tree: Tree) -> Iterator[Diagnostic]:
    """One for each place: a field that may hold several types gives a message for each of them."""
    by_place: dict[Path, list[Any]] = {}
    for problem in error.errors(include_url=False):
        by_place.setdefault(_path(tree, problem), []).append(problem)
    for path, problems in by_place.items():
        if problems[0]["type"] == "extra_forbidden":
            yield Diagnostic(
                "SYN702", Severity.ERROR, f"the plan has no field {_dotted(path)}", tree.keys.get(path, tree.place(path)),
                help=_nearest(path),
            )  # fmt: skip
            continue
        expected = "; or ".join(dict.fromkeys(p["msg"].lower().removeprefix("value error, ") for p in problems))
        yield Diagnostic("SYN702", Severity.ERROR, f"{_dotted(path)}: {expected}", tree.place(path))


def _path(tree: Tree, problem: Any) -> Path:
    """The part of the document that a problem is about: as far as its path leads, for it ends in names of types."""
    path: Path = ()
    for part in problem["loc"]:
        if (*path, part) not in tree.places:
            break
        path = (*path, part)
    return path


def _dotted(path: Path) -> str:
    from rftconf.text.read.read_plan import dotted

    return dotted(path) or "the document"


def _nearest(path: Path) -> str:
    """The field that was most likely meant, of the part that has the unknown one."""
    near = difflib.get_close_matches(str(path[-1]), _fields_beside(path), n=1, cutoff=0.6)
    return f"did you mean {near[0]}?" if near else "rftconf schema plan prints every field"


def _fields_beside(path: Path) -> list[str]:
    from typing import get_args

    from rftconf.plan.fields import Part
    from rftconf.plan.model import Plan

    model: type[Part] = Plan
    for part in path[:-1]:
        info = model.model_fields.get(str(part))
        if info is None:
            continue
        types = (info.annotation, *get_args(info.annotation))
        model = next(
            (annotation for annotation in types if isinstance(annotation, type) and issubclass(annotation, Part)), model
        )
    return list(model.model_fields)


def _source(plan: Plan, framework: str | None, release: str | None) -> Guess:
    """Whose run it is: as the plan says, or as the command line does where it is silent."""
    name = plan.source.framework or framework
    if name is None:
        raise UsageError("the plan does not say whose run it is (source.framework): name it with --from")
    known = registry.framework(name)
    number = registry.release(known, plan.source.release or release)
    for value, requested in ((known.name, framework and registry.framework(framework).name), (number, release)):
        if requested is not None and requested != value:
            raise UsageError(f"the plan was made from {known.title} {number}, not from {requested}")
    backend = plan.stages[0].placement.actor.backend
    trainer = plan.source.trainer or (backend if backend in known.trainers else known.trainer)
    return Guess(known.name, number, str(trainer), (), certain=True)


class _Stage:
    """One stage of the plan on its way to a reading."""

    def __init__(self, plan: Plan, guess: Guess, tree: Tree, index: int) -> None:
        self.plan, self.found, self.tree, self.index = plan, guess, tree, index

    def key(self, path: str) -> str:
        """The plan's own path of a stage's value."""
        return path.replace("stage.", f"stages[{self.index}].", 1) if path.startswith("stage.") else path

    def reading(self, values: Mapping[str, Any], extensions: Mapping[str, Cell], facts: Facts) -> Reading:
        """A reading that is done: each value has its leaf, and no row is left to run."""
        cells = {self.key(path): Cell(value, self.leaf(path, value)) for path, value in values.items()} | dict(
            extensions
        )
        defaults = silence.of(self.found.framework, self.found.release, self.found.trainer).defaults
        added = {key: len(defaults.at) + index for index, key in enumerate(cells)}
        whole = {**defaults.cells, **cells}
        native = Native(*self.names, whole, defaults, added, tuple(cells))
        reading = Reading(table_of(self.found.framework, values.get("stage.kind")), native)
        reading.values.update(values)
        reading.origins.update({path: self.origin(path) for path in values})
        reading.facts = replace(facts)
        reading.finish()
        return reading

    @property
    def names(self) -> tuple[str, str, str]:
        """Framework, release and trainer."""
        return self.found.framework, self.found.release, self.found.trainer

    def leaf(self, path: str, value: Any) -> Leaf:
        """The value with its place in the document."""
        return _leaf(self.tree, tuple(_parts(self.key(path))), value)

    def origin(self, path: str) -> Origin:
        """Return the value's origin: its key in the plan, with the kind that the plan states, else written."""
        key = self.key(path)
        why = self.plan.origins.get(key)
        return Origin(Kind(why.kind) if why is not None else Kind.WRITTEN, (key,), why.how if why is not None else "")


def _parts(key: str) -> Iterator[str | int]:
    for name in key.split("."):
        head, *indices = name.split("[")
        yield head
        yield from (int(index.removesuffix("]")) for index in indices)


def _leaf(tree: Tree, path: Path, value: Any, key: str = "") -> Leaf:
    place = tree.place(path)
    return Leaf(key or _dotted(path), value, place, tree.keys.get(path, place))
