"""Certificates for tests: of the guide's script, as they are written and as somebody forges them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rftconf.certificate.canonical import canonical, digest_of
from rftconf.cli.app import run
from tests.sources import ROOT

GUIDE = ROOT / "golden" / "convert" / "grpo-guide" / "input.sh"
NAME = "grpo.yaml.certificate.json"


def certified(folder: Path, source: str = "", *more: str) -> Path:
    """A certificate in `folder`, of a copy of the guide's script unless another source is named."""
    source = source or str(shutil.copy(GUIDE, folder / "run.sh"))
    out = folder / "grpo.yaml"
    assert run(["convert", source, "--to", "trinity", "--rows", "7473", "-q", "-o", str(out), "--certify", *more]) == 0
    return folder / NAME


def rewrite(path: Path, change: Callable[[dict[str, Any]], None]) -> None:
    """Change a certificate as somebody would who also puts its digest right."""
    data = json.loads(path.read_text())
    change(data)
    path.write_text(canonical({**data, "digest": digest_of(data)}))
