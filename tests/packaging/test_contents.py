"""The wheel and the sdist hold what the checkout holds, and nothing else."""

from __future__ import annotations

import subprocess
import tarfile
import zipfile
from pathlib import Path

from tests.packaging.built import contents, sdist, wheel
from tests.sources import ROOT


def packaged() -> dict[str, Path]:
    """Name in the wheel to file of the checkout: everything in both packages that git knows."""
    command = [
        "git",
        "ls-files",
        "-z",
        "--cached",
        "--others",
        "--exclude-standard",
        "rftconf",
        "runners/rftconf_runner",
    ]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    names = [name for name in listed.split("\0") if name and (ROOT / name).is_file()]
    return {name.removeprefix("runners/"): ROOT / name for name in names}


def test_the_wheel_holds_every_file_of_the_package_as_it_is() -> None:
    entries, paths = contents(wheel()), packaged()
    assert sorted(entries) == sorted(paths)
    assert [name for name, file in paths.items() if file.read_bytes() != entries[name]] == []


def test_the_sdist_builds_the_same_wheel() -> None:
    assert contents(wheel("from-sdist")) == contents(wheel("from-checkout"))


def test_the_sdist_holds_what_builds_the_wheel_and_no_part_of_the_tests() -> None:
    with tarfile.open(sdist()) as opened:
        names = {name.partition("/")[2] for name in opened.getnames() if not opened.getmember(name).isdir()}
    assert {"DESCRIPTION.md", "LICENSE", "CHANGELOG.md", "pyproject.toml"} <= names
    assert {name.split("/")[0] for name in names if "/" in name} == {"rftconf", "runners", "rftconf.egg-info"}


def test_the_description_needs_no_file_beside_it() -> None:
    """A package index shows the README alone: a relative link in it leads nowhere."""
    with zipfile.ZipFile(wheel()) as opened:
        (name,) = (name for name in opened.namelist() if name.endswith("METADATA"))
        description = opened.read(name).decode().partition("\n\n")[2]
    assert "# rftconf" in description
    assert "](docs/" not in description
    assert "](ARCHITECTURE.md" not in description
