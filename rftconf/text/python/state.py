"""The state of a Python text at one statement: names by scope, and objects; two states become one behind a branch."""

from __future__ import annotations

from rftconf.base.span import Place
from rftconf.text.python.values import Datum, Instance, Opaque, Ref, same

MAX_STEPS = 60_000
"""Steps that are followed in one text; a launcher of a thousand lines takes some 5,000."""
_COPIED = 20
"""Names that are copied for one step."""
UNDECIDED = "it depends on a condition that the text does not decide"


class Budget(Exception):  # noqa: N818
    """The text asks for more than the reader follows."""


class State:
    """Names of the scopes around a statement, the innermost last, and objects by number."""

    def __init__(self) -> None:
        self.frames: list[dict[str, Datum]] = [{}]
        self.objects: dict[int, Instance] = {}
        self.steps = 0
        self._made = 0

    def spend(self, count: int = 1) -> None:
        """Count work; raise Budget when there was too much."""
        self.steps += count
        if self.steps > MAX_STEPS:
            raise Budget

    def make(self, kind: str, place: Place, fields: dict[str, Datum] | None = None) -> Ref:
        """Make an object."""
        self._made += 1
        self.spend(1 + len(fields or ()) // _COPIED)
        self.objects[self._made] = Instance(kind, place, dict(fields or {}))
        return Ref(self._made)

    def instance(self, value: object) -> Instance | None:
        """Return the object that a value is; None for any other value."""
        return self.objects.get(value.number) if isinstance(value, Ref) else None

    def look_up(self, name: str) -> Datum | None:
        """Return the value of a name, from the innermost scope that has it."""
        return next((frame[name] for frame in reversed(self.frames) if name in frame), None)

    def bind(self, name: str, datum: Datum) -> None:
        """Give a name of the innermost scope a value."""
        self.frames[-1][name] = datum

    def kept(self) -> tuple[list[dict[str, Datum]], dict[int, Instance]]:
        """Return names and objects as they are now; what follows does not change them."""
        self.spend(1 + (sum(map(len, self.frames)) + len(self.objects)) // _COPIED)
        return [dict(frame) for frame in self.frames], {
            number: instance.copy() for number, instance in self.objects.items()
        }

    def go_back(self, saved: tuple[list[dict[str, Datum]], dict[int, Instance]]) -> None:
        """Go back to what `kept` returned; objects made since stay, for something may hold them."""
        frames, objects = saved
        new = {number: instance for number, instance in self.objects.items() if number not in objects}
        self.frames = [dict(frame) for frame in frames]
        self.objects = {number: instance.copy() for number, instance in objects.items()} | new

    def merge(self, other: tuple[list[dict[str, Datum]], dict[int, Instance]], place: Place) -> None:
        """Let what another way led to hold as well: what the two do not agree on is open."""
        frames, objects = other
        for frame, theirs in zip(self.frames, frames, strict=False):
            _merge(frame, theirs, place, absent=False)
        for number, instance in objects.items():
            mine = self.objects.get(number)
            if mine is None:
                self.objects[number] = instance
            else:
                _merge(mine.fields, instance.fields, place, absent=True)
                mine.unread = tuple(dict.fromkeys((*mine.unread, *instance.unread)))


def _merge(mine: dict[str, Datum], theirs: dict[str, Datum], place: Place, *, absent: bool) -> None:
    """Open what differs. A field that one way alone writes is open; a name that one way alone binds has its value there."""
    for name, datum in theirs.items():
        own = mine.get(name)
        if own is None:
            mine[name] = _opened(datum, place) if absent else datum
        elif not same(own, datum):
            mine[name] = _opened(own if own.place.span.start >= datum.place.span.start else datum, place)
    if absent:
        mine |= {name: _opened(datum, place) for name, datum in mine.items() if name not in theirs}


def _opened(datum: Datum, place: Place) -> Datum:
    return Datum(Opaque(f"{UNDECIDED} (line {place.span.line})"), datum.place, datum.via, datum.name_place)
