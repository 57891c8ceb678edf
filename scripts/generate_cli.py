"""Writes rftconf/cli/options.json, what `cli.plain` knows of the options, from the parser itself.

Run without arguments to write, with `--check` to fail when the file on disk differs (CI does).
"""

from __future__ import annotations

import json
import sys
from typing import Any

import click
import typer

from rftconf.cli.parser import application
from rftconf.cli.plain import FILE
from rftconf.cli.verb_names import VERBS


def option_row(option: click.Option) -> list[Any] | None:
    """What `cli.plain.Option` holds; None for an option that it had better leave to the parser."""
    kinds: dict[type[click.ParamType], str] = {
        click.types.StringParamType: "text",
        click.Path: "path",
        click.IntRange: "int",
        click.Choice: "choice",
    }
    # typer's own path and choice are classes derived from click's
    kind = "flag" if option.is_flag else next((k for t, k in kinds.items() if isinstance(option.type, t)), "")
    simple = option.nargs == 1 and option.envvar is None and not option.is_eager and not option.secondary_opts
    if not kind or not simple or option.count or (isinstance(option.type, click.Path) and option.type.exists):
        return None
    least = None
    if isinstance(option.type, click.IntRange):
        if option.type.max is not None or option.type.min_open or option.type.clamp:
            return None
        least = option.type.min
    choices = []
    if isinstance(option.type, click.Choice):
        if not option.type.case_sensitive:
            return None
        choices = [str(choice) for choice in option.type.choices]
    return [option.name, kind, option.multiple, least, choices]


def table() -> dict[str, Any]:
    """Every verb's argument, and its options that are plain."""
    group = typer.main.get_command(application())
    assert isinstance(group, click.Group)
    entries: dict[str, Any] = {}
    for verb in VERBS:
        params = group.commands[verb].params
        arguments = [param for param in params if isinstance(param, click.Argument)]
        rows = {
            spelling: row
            for param in params
            if isinstance(param, click.Option) and (row := option_row(param)) is not None
            for spelling in param.opts
        }
        required = [param.name for param in params if isinstance(param, click.Option) and param.required]
        if [type(argument.type) for argument in arguments] != [click.types.StringParamType]:
            continue
        (argument,) = arguments
        if argument.default is None:
            many = argument.nargs == -1
            entries[verb] = {"argument": argument.name, "many": many, "required": required, "options": rows}
    return entries


def text() -> str:
    """The file as it lies in the repository."""
    verbs = []
    for verb, known in table().items():
        rows = ",\n".join(f"  {json.dumps(name)}: {json.dumps(row)}" for name, row in known.pop("options").items())
        verbs.append(f'{json.dumps(verb)}: {json.dumps(known)[:-1]}, "options": {{\n{rows}\n}}}}')
    return "{\n" + ",\n".join(verbs) + "\n}\n"


def main() -> int:
    """Write the file, or compare it (`--check`)."""
    if "--check" not in sys.argv:
        FILE.write_text(text(), encoding="utf-8")
        return 0
    stale = not FILE.exists() or FILE.read_text(encoding="utf-8") != text()
    if stale:
        print("stale, run python -m scripts.generate_cli:", FILE.name)
    return int(stale)


if __name__ == "__main__":
    raise SystemExit(main())
