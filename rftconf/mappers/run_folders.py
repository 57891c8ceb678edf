"""A run's own folder, which some frameworks have one key for: the plan keeps the root above project and experiment."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rftconf.base.ledger import State
from rftconf.base.record import record
from rftconf.base.symbols import Expr, Text, text
from rftconf.mappers.context import ReadContext, WriteContext
from rftconf.mappers.shapes import OneField

ROOT, PROJECT, EXPERIMENT = (f"identity.{name}" for name in ("checkpoint_root", "project", "experiment"))


def joined(*parts: Any) -> Any:
    """Return a text of parts, known or not."""
    return text(*(part if isinstance(part, (str, Expr)) else str(part) for part in parts))


def above(folder: Any, tail: str | Expr) -> Any:
    """Return a folder without its end; None where it ends otherwise. Unknown names are the same where they are spelled alike."""
    whole = [*(folder.parts if isinstance(folder, Text) else (folder,))]
    end = tail.parts if isinstance(tail, Text) else (tail,)
    if isinstance(whole[-1], str):
        whole[-1] = whole[-1].rstrip("/")
        whole = whole if whole[-1] else whole[:-1]
    first = len(whole) - len(end)
    if first < 0 or whole[first + 1 :] != [*end[1:]]:
        return None
    last, name = whole[first], end[0]
    if not isinstance(last, str) or not isinstance(name, str) or not last.endswith(name):
        return None
    return text(*whole[:first], last.removesuffix(name)) or None


@record
class RunFolder(OneField):
    """`<root>/<project>/<experiment>` under one key.

    `default`: the root where the file does not name the folder, and the sentences for it, read and left unwritten.
    `ends`: the ends of a folder that are the run's names, the longest first. `names` gives project and experiment as they
    are written below the root, without what nobody told. `empty`: the root that an empty folder stands for.
    """

    key: str
    ends: Callable[[Any, Any], tuple[str | Expr, ...]]
    names: Callable[[WriteContext], tuple[Any, ...]]
    default: tuple[str, str, str] | tuple[()] = ()
    empty: str = ""
    always: bool = False
    path: str = ROOT

    def read(self, r: ReadContext) -> None:
        """Set the root: the folder without the run's names."""
        folder = r.native(self.key)
        if self.default and not r.written(self.key):
            r.set(ROOT, self.default[0], self.key, how=self.default[1])
        elif folder == "" and self.empty:
            # os.path.join puts the steps' folders where the run starts; "/…" would be the file system's root
            r.set(ROOT, self.empty, self.key, how="an empty folder is the working directory")
        else:
            ends = self.ends(r.plan(PROJECT), r.plan(EXPERIMENT))
            roots = (above(folder, end) for end in ends)
            r.set(ROOT, next((root for root in roots if root is not None), folder), self.key)

    def write(self, w: WriteContext) -> None:
        """Write the folder of the run, which a file of the same framework has already."""
        root = w.plan(ROOT)
        if root is None:
            return
        if self.default and root in (self.default[0], f"./{self.default[0]}", ""):
            w.lose(ROOT, State.DEFAULT, self.default[2])
            return
        names = () if w.same_framework else self.names(w)
        folder = joined(root, *(part for name in names for part in ("/", name))) if names or self.always else root
        how = ("", "<root>/<name of the run>", "<root>/<project>/<experiment>")[len(names)]
        w.put(self.key, folder, ROOT, state=State.DERIVED, always=self.always, how=how)
