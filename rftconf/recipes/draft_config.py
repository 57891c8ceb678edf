"""A draft as the framework's own file, read back and priced: what is promised is what the file says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from rftconf.base.errors import RefusedError
from rftconf.base.ledger import Decision, Ledger, State
from rftconf.budget.facts.gpus import Gpu
from rftconf.budget.price import Budget, price
from rftconf.budget.roles.plan_view import plan_view
from rftconf.budget.roles.roles import Setup
from rftconf.budget.roles.setup import BudgetRequest, setup_of
from rftconf.convert.ledger.target_ledger import target_lines
from rftconf.convert.output import emit, writes_script
from rftconf.convert.questions.decisions import once_each
from rftconf.convert.questions.open_values import unresolved
from rftconf.load.load import load
from rftconf.mappers.facts import Facts
from rftconf.mappers.native import Native, indexed
from rftconf.mappers.paths import without_indices
from rftconf.mappers.placing import MEMORY, place
from rftconf.mappers.tables import table_of
from rftconf.mappers.writing import Writing
from rftconf.plan.field_roles import PERFORMANCE
from rftconf.plan.index import role_of
from rftconf.plan.origin import Origin
from rftconf.recipes.draft import EVAL_DATA, TRAIN_DATA, Draft, Request
from rftconf.schemas import catalogue, registry
from rftconf.text.document import Document
from rftconf.text.read.read import read
from rftconf.text.source import from_bytes


class NotPlacedError(RefusedError):
    """The GPUs cannot be split as the framework needs them."""


GIVEN_BY = {TRAIN_DATA: "--data", EVAL_DATA: "--eval-data"}
GONE = frozenset({State.NO_COUNTERPART, State.UNKNOWN, State.UNRESOLVED, State.DEAD_IN_TARGET})


@dataclass(frozen=True, slots=True)
class Written:
    """A config; `lost` says what of the recipe came out otherwise, `decisions` what only a person can tell."""

    request: Request
    ledger: Ledger
    writing: Writing
    lost: tuple[str, ...]
    decisions: tuple[Decision, ...]

    def text(self, header: Sequence[str] = ()) -> tuple[str, str]:
        """The file and its suffix."""
        return emit(self.ledger, self.writing, None, header or None)

    def document(self, header: Sequence[str] = ()) -> Document:
        """The file as anybody would read it."""
        text, suffix = self.text(header)
        return read(from_bytes(f"new{suffix}", text.encode()))

    def setup(self) -> Setup:
        """Return the inputs of the run's memory account, read from the file."""
        loaded = load(self.document(), framework=self.request.framework, release=self.request.release)
        view = plan_view((s.values for s in loaded.stages), loaded.framework, loaded.release, loaded.extensions)
        return setup_of(view, BudgetRequest(model=self.request.model))

    def priced(self, gpu: Gpu) -> Budget:
        """The memory account of the run on `gpu`."""
        return price(self.setup(), gpu)


def write_draft(request: Request, drafted: Draft) -> Written:
    """Write a draft.

    Raises NotPlacedError where no placement is legal, and RefusedError for a recipe that the framework cannot express.
    """
    target = registry.framework(request.framework)
    values, origins = _place_roles(request, drafted)
    trainer = target.trainer
    known = catalogue.load(target.name, None, trainer)
    writing = Writing(
        table_of(target.name, "rl"),
        target.name,
        request.release,
        trainer,
        values,
        origins,
        defaults=known.default,
        knows=known.__contains__,
    )
    writing.facts = Facts(rows=request.rows)
    try:
        writing.write_all()
    except RefusedError as refused:
        raise _cannot(request, refused.message) from None
    lines = target_lines(Native(target.name, request.release, trainer, {}, indexed({})), writing)
    _refuse_another_algorithm(request, writing)
    open_ones = [_by_option(d) for d in unresolved(lines, writing, shell=writes_script(target.family, None))]
    decisions = [
        *open_ones,
        *(replace(d, why=_of_recipe(d.why)) for d in writing.decisions),
        *request.program.decisions,
    ]
    requested_release = (request.framework, request.release)
    ledger = Ledger(*requested_release, *requested_release, (), tuple(lines), tuple(decisions))
    return Written(request, ledger, writing, _lost_values(request, writing), once_each(decisions))


def _place_roles(request: Request, drafted: Draft) -> tuple[dict[str, Any], dict[str, Origin]]:
    """Place the roles as the framework does; the engines' share of memory stays, as it was sized for these places."""
    values, origins = dict(drafted.values), dict(drafted.origins)
    fraction = values[MEMORY], origins[MEMORY]
    try:
        place(table_of(request.framework, "rl").target, values, origins, rollout_gpus=None, may_separate=False)
    except RefusedError as refused:
        raise NotPlacedError(refused.message, choices=refused.choices) from None
    values[MEMORY], origins[MEMORY] = fraction
    return values, origins


def able(request: Request, drafted: Draft) -> bool:
    """True when the framework can express the recipe."""
    try:
        write_draft(request, drafted)
    except NotPlacedError:
        return True
    except RefusedError:
        return False
    return True


def _cannot(request: Request, why: str) -> RefusedError:
    title = registry.framework(request.framework).title
    return RefusedError(
        f"{title} {request.release} cannot express the {request.recipe.title} recipe: {_of_recipe(why)}"
    )


def _of_recipe(sentence: str) -> str:
    """Sentences of the tables speak of a source; here that is the recipe."""
    return sentence.replace("the source", "the recipe")


def _refuse_another_algorithm(request: Request, writing: Writing) -> None:
    """A recipe without what defines it is another algorithm."""
    recipe = request.recipe
    for path in (*recipe.defining, *recipe.near):
        outcome = writing.outcomes.get(path)
        if outcome is None:
            continue
        if outcome.state in GONE or (outcome.state is State.NARROWED and path in recipe.defining):
            raise _cannot(request, f"{_plain(path)}: {outcome.note or 'there is no control for it'}")


def _lost_values(request: Request, writing: Writing) -> tuple[str, ...]:
    """Values of the recipe that came out otherwise, in words; what changes speed alone is left to the framework."""
    values: dict[str, list[str]] = {}
    for path in request.recipe.values:
        outcome = writing.outcomes.get(path)
        if outcome is None or outcome.state not in GONE | {State.NARROWED, State.ROUNDED}:
            continue
        if role_of(without_indices(path)) != PERFORMANCE and not path.startswith("stage.model_options."):
            values.setdefault(_of_recipe(outcome.note), []).append(_plain(path))
    return tuple(f"{', '.join(paths)}: {note}" for note, paths in values.items() if note)


def _by_option(open_one: Decision) -> Decision:
    """Variables that stand for files are given by options here."""
    option = next((option for name, option in GIVEN_BY.items() if open_one.key == f"${name}"), None)
    if option is None:
        return replace(open_one, why=_of_recipe(open_one.why))
    return replace(open_one, choices=(f"{option} FILE writes it",))


def _plain(path: str) -> str:
    return path.removeprefix("stage.")
