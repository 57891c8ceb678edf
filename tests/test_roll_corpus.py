"""ROLL's own examples: read, understood as a plan, written again, the same plan and every key."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rftconf.base.errors import RefusedError
from rftconf.base.secrets import is_secret
from rftconf.convert.convert import convert
from rftconf.load.load import load
from rftconf.load.loaded import Loaded
from rftconf.text.keys import child, item
from rftconf.text.omegaconf.interpolation import Resolver
from rftconf.text.read.read import read
from rftconf.text.read.read_options import ReadOptions
from rftconf.text.source import Source, open_source
from tests.sources import SHARED

CORPUS = SHARED / "corpus" / "roll"
FRAGMENTS = "examples__config__"
"""Files that others name in their defaults lists; no configs by themselves."""
BROKEN = {"examples__qwen2.5-0.5B-agentic__agentic_val_webshop": "all of it is commented out"}
FILES = [
    file for file in sorted(CORPUS.glob("*.yaml")) if not file.name.startswith(FRAGMENTS) and file.stem not in BROKEN
]
pytestmark = pytest.mark.skipif(not CORPUS.exists(), reason="../shared/corpus is not here")


def options() -> ReadOptions:
    """The fragments under the names that the configs use."""
    parts = {file.stem.removeprefix(FRAGMENTS): file for file in CORPUS.glob(f"{FRAGMENTS}*.yaml")}
    return ReadOptions(sources={f"config/{name}.yaml": file.read_text() for name, file in parts.items()})


def understood(loaded: Loaded) -> dict[str, Any]:
    """Every plan value that is set."""
    return {path: value for stage in loaded.stages for path, value in stage.values.items() if value is not None}


def resolved(source: Source) -> dict[str, Any]:
    """Every key with its interpolations resolved, whole sections that were taken by name in their leaves; nothing withheld."""
    leaves = {leaf.key: leaf.value for leaf in read(source, options()).leaves}
    resolver = Resolver(leaves)
    values: dict[str, Any] = {}
    for key in leaves:
        value = resolver.resolve(key).value
        values.update(flat(key, value) if isinstance(value, dict) else {key: value})
    return {key: value for key, value in values.items() if not is_secret(key, value)}


def flat(prefix: str, value: Any) -> dict[str, Any]:
    """The leaves of a mapping, and of lists of mappings."""
    if isinstance(value, dict) and value:
        parts = [flat(child(prefix, name), inner) for name, inner in value.items()]
    elif isinstance(value, list) and any(isinstance(inner, dict) for inner in value):
        parts = [flat(item(prefix, index), inner) for index, inner in enumerate(value)]
    else:
        return {prefix: value}
    return {key: leaf for part in parts for key, leaf in part.items()}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_the_same_plan_and_every_key_comes_back(file: Path) -> None:
    source = open_source(file)
    document = read(source, options())
    loaded = load(document)
    assert loaded.framework == "roll"
    done = convert(document, "roll", framework="roll", release=loaded.release, to_release=loaded.release)
    again = Source("again.yaml", done.text)
    back = load(read(again), framework="roll", release=loaded.release)
    assert understood(back) == understood(loaded)
    before, after = resolved(source), resolved(again)
    assert before == after


@pytest.mark.parametrize("to", ["verl", "trinity"])
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_elsewhere_every_key_has_one_state_or_the_run_is_refused_by_name(file: Path, to: str) -> None:
    document = read(open_source(file), options())
    try:
        done = convert(document, to)
    except RefusedError as refused:
        assert len(str(refused).split()) > 5  # noqa: PT017
        return
    keys = [line.key for line in done.ledger.sources]
    assert len(keys) == len(set(keys))
    assert set(keys) == {leaf.key for leaf in document.leaves}
