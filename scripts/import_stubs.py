"""Stand-ins for GPU packages, so that a framework's config modules import on a machine without them."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.metadata
import importlib.util
import sys
import types
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any


def _is_dunder(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


class _StubType(type):
    def __getattr__(cls, name: str) -> Any:
        if _is_dunder(name):
            raise AttributeError(name)
        stub = _StubType(name, (_Stub,), {"__module__": cls.__module__})
        setattr(cls, name, stub)
        return stub

    def __or__(cls, other: object) -> Any:
        return cls

    __ror__ = __or__

    def __getitem__(cls, item: object) -> Any:
        return cls

    def __iter__(cls) -> Iterator[Any]:
        return iter(())


class _Stub(metaclass=_StubType):
    """Usable as base class, decorator, callable and generic; does nothing."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        pass

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return args[0] if len(args) == 1 and not kwargs and callable(args[0]) else _Stub()

    def __getattr__(self, name: str) -> Any:
        if _is_dunder(name):
            raise AttributeError(name)
        return _Stub()


class _StubModule(types.ModuleType):
    def __getattr__(self, name: str) -> Any:
        if _is_dunder(name):
            raise AttributeError(name)
        stub = _StubType(name, (_Stub,), {"__module__": self.__name__})
        setattr(self, name, stub)
        return stub


class _StubFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def __init__(self, packages: Iterable[str], versions: Mapping[str, str], refused: Iterable[str]) -> None:
        self._packages, self._versions, self._refused = frozenset(packages), versions, frozenset(refused)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        del path, target
        if fullname in self._refused:
            raise ModuleNotFoundError(f"No module named {fullname!r}", name=fullname)
        if fullname.partition(".")[0] in self._packages:
            return importlib.machinery.ModuleSpec(fullname, self, is_package=True)
        return None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        module = _StubModule(spec.name)
        module.__path__ = []
        module.__dict__["__version__"] = self._versions.get(spec.name.partition(".")[0], "0.0.0")
        return module

    def exec_module(self, module: types.ModuleType) -> None:
        pass


Stub = _Stub
"""A class that can be made and called with anything and does nothing."""


class _Replacing(_StubFinder):
    """Stands in for whole modules, also where they could be imported."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        del path, target
        is_replaced = any(fullname == name or fullname.startswith(name + ".") for name in self._packages)
        return importlib.machinery.ModuleSpec(fullname, self, is_package=True) if is_replaced else None


def replace(modules: Iterable[str]) -> None:
    """Stand in for `modules` and all below them, installed or not."""
    sys.meta_path.insert(0, _Replacing(modules, {}, ()))


def install(packages: Iterable[str], versions: Mapping[str, str], refused: Iterable[str] = ()) -> None:
    """Stand in for those of `packages` that are not installed; `refused` modules of them stay missing."""
    missing = [name for name in packages if importlib.util.find_spec(name) is None]
    sys.meta_path.append(_StubFinder(missing, versions, refused))
    real = importlib.metadata.version
    stubbed = {name: versions[name] for name in missing if name in versions}

    def version(distribution_name: str) -> str:
        return stubbed.get(distribution_name) or real(distribution_name)

    importlib.metadata.version = version
