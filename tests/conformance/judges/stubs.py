"""Stand-ins for the packages that need a GPU (vLLM, SGLang, flash-attn ...), where they are not installed.

A stand-in can be imported, subclassed, called and used as a decorator, and does nothing: enough for the modules that
read and validate a config.
"""

import importlib.machinery
import importlib.metadata
import importlib.util
import sys
import types
from importlib.abc import Loader, MetaPathFinder


def is_dunder(name):
    return name.startswith("__") and name.endswith("__")


class AnyClassMeta(type):
    """Attributes of a stand-in class are stand-in classes."""

    def __getattr__(cls, name):
        if is_dunder(name):
            raise AttributeError(name)
        made = AnyClassMeta(name, (AnyClass,), {"__module__": cls.__module__})
        setattr(cls, name, made)
        return made

    def __or__(cls, other):
        return cls

    __ror__ = __or__

    def __getitem__(cls, item):
        return cls

    def __iter__(cls):
        return iter(())


class AnyClass(metaclass=AnyClassMeta):
    """Usable as base class, decorator, callable and generic."""

    def __init__(self, *args, **kwargs):
        pass

    def __call__(self, *args, **kwargs):
        decorates = len(args) == 1 and not kwargs and callable(args[0])
        return args[0] if decorates else AnyClass()

    def __getattr__(self, name):
        if is_dunder(name):
            raise AttributeError(name)
        return AnyClass()


class AnyModule(types.ModuleType):
    """A module in which every name is a stand-in class."""

    def __getattr__(self, name):
        if is_dunder(name):
            raise AttributeError(name)
        made = AnyClassMeta(name, (AnyClass,), {"__module__": self.__name__})
        setattr(self, name, made)
        return made


class StandInFinder(MetaPathFinder, Loader):
    """Finds what nothing else found, for the packages it was made for."""

    def __init__(self, versions, refused):
        self.versions = versions
        self.refused = refused

    def find_spec(self, fullname, path=None, target=None):
        if fullname in self.refused:
            raise ModuleNotFoundError(f"No module named {fullname!r}", name=fullname)
        if fullname.split(".")[0] in self.versions:
            return importlib.machinery.ModuleSpec(fullname, self, is_package=True)
        return None

    def create_module(self, spec):
        module = AnyModule(spec.name)
        module.__path__ = []
        module.__version__ = self.versions[spec.name.split(".")[0]]
        return module

    def exec_module(self, module):
        pass


def stand_in_for(versions, refused=()):
    """Let each package of `versions` (name to version) that is absent be imported; `refused` modules stay absent."""
    absent = {name: version for name, version in versions.items() if importlib.util.find_spec(name) is None}
    sys.meta_path.append(StandInFinder(absent, set(refused)))
    real = importlib.metadata.version

    def version(name):
        return absent[name] if name in absent else real(name)

    importlib.metadata.version = version
