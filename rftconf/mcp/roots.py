"""A person lets agents read some folders; the guard refuses every other file to whatever answers."""

from __future__ import annotations

import errno
import os
import site
import sys
import sysconfig
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rftconf.base.errors import UsageError

PACKAGE = Path(__file__).resolve().parents[1]
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_LISTS = frozenset({"os.listdir", "os.scandir"})
REFUSED_EVENTS = (
    *("subprocess.", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.fork", "os.startfile", "pty."),
    *("socket.", "os.remove", "os.rename", "os.mkdir", "os.rmdir", "os.link", "os.symlink", "os.truncate"),
    *("os.chmod", "os.chown", "os.utime", "os.setxattr", "os.removexattr", "shutil.", "tempfile.", "ctypes.dlopen"),
)
"""Nothing which only answers ever causes an event whose name begins so."""


@dataclass(frozen=True, slots=True)
class Roots:
    """Files may be read below these folders; symbolic links are resolved."""

    folders: tuple[Path, ...] = ()

    @classmethod
    def of(cls, names: Iterable[str | Path]) -> Roots:
        """Return the roots of folders by name. Raises UsageError for one that is no folder."""
        folders = []
        for name in names:
            folder = Path(os.path.realpath(name))
            if not folder.is_dir():
                raise UsageError(f"--root {name}: no such folder")
            folders.append(folder)
        return cls(tuple(folders))

    def holds(self, path: str | Path) -> bool:
        """True for a path that lies below a root once its links are followed."""
        real = Path(os.path.realpath(path))
        return any(real.is_relative_to(folder) for folder in self.folders)

    def place(self, name: str) -> Path:
        """Return the file that a name means, seen from the roots. Raises UsageError for one outside them."""
        if not self.folders:
            raise UsageError("no file is read: start `rftconf mcp` with --root FOLDER, or give the text itself")
        if "\0" in name:
            raise UsageError("a path holds no NUL")
        places = [Path(os.path.realpath(folder / name)) for folder in self.folders]
        inside = [place for place in places if self.holds(place)]
        if not inside:
            raise UsageError(f"{name}: outside the folders that `rftconf mcp --root` names")
        return next((place for place in inside if place.exists()), inside[0])


def guard(roots: Roots) -> None:
    """Refuse, from now on and in this process, every file outside `roots` but Python's own, all writing, and all else."""
    sys.dont_write_bytecode = True
    sys.addaudithook(_hook(roots, _own_folders(), frozenset(os.path.realpath(entry) for entry in sys.path)))


def _own_folders() -> Roots:
    """Return the folders of Python, of installed packages, and of this package."""
    paths = sysconfig.get_paths()
    names = [paths[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    names += [*site.getsitepackages(), *([site.getusersitepackages()] if site.ENABLE_USER_SITE else [])]
    folders = [os.path.realpath(name) for name in names]
    return Roots((PACKAGE, *(Path(name) for name in dict.fromkeys(folders) if name != "/")))


def _hook(roots: Roots, own: Roots, searched: frozenset[str]) -> Callable[[str, tuple[Any, ...]], None]:
    def refuse(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            path, _, flags = arguments
            if isinstance(path, int):
                return
            if (isinstance(flags, int) and flags & _WRITES) or not _readable(path):
                raise _refusal(path)
        elif event in _LISTS:
            path = arguments[0]
            if not isinstance(path, int) and not _readable(path or "."):
                raise _refusal(path)
        elif event.startswith(REFUSED_EVENTS):
            raise PermissionError(errno.EACCES, f"{event} is refused to tools for agents")

    def _readable(path: Any) -> bool:
        name = os.path.realpath(os.fsdecode(path))
        return roots.holds(name) or own.holds(name) or name in searched

    return refuse


def _refusal(path: Any) -> PermissionError:
    return PermissionError(errno.EACCES, "outside the folders that `rftconf mcp --root` names", os.fsdecode(path))
