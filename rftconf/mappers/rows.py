"""One correspondence between a framework's key and a plan field, declared once and used in both directions."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypedDict, TypeVar, overload

from rftconf.base.ledger import State
from rftconf.base.record import record
from rftconf.mappers.codecs import Codec, SameType
from rftconf.mappers.context import ReadContext, When, WriteContext
from rftconf.mappers.outcomes import UNSET
from rftconf.mappers.paths import fits, path_of, without_indices

if TYPE_CHECKING:
    from typing_extensions import Required, Unpack

    from rftconf.base.ledger import Decision
    from rftconf.base.symbols import Expr, Value
    from rftconf.mappers.native import Native
    from rftconf.mappers.placing import Target
    from rftconf.plan.fields import Part
    from rftconf.plan.model import Run
    from rftconf.text.document import Leaf

S = TypeVar("S")
P = TypeVar("P")
N = TypeVar("N")
C = TypeVar("C")


@record
class Row:
    """One native key and one plan field. `why` names the code that gives the key its meaning.

    `when`: the key acts only then. `always`: write the key even where it equals the target's default. `alias`: a
    further key for a plan field that another row owns. `mirror`: write the key even while `when` fails (both members
    of a duplicated pair), always or while another condition holds. `read_only`: an old spelling, never written. `absent`: what a release without the key does.
    `default`: the key's default where the catalogue cannot know it (free dictionaries).
    """

    native: str
    plan: str
    codec: Codec[Any, Any]
    why: str
    when: When | None = None
    always: bool = False
    alias: bool = False
    mirror: bool | When = False
    read_only: bool = False
    absent: Any = UNSET
    default: Any = UNSET
    fallbacks: tuple[str, ...] = ()
    """Keys that speak for it while it is not written (for items of lists)."""


@record
class Fold:
    """Several native keys and several plan fields that only make sense together; `when`: nothing of it is done otherwise."""

    natives: tuple[str, ...]
    plans: tuple[str, ...]
    read: Callable[[ReadContext], None]
    write: Callable[[WriteContext], None]
    why: str
    when: When | None = None


@record
class Each:
    """Items of a native list and items of a plan list, row by row. Paths in `rows` are relative to the item."""

    native: str
    plan: str
    rows: tuple[Row, ...]


@record
class Fixed:
    """A plan field that this framework does not let anyone choose; `value` is what its code does."""

    plan: str
    value: Any
    """A value, or a function of the Reading or Writing that gives it."""
    why: str


@record
class Cannot:
    """A plan field (or all below it) that this framework has no control for. `behaves` is what it does instead.

    A plan value equal to `behaves` loses nothing.
    """

    plan: str
    why: str
    behaves: Any = UNSET


@record
class Reason:
    """The fate of native keys without a row. `keys` is a glob over dotted keys; the first that fits counts.

    `since`: the release whose code made it so. For a config of an older one the next reason that fits counts.
    """

    keys: str
    state: State
    why: str
    since: str = ""


@record
class Dialect:
    """A reason not to convert a config as it stands (a fork that counts otherwise, half of a run), and the choices."""

    why: str
    choices: tuple[str, ...]


@record
class Table:
    """All that rftconf knows about one framework's keys, in its newest shape."""

    framework: str
    rows: tuple[Row | Fold | Each | Fixed, ...]
    cannot: tuple[Cannot, ...]
    reasons: tuple[Reason, ...]
    worth: Callable[[Any, Any], Any]
    """`worth(context, unit)`: how many sequences one `unit` is worth here; KeyError when that is not known."""
    target: Target
    """How this framework can place a run."""
    questions: Callable[[WriteContext], list[Decision]]
    """What a person must decide about a run that came from another framework."""
    unset: tuple[Cannot, ...] = ()
    """What this framework's code does where a key that it has is null, with the code that does it."""
    completes: Callable[[WriteContext], None] | None = None
    """Leaves open what this framework does not start without and the source, another framework's, does not tell."""
    trainers: tuple[str, ...] = ()
    """Trainer variants that have such runs; empty for all."""
    kinds: tuple[str, ...] = ("rl",)
    """Kinds of runs that rftconf writes for it."""
    separates_since: str | None = None
    """The release since which a sharing framework can also give engines GPUs of their own."""
    sections: tuple[str, ...] = ()
    dialect: Callable[[ReadContext], Dialect | None] | None = None
    """Whether a config is one that nobody should convert as it stands."""
    exported: str = ""
    """Where a checkpoint has its weights in Hugging Face's format, below the checkpoint's folder."""
    stays: str = ""
    """Why runs of this program cannot be converted for another framework; empty when they can."""
    kind_of: Callable[[Native, str], str] | None = None
    """The kind of run that a config starts under a program, where kinds have tables of their own."""
    decides: Mapping[str, str] = field(default_factory=dict, compare=False)
    """Keys by which the reading goes another way, where they are not known, with what depends on them."""
    respelt: Callable[[WriteContext], Mapping[str, str]] = field(default=lambda _: {})
    """Sections that a kind of run calls otherwise than the rows do, to what it calls them."""
    follows: Mapping[str, str] = field(default_factory=dict, compare=False)
    """Keys that this framework's users write as `${other key}` where both have one value."""
    asleep_by: Mapping[str, str] = field(default_factory=dict, compare=False)
    """The key that makes a run one in which others do nothing, by the reason that their lines give."""
    spelled: Callable[[dict[str, Leaf]], dict[str, Leaf]] | None = None
    """Written leaves under the names that the rows have, where the framework takes several spellings of one key."""
    at_default: Callable[[ReadContext, str, Value], bool] = field(default=lambda *_: False)
    """True for a key whose value is the default in the function that another key names."""
    owners: dict[str, str] = field(default_factory=dict, compare=False)
    told_of: dict[str, Cannot | None] = field(init=False, default_factory=dict, compare=False)
    """What `without_row` found, by plan field."""
    feeding: dict[str, list[int]] = field(init=False, default_factory=dict, compare=False)
    """Plan field to the rows that feed it: the owner, then its aliases."""
    feeding_items: dict[str, list[int]] = field(init=False, default_factory=dict, compare=False)
    """Plan list to the rows that feed its items."""
    absent: dict[str, Any] = field(init=False, default_factory=dict, compare=False)
    """Plan field to what a release without its key does, as the key's own value."""
    reasoned: dict[tuple[str, str | None], Reason | None] = field(init=False, default_factory=dict, compare=False)
    """What was found in `reasons` for keys of a release, kept for the next file."""
    near: dict[str, tuple[Reason, ...]] = field(init=False, default_factory=dict, compare=False)
    """The `reasons` that may fit keys of one section."""
    begins: dict[str, list[tuple[int, str, Reason]]] = field(init=False, default_factory=dict, compare=False)
    """The `reasons` with their place and first name, by that; below "" those whose first name has a wildcard."""

    def __post_init__(self) -> None:
        for index, row in enumerate(self.rows):
            if isinstance(row, Row) and row.absent is not UNSET and not row.alias:
                self.absent[row.plan] = row.absent
            for plan in plans_of(row):
                self.feeding.setdefault(plan, []).append(index)
                if plan in self.owners and not (isinstance(row, Row) and row.alias):
                    raise ValueError(f"{self.framework}: {plan} is owned by {self.owners[plan]} and {natives_of(row)}")
                self.owners.setdefault(plan, ", ".join(natives_of(row)))
        for plan, rows in self.feeding.items():
            for end in (match.start() for match in re.finditer(re.escape("[]."), plan)):
                self.feeding_items.setdefault(plan[:end], []).extend(rows)

    def lacking(self, path: str) -> Cannot | None:
        """Return what is said of a plan field (indices allowed) that no key tells; None where nothing is said."""
        plain = without_indices(path)
        if plain not in self.feeding:
            return self.without_row(plain)
        return next((lack for lack in self.unset if fits(plain, lack.plan)), None)

    def without_row(self, plain: str) -> Cannot | None:
        """Return what is said of a plan field (items as `[]`) that has no row here; None where nothing is said."""
        if plain not in self.told_of:
            self.told_of[plain] = next((lack for lack in self.cannot if fits(plain, lack.plan)), None)
        return self.told_of[plain]


