"""Verdicts against Hydra itself on veRL's published YAML. RFTCONF_PACKAGES names the folder of unpacked packages."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from rftconf.schemas import catalogue
from rftconf.schemas.acceptance import Verdict, judge
from rftconf.schemas.registry import VERL
from tests.schemas.shared import CORPUS, needs_corpus

PACKAGES = Path(os.environ.get("RFTCONF_PACKAGES", "/nonexistent"))
pytestmark = [
    needs_corpus,
    pytest.mark.skipif(not PACKAGES.exists(), reason="RFTCONF_PACKAGES names no folder of unpacked packages"),
]
REFUSED = (Verdict.UNKNOWN, Verdict.NEEDS_PLUS, Verdict.CANNOT_APPEND)


@pytest.mark.parametrize("release", VERL.releases)
def test_hydra_accepts_what_we_accept(release: str) -> None:
    """Every twelfth published script of each date: the whole script is composed, or some key of it is refused."""
    hydra, parser = pytest.importorskip("hydra"), pytest.importorskip("hydra.core.override_parser.overrides_parser")
    errors = pytest.importorskip("hydra.errors")
    lines = [
        line
        for path in sorted((CORPUS / "verl_argv").glob("*.jsonl"))
        for line in path.read_text(encoding="utf-8").splitlines()[::12]
    ]
    folder = PACKAGES / f"verl-{release}" / "verl" / "trainer" / "config"
    with hydra.initialize_config_dir(str(folder.resolve()), version_base=None):
        for line in lines:
            arguments = json.loads(line)["overrides"]
            trainer = "megatron" if any("megatron" in text for text in arguments if text.startswith("--")) else "fsdp"
            overrides = [text for text in arguments if not text.startswith("--") and "hydra" not in text]
            try:
                parsed = parser.OverridesParser.create().parse_overrides(overrides)
                hydra.compose(VERL.config_names[trainer], overrides=overrides)
                accepted = True
            except errors.OverrideParseException:
                continue
            except errors.ConfigCompositionException:
                accepted = False
            known = catalogue.load("verl", release, trainer)
            # A dataclass refuses unknown +keys only when the worker starts, after Hydra.
            refused = [
                item.input_line
                for item in parsed
                if judge(known, item.input_line.partition("=")[0], item.value()) in REFUSED
                and not (item.input_line.startswith("+") and known.strict(item.key_or_group))
            ]
            assert accepted == (not refused), (json.loads(line)["id"], refused)
