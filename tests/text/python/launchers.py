"""Launchers in Python for tests, and what is read of them."""

from __future__ import annotations

from rftconf.base.symbols import OpenKey, Value
from rftconf.text.document import Document
from rftconf.text.read.read import read
from rftconf.text.read.read_options import ReadOptions
from rftconf.text.source import Source

HEAD = "import os\nfrom trl import GRPOConfig, GRPOTrainer\n"


def launcher(body: str, options: ReadOptions | None = None, **files: str) -> Document:
    """The document of a launcher whose first lines import TRL's classes."""
    sources = {name.replace("_", ".", 1): text for name, text in files.items()}
    return read(Source("train.py", HEAD + body), options or ReadOptions(sources=sources))


def values(body: str, options: ReadOptions | None = None, **files: str) -> dict[str, Value]:
    """Keys and values of a launcher; what is open has its key as its value."""
    document = launcher(body, options, **files)
    assert document.readable, document.diagnostics
    return {leaf.key: leaf.value for leaf in document.last().values()}


def config(arguments: str, before: str = "", options: ReadOptions | None = None) -> dict[str, Value]:
    """Keys of a config alone."""
    return values(f"{before}\nargs = GRPOConfig({arguments})\n", options)


def opened(key: str) -> OpenKey:
    """The value of a key that stays open."""
    return OpenKey(key)
