"""What is no certificate, or names files that none can name: a sentence, never a traceback."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rftconf.cli.app import run
from tests.certificate.making import certified, rewrite

Captured = pytest.CaptureFixture[str]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "no JSON"),
        (b"{", "no JSON: expecting property name enclosed in double quotes"),
        (b"[]", "no certificate of rftconf's"),
        (b"{}", "no certificate of rftconf's"),
        (b"[" * 100_000, "no certificate of rftconf's"),
        (b"\xff\xfe\x00", "UTF-16"),
        (b"PAR1\x00", "NUL byte"),
    ],
)
def test_what_is_no_certificate(text: bytes, message: str, tmp_path: Path, capsys: Captured) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(text)
    assert run(["verify", str(path)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert message in err
    assert "Traceback" not in err


@pytest.mark.parametrize("field", ["certificate_version", "source", "differences", "invariants"])
def test_a_certificate_of_another_shape(field: str, tmp_path: Path, capsys: Captured) -> None:
    path = certified(tmp_path)
    rewrite(path, lambda data: data.__setitem__(field, {"a": 1}))
    assert run(["verify", str(path)]) == 2
    assert field in capsys.readouterr().err


@pytest.mark.parametrize("part", ["source", "outputs"])
def test_it_opens_no_file_that_is_named_from_the_root(part: str, tmp_path: Path, capsys: Captured) -> None:
    path = certified(tmp_path)

    def change(data: dict[str, Any]) -> None:
        (data["source"] if part == "source" else data["outputs"][0])["file"] = "/etc/hostname"

    rewrite(path, change)
    assert run(["verify", str(path)]) == 2
    assert "/etc/hostname is not named as seen from its folder" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["..", ".", "a\0b", "x" * 5000, "no/such"])
def test_odd_names_are_named(name: str, tmp_path: Path, capsys: Captured) -> None:
    path = certified(tmp_path)
    rewrite(path, lambda data: data["source"].__setitem__("file", name))
    assert run(["verify", str(path), "-q"]) == 1
    out, err = capsys.readouterr()
    assert "the conversion" in out
    assert "Traceback" not in err
