from __future__ import annotations

import subprocess
import sys

import pytest

from rftconf.base.errors import UsageError
from rftconf.schemas import registry


@pytest.mark.parametrize(
    ("name", "expected"), [("verl", "verl"), ("veRL", "verl"), ("Trinity-RFT", "trinity"), ("trinity_rft", "trinity")]
)
def test_names_and_aliases(name: str, expected: str) -> None:
    assert registry.framework(name).name == expected


def test_unknown_framework_lists_the_known_ones() -> None:
    with pytest.raises(UsageError, match="known: chatlearn, nemo_rl, openrlhf, roll, trinity, trl, verl"):
        registry.framework("slime")


@pytest.mark.parametrize(
    ("new_expected", "expected"),
    [
        (None, "0.9.1"),
        ("v0.5.0", "0.5.0"),
        ("0.7.0", "0.7.1"),
        ("0.9", "0.9.1"),
        ("0.9.0", "0.9.0"),
        ("v0.3.0.post1", "0.3.0"),
        ("0.2", "0.2.0"),
    ],
)
def test_releases_stand_for_their_series(new_expected: str | None, expected: str) -> None:
    assert registry.release(registry.VERL, new_expected) == expected


def test_uncatalogued_release_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match=r"veRL 0\.1\.0 has no catalogue"):
        registry.release(registry.VERL, "0.1.0")


def test_every_trinity_release_names_the_verl_it_runs_on() -> None:
    assert set(registry.TRINITY.pins) == set(registry.TRINITY.releases)
    for pins in registry.TRINITY.pins.values():
        for pin in pins:
            assert registry.release(registry.VERL, pin)


def test_importing_the_registry_imports_nothing_heavy() -> None:
    code = "import sys; from rftconf.schemas import registry; print(*sorted(sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split()
    assert not {"json", "yaml", "pydantic", "rich", "typer"} & set(loaded)
