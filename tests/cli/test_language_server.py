"""The language server follows documents as an editor changes them."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("pygls", reason="needs the extra lsp")

from lsprotocol import types as lsp

from tests.cli.editing import (
    YAML,
    Editor,
    Session,
    codes,
    edit,
    ended,
    loop,
    of_code,
    offered,
    proposed,
    session,
    shared,
    started,
    where,
)

__all__ = ["loop", "session", "shared"]


def test_findings_as_one_types(session: Session) -> None:
    async def play(editor: Editor) -> None:
        assert await editor.opens(YAML) == []
        line = where(YAML, "repeat_times").line
        editor.types(2, edit(line, 2, 14, "repeat_tmes"))
        (typo,) = of_code(await editor.findings(2), "KEY001")
        assert typo.source == "rftconf"
        assert typo.severity is lsp.DiagnosticSeverity.Error
        assert typo.range == lsp.Range(lsp.Position(line, 2), lsp.Position(line, 13))
        assert "did you mean algorithm.repeat_times?" in typo.message
        editor.types(3, edit(line, 2, 13, "repeat_times"))
        assert not (await editor.findings(3)).diagnostics
        # the whole text, as editors without incremental synchronisation send it
        editor.types(4, lsp.TextDocumentContentChangeWholeDocument(YAML.replace("lr: 1e-6", "lr: 0")))
        assert codes(list((await editor.findings(4)).diagnostics)) == {"OPT001"}

    session(play)


def test_a_burst_is_answered_once_and_rightly(session: Session) -> None:
    async def play(editor: Editor) -> None:
        await editor.opens(YAML)
        position = where(YAML, "first")
        for number in range(200):  # one letter each, as a fast paste
            editor.types(2 + number, edit(position.line, position.character, position.character, "x"))
        line = where(YAML, "lr: 1e-6")
        editor.types(202, edit(line.line, line.character, line.character + 8, "lr: 0"))
        published = await editor.findings(202)
        assert codes(list(published.diagnostics)) == {"OPT001"}
        assert editor.told.qsize() == 0

    session(play)


ODD = 'name: "\U0001f600\U0001f600\u2028\x85é"\n'
"""Two characters of two UTF-16 units each, and what Python, but no editor, takes for line ends."""


@pytest.mark.parametrize(("units", "width"), [("utf-16", 2), ("utf-8", 4), ("utf-32", 1)])
def test_columns_in_the_units_agreed_on(loop: asyncio.AbstractEventLoop, units: str, width: int) -> None:
    text = (
        YAML.replace("name: first\n", ODD, 1)
        .replace("algorithm_type: grpo", 'algorithm_type: "\U0001f600"')
        .replace("\n", "\r\n")
    )

    async def play(editor: Editor) -> None:
        diagnostics = await editor.opens(text)
        line = text[: text.index("algorithm_type:")].count("\n")
        (kind,) = of_code(diagnostics, "KEY013")
        assert kind.range.start.line == kind.range.end.line == line
        assert kind.range.start.character == len("  algorithm_type: ")
        assert kind.range.end.character == len('  algorithm_type: ""') + width
        # behind the two smileys, then at a place that only counts right if no line was torn
        editor.types(2, edit(1, 7 + 2 * width, 7 + 2 * width, "x"), edit(line, 18, 20 + width, "grpo"))
        assert not (await editor.findings(2)).diagnostics
        lr = text[: text.index("lr: 1e-6")].count("\n")
        editor.types(3, edit(lr, 8, 12, "0"))
        assert codes(list((await editor.findings(3)).diagnostics)) == {"OPT001"}

    async def run() -> None:
        editor = await started(units)
        try:
            await play(editor)
        finally:
            await ended(editor)

    loop.run_until_complete(run())


def test_positions_outside_the_text_do_no_harm(session: Session) -> None:
    async def play(editor: Editor) -> None:
        await editor.opens("mode: both")
        editor.types(2, edit(0, 6, 4_000_000, "x", last=2_000_000_000))
        await editor.findings(2)
        editor.types(3, edit(99, 0, 0, "\n"), lsp.TextDocumentContentChangeWholeDocument(YAML))
        assert not (await editor.findings(3)).diagnostics

    session(play)


def test_settings_of_the_project_hold(session: Session, tmp_path: Path) -> None:
    (tmp_path / "rftconf.toml").write_text('ignore = ["OPT001"]\n')
    file = tmp_path / "with blank é.yaml"
    text = YAML.replace("lr: 1e-6", "lr: 0")
    file.write_text(text)

    async def play(editor: Editor) -> None:
        assert await editor.opens(text, file.as_uri()) == []
        (tmp_path / "rftconf.toml").write_text('selekt = ["OPT001"]\n')
        editor.text_document_did_save(lsp.DidSaveTextDocumentParams(lsp.TextDocumentIdentifier(file.as_uri())))
        assert codes(list((await editor.findings()).diagnostics)) == {"OPT001"}
        assert any("did you mean select" in text for text in editor.log)

    session(play)


FOREIGN = ("services:\n  web:\n    image: nginx\n", "#!/bin/bash\nls -l\n", "", "\t\n: [", "a: &a [*a]\n")


def test_other_peoples_files_are_left_alone(session: Session) -> None:
    async def play(editor: Editor) -> None:
        for number, text in enumerate(FOREIGN):
            assert await editor.opens(text, f"file:///nowhere/{number}.yaml") == []

    session(play)


LOOPS = "for i in {1..999999}; do for j in {1..999999}; do A=$A$A; done; done"
HOSTILE = (
    "x: " + "[" * 20_000,
    "a: &a [1]\n"
    + "".join(f"{chr(98 + n)}: &{chr(98 + n)} [{', '.join([f'*{chr(97 + n)}'] * 9)}]\n" for n in range(9)),
    f"#!/bin/bash\n{LOOPS}\npython -m verl.trainer.main_ppo a=$A\n",
    "!!python/object/apply:os.system ['touch /tmp/rftconf-owned']\n",
    "- " * 5_000 + "x",
    "\ud83d mode: \udfff",
    "k: v\n" * 200_000,
)


def test_hostile_texts_are_bounded(session: Session) -> None:
    async def play(editor: Editor) -> None:
        for number, text in enumerate(HOSTILE):
            uri = f"file:///nowhere/{number}.yaml" if "bash" not in text else f"file:///nowhere/{number}.sh"
            diagnostics = await editor.opens(text, uri)
            assert len(diagnostics) <= 500
            position = lsp.Position(0, 3)
            await proposed(editor, position, uri)
            await offered(editor, position, uri=uri)
        assert any("KiB" in text for text in editor.log)
        assert await editor.opens(YAML.replace("lr: 1e-6", "lr: 0"))

    session(play)


def test_what_is_closed_is_forgotten(session: Session) -> None:
    async def play(editor: Editor) -> None:
        assert await editor.opens(YAML.replace("lr: 1e-6", "lr: 0"))
        editor.closes()
        assert not (await editor.findings()).diagnostics
        editor.types(2, edit(0, 0, 0, "x"))
        assert await offered(editor, lsp.Position(0, 0)) == []

    session(play)


WITHOUT = "import sys; sys.modules['pygls'] = None; from rftconf.cli.app import run; sys.exit(run(['lsp']))"


def test_it_says_what_to_install() -> None:
    done = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == "rftconf: the language server needs pygls: python -m pip install 'pygls<3,>=2'\n"


PROBE = """
import sys
from lsprotocol import types as lsp
from rftconf.lsp import language_server, protocol as answers
from rftconf.lsp.session import Session

session = Session()
held = session.open("file:///run.yaml", "/run.yaml", sys.stdin.read(), 1)
at = lsp.Position(int(sys.argv[1]), 8)
for thorough in (True, False):
    session.check(held, thorough=thorough)
    answers.diagnostics(held)
assert held.found
assert answers.hover(held, at)
answers.completions(held, at)
asked = lsp.CodeActionParams(lsp.TextDocumentIdentifier(held.uri), lsp.Range(at, at), lsp.CodeActionContext([]))
assert answers.code_actions(session, held, asked)
print(*{name.partition(".")[0] for name in sys.modules})
"""


def test_nothing_heavy_is_loaded_for_any_answer() -> None:
    text = YAML.replace("lr: 1e-6", "lr: 0")
    line = str(where(text, "lr: 0").line)
    done = subprocess.run([sys.executable, "-c", PROBE, line], input=text, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert not {"pydantic", "rich", "ruamel", "hydra", "omegaconf", "torch"} & set(done.stdout.split())
