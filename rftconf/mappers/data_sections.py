"""A shape for data sets that are a section or a list of them, with a section of what holds for all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from rftconf.base.ledger import State
from rftconf.base.record import record
from rftconf.base.symbols import MISSING, formula
from rftconf.mappers.context import ReadContext, WriteContext
from rftconf.mappers.files import looks_local
from rftconf.mappers.shapes import leave_open, lose_known

D = "stage.data."
URI, REWARD = "uri", "reward"


@record
class DataSections:
    """Data sets under the keys `groups` (for `train` and `eval`), and `common` with what a set does not say itself.

    `own` is the key of a set with the name of one that the framework ships, `path` of one that its class `of_files` opens;
    `names` are further keys by fields of the plan. `share`: the key of the part of a set's rows that validates; a set
    from another framework has none.
    `since`: the first release with sections; before it one set has keys that are found by moves of single keys.
    """

    groups: Mapping[str, str]
    common: str
    own: str
    path: str
    of_files: str
    names: Mapping[str, str]
    share: str
    since: str
    mixing: ClassVar[str] = D + "mixing"

    @property
    def natives(self) -> tuple[str, ...]:
        """Return the keys of sets, in a section and in a list."""
        keys = (self.own, self.path, *self.names.values())
        nodes = [f"{section}{mark}" for section in self.groups.values() for mark in ("", "[]")]
        return (*self.groups.values(), *(f"{node}.{key}" for node in (*nodes, self.common) for key in keys))

    @property
    def plans(self) -> tuple[str, ...]:
        """Return the fields of sets, and how they are mixed."""
        return (*(f"{D}{group}[].{name}" for group in self.groups for name in (URI, *self.names)), self.mixing)

    def read(self, r: ReadContext) -> None:
        """Set each data set; what one does not say holds for all."""
        usual = r.source.branch(self.common)
        for group, section in self.groups.items():
            items = [
                (node, item)
                for node, item in self._items(r, section)
                if self._is_named({**usual, **_with_values(item)})
            ]
            for index, (node, item) in enumerate(items):
                self._read_set(r, f"{D}{group}[{index}].", node, item, usual)
                self._note_share(r, f"{node}.{self.share}", {**usual, **_with_values(item)}.get(self.share))
            if group == "train":
                r.set(self.mixing, "concat" if len(items) > 1 else None, section)

    def _items(self, r: ReadContext, section: str) -> list[tuple[str, dict[str, Any]]]:
        nodes = [f"{section}[{index}]" for index in range(r.source.count(section))]
        items = [(node, branch) for node in nodes if (branch := r.source.branch(node))]
        if items:
            return items
        value = r.native(section)
        if isinstance(value, list):
            return [(section, item) for item in value if isinstance(item, dict)]
        branch = {**(value if isinstance(value, dict) else {}), **r.source.branch(section)}
        return [(section, branch)] if any(item is not None for item in branch.values()) else []

    def _is_named(self, item: dict[str, Any]) -> bool:
        """True for a set that says what it is."""
        return any(item.get(key) is not None for key in (self.own, self.path))

    def _read_set(self, r: ReadContext, prefix: str, node: str, item: dict[str, Any], usual: dict[str, Any]) -> None:
        item = {**{key: usual.get(key) for key in (self.own, self.path)}, **_with_values(item)}
        opened = item.get(self.path)
        key = self.own if opened is None else self.path
        r.set(prefix + URI, item.get(self.own) if opened is None else opened, f"{node}.{key}", node)
        if opened is not None and r.written(f"{node}.{self.own}"):
            r.narrowed[f"{node}.{self.own}"] = "the class that opens the file; the rows are what it makes of them"
        for field, name in self.names.items():
            value, place = (item.get(name), node) if item.get(name) is not None else (usual.get(name), self.common)
            r.set(prefix + field, value, f"{place}.{name}")

    def _note_share(self, r: ReadContext, key: str, value: Any) -> None:
        """Tell of rows that only validate where nobody wrote so; a written key has its reason."""
        if value not in (None, 0) and not r.written(key):
            r.note(f"{key}={formula(value)}, the default: this share of the rows validates, and is not trained on")

    def write(self, w: WriteContext) -> None:
        """Write a section for one set, and a list for several."""
        for group, section in self.groups.items():
            count = w.items(D + group)
            if not count:
                if group == "train" and not w.same_framework:
                    leave_open(w, section, "the source names no data")
                continue
            sets = [self._set(w, f"{D}{group}[{index}].") for index in range(count)]
            fields_written = [
                f"{D}{group}[{index}].{name}" for index in range(count) for name in (URI, *self.names) if name != REWARD
            ]
            paths = [path for path in fields_written if w.plan(path) is not None]
            if w.since(self.since):
                w.put(section, sets[0] if count == 1 else sets, *paths, state=State.DERIVED, always=True)
            else:
                self._write_keys(w, group, section, sets[0], paths)
            for index in range(count):
                why = f"an environment of {self.common}.{self.names.get(REWARD, '')} scores answers"
                lose_known(w, State.NARROWED, why, f"{D}{group}[{index}].{REWARD}")
        mixed = w.plan(self.mixing) not in ("concat", None) and w.items(D + "train") > 1
        why = "sets are put one behind the other"
        lose_known(w, State.NARROWED if mixed else State.DEFAULT, why, self.mixing)

    def _write_keys(self, w: WriteContext, group: str, section: str, item: Mapping[str, Any], paths: list[str]) -> None:
        """Write one set key by key; such a release has no place for a second, nor for a file that validates."""
        first, fields = f"{D}{group}[0].", {name: field for field, name in self.names.items()}
        fields |= dict.fromkeys((self.own, self.path), URI)
        own = {} if group != "train" and self.path in item else {key: item[key] for key in fields if key in item}
        for key, value in own.items():
            node = self.common if fields[key].startswith("keys.") else section
            w.put(f"{node}.{key}", value, first + fields[key], state=State.DERIVED, always=True)
        written = {first + fields[key] for key in own}
        why = "this release reads one data set, and names no file that validates"
        lose_known(w, State.NO_COUNTERPART, why, *(path for path in paths if path not in written))

    def _set(self, w: WriteContext, prefix: str) -> dict[str, Any]:
        uri = w.plan(prefix + URI)
        shipped = isinstance(uri, str) and not looks_local(uri) and "/" not in uri
        named = {self.own: uri} if shipped else {self.own: self.of_files, self.path: MISSING if uri is None else uri}
        fields = {name: w.plan(prefix + field) for field, name in self.names.items() if field != REWARD}
        more = {} if w.same_framework else {self.share: 0}
        return {**named, **{name: value for name, value in fields.items() if value is not None}, **more}


@record
class TextAround:
    """Keys that name files whose text stands around each question, which no other framework reads.

    `why` says that of the source; rows of another framework are asked as they lie.
    """

    natives: tuple[str, ...]
    why: str
    plans: ClassVar[tuple[str, ...]] = ()

    def read(self, r: ReadContext) -> None:
        """Tell of every file that is named, also by default."""
        for key in self.natives:
            value = r.native(key)
            if value is None:
                continue
            r.narrowed[key] = self.why
            r.beyond[key] = value
            if not r.written(key):
                r.note(f"{key}={formula(value)}, the default: {self.why}")

    def write(self, w: WriteContext) -> None:
        """Leave out the files that the framework's own config names."""
        for key in self.natives:
            if not w.same_framework and w.effective(key) is not None:
                w.put(key, None, always=True, null=True, how="questions are asked as the rows have them")


def _with_values(item: dict[str, Any]) -> dict[str, Any]:
    """The keys of a set that have a value."""
    return {key: value for key, value in item.items() if value is not None}
