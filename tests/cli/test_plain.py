"""Lines that are read without the parser mean what the parser says they mean."""

from __future__ import annotations

import inspect
import json
import subprocess
import sys
from functools import wraps
from importlib import import_module
from pathlib import Path
from typing import Any

import click
import pytest
import typer
from hypothesis import given, settings
from hypothesis import strategies as st

from rftconf.cli import parser, plain
from rftconf.cli.verb_names import VERBS

TABLE: dict[str, Any] = json.loads(plain.FILE.read_bytes())
VALUES = [
    "a",
    "b.sh",
    "-",
    "--",
    "-q",
    "",
    "3",
    "0",
    "-1",
    "7x",
    "verl",
    "json",
    "text",
    "auto",
    "A",
    "x=y",
    "KEY",
    "./c d",
]


def parsed(verb: str, words: list[str]) -> dict[str, Any] | None:
    """What the parser hands to the verb, or None where it refuses the line or prints something itself."""
    observed: dict[str, Any] = {}
    module = import_module(f"rftconf.cli.commands.{verb}")
    own = getattr(module, verb)

    @wraps(own)
    def recorder(**arguments: Any) -> None:
        observed.update(arguments)

    setattr(module, verb, recorder)
    try:
        built = typer.main.get_command(parser.application([verb]))
    finally:
        setattr(module, verb, own)
    try:
        built.main([verb, *words], prog_name="rftconf", standalone_mode=False)
    except (click.ClickException, click.exceptions.Exit):
        return None
    return observed or None


def test_the_table_is_what_the_parser_knows() -> None:
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-m", "scripts.generate_cli", "--check"], cwd=root, check=False)
    assert done.returncode == 0


@pytest.mark.parametrize("verb", sorted(TABLE))
def test_most_options_are_plain(verb: str) -> None:
    command = typer.main.get_command(parser.application([verb])).commands[verb]  # type: ignore[attr-defined]
    options = {spelling for param in command.params if param.param_type_name == "option" for spelling in param.opts}
    assert set(TABLE[verb]["options"]) <= options
    assert len(options - set(TABLE[verb]["options"])) <= 4


@settings(max_examples=300)
@given(st.data())
def test_a_plain_line_means_what_the_parser_says(data: st.DataObject) -> None:
    verb = data.draw(st.sampled_from(sorted(TABLE)))
    word = st.sampled_from([*sorted(TABLE[verb]["options"]), *VALUES])
    words = data.draw(st.lists(word, max_size=8))
    required = [f"--{name}" for name in TABLE[verb]["required"]]
    with_required: bool = data.draw(st.booleans())
    if with_required:
        words += [part for name in required for part in (name, "trinity")]
    values = plain.arguments(verb, words)
    if values is None:
        return
    own = inspect.signature(getattr(import_module(f"rftconf.cli.commands.{verb}"), verb)).parameters
    defaults = {name: parameter.default for name, parameter in own.items() if parameter.default is not parameter.empty}
    assert {**defaults, **values} == parsed(verb, words)


@pytest.mark.parametrize(
    "line",
    ["check", "check --help", "check x --nonsense", "check x --format odd", "check x --launch 0", "check x --color=never",
     "check x -qo y", "convert x", "convert x y --to verl", "budget x --mean-tokens 3", "check x --select", "check -- x",
     "schema plan", "check x --select -q"],
)  # fmt: skip
def test_the_parser_sees_what_is_not_plain(line: str) -> None:
    verb, *words = line.split()
    assert plain.arguments(verb, words) is None


@pytest.mark.parametrize("verb", sorted(set(VERBS) & set(TABLE)))
def test_a_name_alone_is_plain(verb: str) -> None:
    choices = {row[0]: row[4] if row[4:] else () for row in TABLE[verb]["options"].values()}
    required = [
        part
        for name in TABLE[verb]["required"]
        for part in (f"--{name.replace(chr(95), chr(45))}", *(choices[name] or ["verl"])[:1])
    ]
    assert plain.arguments(verb, ["x.sh", *required]) is not None
