"""Files that a script writes by here-documents: what is read of them is what bash puts there."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from rftconf.base.symbols import Expr
from rftconf.plan.substitution import substitute
from rftconf.text.shell import read_script
from rftconf.text.shell.state.written_file import Written
from rftconf.text.shell.state.written_files import normal
from tests.differential.oracle import BASH

PROGRAMS = ("cat", "tee", "mkdir", "sed", "cp", "rm", "ls", "grep", "dirname")
pytestmark = pytest.mark.skipif(
    not Path(BASH).exists() or any(shutil.which(name) is None for name in PROGRAMS), reason="bash is not installed"
)
STUB = """#!/bin/bash
{ cat "$3"; printf '\\0'; } >> "$RFTCONF_RECORD"
"""
USE = "trinity run --config"

SAME = {
    "redirection first": f"cat > c.yaml <<EOF\na: 1\nEOF\n{USE} c.yaml\n",
    "redirection last": f"cat <<EOF > c.yaml\na: 1\nEOF\n{USE} ./c.yaml\n",
    "clobber": f"cat >| c.yaml <<EOF\na: 1\nEOF\n{USE} c.yaml\n",
    "tee": f"tee c.yaml <<EOF\na: 1\nEOF\n{USE} c.yaml\n",
    "tee silently": f"tee c.yaml > /dev/null <<EOF\na: 1\nEOF\n{USE} c.yaml\n",
    "two files of tee": f"tee b.yaml c.yaml <<EOF\na: 1\nEOF\n{USE} c.yaml\n",
    "a pipe": f"cat <<EOF | tee c.yaml\na: 1\nEOF\n{USE} c.yaml\n",
    "a here-string": f'X=3; cat > c.yaml <<< "a: $X"\n{USE} c.yaml\n',
    "variables": f"X=3; cat > c.yaml <<EOF\na: $X\nb: ${{X}}\nc: ${{Y:-4}}\nd: $((X * 2))\nEOF\n{USE} c.yaml\n",
    "several lines of a variable": f"X=$'a: 1\\nb: 2'\ncat > c.yaml <<EOF\n$X\nc: 3\nEOF\n{USE} c.yaml\n",
    "quoted word": f"X=3; cat > c.yaml <<'EOF'\na: $X\nb: ${{actor.x}}\nc: `date` \\$ \\\\\nEOF\n{USE} c.yaml\n",
    "word in double quotes": f'X=3; cat > c.yaml <<"EOF"\na: $X\nEOF\n{USE} c.yaml\n',
    "escaped word": f"X=3; cat > c.yaml <<\\EOF\na: $X\nEOF\n{USE} c.yaml\n",
    "escapes": f'X=3; cat > c.yaml <<EOF\na: \\$X \\${{o.x}} \\\\ \\a \\" " \' \\`x\\`\nEOF\n{USE} c.yaml\n',
    "quotes inside": f"X=3; cat > c.yaml <<EOF\na: '$X' \"$X\" ${{Y:-'4'}} ${{Y:-z}} ${{X%\"3\"}}\nEOF\n{USE} c.yaml\n",
    "tabs": f"cat > c.yaml <<-EOF\n\ta:\n\t\tb: 1\n\t  c: 2\n  d: 3\n\tEOF\n{USE} c.yaml\n",
    "tabs and a quoted word": f"cat > c.yaml <<-'EOF'\n\ta:\n\t  b: $X\n\tEOF\n{USE} c.yaml\n",
    "tabs and continued lines": f"X=1; cat > c.yaml <<-EOF\n\ta: $X \\\n\tb\n\tc: 2\n\tEOF\n{USE} c.yaml\n",
    "continued lines": f"cat > c.yaml <<EOF\na: 1 \\\n  2\nb: 3\\\\\nEOF\n{USE} c.yaml\n",
    "the word behind a continued line": f"cat > c.yaml <<EOF\na: z\\\nEOF\nEOF\n{USE} c.yaml\n",
    "the word on two lines": f"cat > c.yaml <<EOF\na: 1\nEO\\\nF\n{USE} c.yaml\n",
    "appended": f"cat > c.yaml <<EOF\na: 1\nEOF\ncat >> c.yaml <<EOF\nb: 2\nEOF\n{USE} c.yaml\n",
    "appended by tee": f"cat > c.yaml <<EOF\na: 1\nEOF\ntee -a c.yaml <<EOF\nb: 2\nEOF\n{USE} c.yaml\n",
    "emptied and appended": f"> c.yaml\ncat >> c.yaml <<EOF\nb: 2\nEOF\n{USE} c.yaml\n",
    "written again": f"cat > c.yaml <<EOF\na: 1\nEOF\ncat > c.yaml <<EOF\na: 2\nEOF\n{USE} c.yaml\n",
    "a loop": f"for X in 1 2; do\ncat > c.yaml <<EOF\na: $X\nEOF\n{USE} c.yaml\ndone\n",
    "a function": f"w() {{\ncat > $1 <<EOF\na: $2\nEOF\n}}\nw c.yaml 5\n{USE} c.yaml\n",
    "a subshell": f"( X=4; cat > c.yaml <<EOF\na: $X\nEOF\n)\n{USE} c.yaml\n",
    "a path in a variable": f'F=$PWD/c.yaml\ncat > "$F" <<EOF\na: 1\nEOF\n{USE} $F\n',
    "a folder made": f"mkdir -p d && cat > d/c.yaml <<EOF\na: 1\nEOF\n{USE} d/c.yaml\n",
    "two bodies": f"cat > c.yaml <<A <<B\na: 1\nA\nb: 2\nB\n{USE} c.yaml\n",
    "read in between": f"cat > c.yaml <<EOF\na: 1\nEOF\ncat c.yaml\nls c.yaml\ncp c.yaml d.yaml\n{USE} c.yaml\n",
    "another file changed": f"cat > c.yaml <<EOF\na: 1\nEOF\necho x > d.yaml\nsed -i s/x/y/ d.yaml\n{USE} c.yaml\n",
    "windows": f"cat > c.yaml <<EOF\na: 1\nEOF\n{USE} c.yaml\n".replace("\n", "\r\n"),
    "in an arm": f"if true; then\ncat > c.yaml <<EOF\na: 1\nEOF\nelse\ncat > c.yaml <<EOF\na: 2\nEOF\nfi\n{USE} c.yaml\n",
}
"""Scripts whose files are known to the last character."""

UNKNOWN = {
    "changed": f"cat > c.yaml <<EOF\na: 1\nEOF\nsed -i s/1/2/ c.yaml\n{USE} c.yaml\n",
    "an echo behind it": f"cat > c.yaml <<EOF\na: 1\nEOF\necho 'b: 2' >> c.yaml\n{USE} c.yaml\n",
    "appended to a file of somebody's": f"cat >> c.yaml <<EOF\na: 1\nEOF\n{USE} c.yaml\n",
    "a filter": f"cat > c.yaml <<EOF\na: 1\nEOF\ncat <<EOF | sed s/1/2/ > c.yaml\na: 1\nEOF\n{USE} c.yaml\n",
    "copied over": f"cat > c.yaml <<EOF\na: 1\nEOF\ncp d.yaml c.yaml\n{USE} c.yaml\n",
    "removed": f"cat > c.yaml <<EOF\na: 1\nEOF\nrm c.yaml\n{USE} c.yaml\n",
    "a group": f"cat > c.yaml <<EOF\na: 1\nEOF\n{{ echo 'b: 2'; }} >> c.yaml\n{USE} c.yaml\n",
    "what bash cannot expand": f"cat > c.yaml <<EOF\na: ${{b.c}}\nEOF\n{USE} c.yaml\n",
}
"""Scripts after which nobody can say without running them."""


def read(text: str) -> list[Written | str | None]:
    script = read_script("run.sh", text)
    return [command.files.get(normal(command.argv[-1].value)) for command in script.commands]


def ran(text: str, folder: Path) -> list[str]:
    (folder / "bin").mkdir()
    stub = folder / "bin" / "trinity"
    stub.write_text(STUB)
    stub.chmod(0o755)
    for name in PROGRAMS:
        (folder / "bin" / name).symlink_to(str(shutil.which(name)))
    record, work = folder / "record", folder / "work"
    work.mkdir()
    (folder / "run.sh").write_text(text)
    subprocess.run(
        [BASH, str(folder / "run.sh")], cwd=work, env={"PATH": str(folder / "bin"), "RFTCONF_RECORD": str(record)},
        stdin=subprocess.DEVNULL, capture_output=True, timeout=10, check=False,
    )  # fmt: skip
    return record.read_text().split("\0")[:-1]


@pytest.mark.parametrize("name", SAME)
def test_the_file_is_what_bash_writes(name: str, tmp_path: Path) -> None:
    text = SAME[name]
    wrote = ran(text.replace("\r\n", "\n"), tmp_path)
    writtens = read(text)
    assert len(writtens) == len(wrote) > 0
    for written, content in zip(writtens, wrote, strict=True):
        assert isinstance(written, Written)
        assert written.text is not None
        assert written.text.value == content


@pytest.mark.parametrize("name", UNKNOWN)
def test_what_is_not_followed_is_not_guessed(name: str) -> None:
    (written,) = read(UNKNOWN[name])
    assert written is None or (isinstance(written, Written) and written.text is None)


def test_a_value_that_is_not_known_stays_open(tmp_path: Path) -> None:
    text = f"cat > c.yaml <<EOF\na: $X\nb: ${{Y}}/z\nEOF\n{USE} c.yaml\n"
    (written,) = read(text)
    assert isinstance(written, Written)
    assert written.text is not None
    assert isinstance(written.text.value, Expr)
    (content,) = ran(f"X=3; Y=/y\n{text}", tmp_path)
    assert substitute(written.text.value, {"X": "3", "Y": "/y"}) == content


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        (f'if [ -n "$X" ]; then\ncat > c.yaml <<EOF\na: 1\nEOF\nfi\n{USE} c.yaml\n', '[ -n "${X}" ]'),
        (f"[ -f c.yaml ] || cat > c.yaml <<EOF\na: 1\nEOF\n{USE} c.yaml\n", "! [ -f c.yaml ]"),
    ],
)
def test_a_file_that_is_written_only_sometimes(text: str, condition: str) -> None:
    (written,) = read(text)
    assert written == condition


def test_in_the_same_arm_it_is_there() -> None:
    arm = "cat > c.yaml <<EOF\na: {}\nEOF\n" + f"{USE} c.yaml\n"
    writtens = read(f'if [ -n "$X" ]; then\n{arm.format(1)}else\n{arm.format(2)}fi\n')
    assert [written.text.value for written in writtens if isinstance(written, Written) and written.text] == [
        "a: 1\n",
        "a: 2\n",
    ]


def test_another_folder_is_another_file() -> None:
    wrote = "cat > c.yaml <<EOF\na: 1\nEOF\n"
    assert read(f"{wrote}cd elsewhere\n{USE} c.yaml\n") == [None]
    (written,) = read(f"cd elsewhere\n{wrote}{USE} c.yaml\n")
    assert isinstance(written, Written)
    (written,) = read(f"{wrote.replace('c.yaml', '/tmp/c.yaml')}cd elsewhere\n{USE} /tmp/c.yaml\n")
    assert isinstance(written, Written)


def test_other_names_change_nothing() -> None:
    assert read(f"cat > d.yaml <<EOF\na: 1\nEOF\n{USE} c.yaml\n") == [None]