def plans_of(row: Row | Fold | Each | Fixed) -> tuple[str, ...]:
    """The plan fields a row feeds; items of lists as `list[].field`."""
    if isinstance(row, Fold):
        return row.plans
    if isinstance(row, Each):
        return tuple(f"{row.plan}[].{item.plan}" for item in row.rows)
    return (row.plan,)


def natives_of(row: Row | Fold | Each | Fixed) -> tuple[str, ...]:
    """The native keys a row speaks for."""
    if isinstance(row, Fold):
        return row.natives
    if isinstance(row, Each):
        return tuple(f"{row.native}[].{item.native}" for item in row.rows)
    return (row.native,) if isinstance(row, Row) else ()


_Get: TypeAlias = "Callable[[S], N | Expr | None]"
"""How a lambda names a key or a field: of a type, known or not."""
_Words: TypeAlias = "str | list[str | Expr] | list[float | Expr]"
_Tree: TypeAlias = "list[Any] | dict[str, Any] | Part"


class _Options(TypedDict, total=False):
    """The optional arguments of a `Row`, as `rows_of` takes them."""

    why: Required[str]
    when: When | None
    always: bool
    alias: bool
    mirror: bool | When
    read_only: bool
    absent: Any
    default: Any


class rows_of(Generic[S, P]):  # noqa: N801 - `row = rows_of(...)` makes the tables read as tables
    """Makes rows whose two lambdas are checked against the framework's schema and the plan."""

    @overload
    def __call__(
        self, native: _Get[S, bool], plan: _Get[P, bool], codec: SameType, **more: Unpack[_Options]
    ) -> Row: ...
    @overload
    def __call__(self, native: _Get[S, int], plan: _Get[P, int], codec: SameType, **more: Unpack[_Options]) -> Row: ...
    @overload
    def __call__(
        self, native: _Get[S, float], plan: _Get[P, float], codec: SameType, **more: Unpack[_Options]
    ) -> Row: ...
    @overload
    def __call__(
        self, native: _Get[S, _Words], plan: _Get[P, _Words], codec: SameType, **more: Unpack[_Options]
    ) -> Row: ...
    @overload
    def __call__(
        self, native: _Get[S, _Tree], plan: _Get[P, _Tree], codec: SameType, **more: Unpack[_Options]
    ) -> Row: ...
    @overload
    def __call__(self, native: _Get[S, N], plan: _Get[P, C], codec: Codec[N, C], **more: Unpack[_Options]) -> Row: ...
    def __call__(self, native: Any, plan: Any, codec: Codec[Any, Any], **more: Any) -> Row:
        """One row. The lambdas name the keys; they are never given a config.

        mypy compares the types of key, field and codec: `same` takes two of one type, so that each type has a signature.
        """
        return Row(path_of(native), path_of(plan), codec, **more)

    def each(self, native: Callable[[S], Any], plan: Callable[[P], Any], rows: tuple[Row, ...]) -> Each:
        """Rows for the items of a list."""
        return Each(path_of(native), path_of(plan), rows)


def fixed(plan: Callable[[Run], Any], value: Any, *, why: str) -> Fixed:
    """A behaviour nobody can choose here."""
    return Fixed(path_of(plan), value, why)


def cannot(plan: Callable[[Run], Any] | str, *, why: str, behaves: Any = UNSET) -> Cannot:
    """A plan field without a control here."""
    return Cannot(path_of(plan), why, behaves)


def reasons_for(state: State, why: str, *keys: str, since: str = "") -> tuple[Reason, ...]:
    """One reason for several keys."""
    return tuple(Reason(key, state, why, since) for key in keys)


def reasons_below(state: State, why: str, nodes: tuple[str, ...], *names: str, since: str = "") -> tuple[Reason, ...]:
    """One reason for the same names below several sections."""
    return tuple(Reason(f"{node}.{name}", state, why, since) for node in nodes for name in names)
