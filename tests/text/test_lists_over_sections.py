"""Hydra merges no list over a section: the section is taken out before the list is added, as Hydra's own code has it."""

from __future__ import annotations

import subprocess

from hydra._internal.config_loader_impl import ConfigLoaderImpl
from hydra.core.override_parser.overrides_parser import OverridesParser
from omegaconf import OmegaConf

from rftconf.base.ledger import Basis, TargetLine
from rftconf.text.write.emit_shell import emit, emit_overrides

BELOW = {"data": {"train": {"name": "a", "seed": 1}, "files": ["x"]}}
LINES = [
    TargetLine("+data.train", [{"name": "b"}, {"name": "c"}], Basis.WRITTEN, "two sets"),
    TargetLine("data.files", ["y", "z"], Basis.WRITTEN, ""),
]
SECTIONS = frozenset({"data", "data.train"})


def composed(words: list[str]) -> object:
    """The config below with these overrides, as Hydra applies them."""
    config = OmegaConf.create(BELOW)
    ConfigLoaderImpl._apply_overrides_to_config(OverridesParser.create().parse_overrides(words), config)
    return OmegaConf.to_container(config)


def test_a_list_stands_where_a_section_was() -> None:
    script = emit(LINES, program=["printf", r"%s\0"], sections=SECTIONS)
    done = subprocess.run(["bash"], input=script, capture_output=True, check=True, text=True)
    merged = {"data": {"train": [{"name": "b"}, {"name": "c"}], "files": ["y", "z"]}}
    assert composed(done.stdout.split("\0")[:-1]) == merged
    assert composed(emit_overrides(LINES, SECTIONS).splitlines()) == merged
