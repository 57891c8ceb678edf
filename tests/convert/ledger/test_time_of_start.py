"""`${now:...}` is Hydra's own: kept for loaders that use Hydra, asked for elsewhere."""

from __future__ import annotations

import pytest

from rftconf.convert.convert import Conversion, convert
from rftconf.lint.examples import block, tree
from rftconf.text.read.read import read
from rftconf.text.source import Source
from tests.lint.bases import ROLL


def converted(to: str) -> Conversion:
    lines = tree([*ROLL, "checkpoint_config.output_dir=/out/${now:%Y%m%d}/models"])
    return convert(read(Source("run.yaml", "\n".join(block(lines, 0)))), to)


@pytest.mark.parametrize("to", ["verl", "chatlearn"])
def test_hydra_tells_the_time(to: str) -> None:
    assert "${now:%Y%m%d}" in converted(to).text.replace("\\$", "$")


def test_trinity_does_not_know_the_time() -> None:
    conversion = converted("trinity")
    assert "now:" not in conversion.text
    decisions = {decision.key: decision for decision in conversion.ledger.decisions}
    assert "known only when the run starts" in decisions["checkpoint_root_dir"].why
