"""`rftconf mcp` on the command line: how it says no."""

from __future__ import annotations

import subprocess
import sys

import pytest

from rftconf.cli.app import run

WITHOUT = "import sys; sys.modules['mcp'] = None; from rftconf.cli.app import run; sys.exit(run(['mcp']))"


def test_without_the_extra_it_says_what_to_install() -> None:
    done = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "tools for agents need the protocol's package" in done.stderr
    assert "pip install" in done.stderr


def test_a_root_that_is_no_folder_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("mcp")
    assert run(["mcp", "--root", "/no/such/folder"]) == 2
    assert "--root /no/such/folder: no such folder" in capsys.readouterr().err


def test_the_package_of_the_protocol_is_loaded_by_this_verb_alone() -> None:
    code = "import sys; from rftconf.cli.app import run; run(['explain', 'KEY001']); sys.exit('mcp' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=False).returncode == 0
