"""docs/cli.md: every verb with its arguments and options, from the parser; docs/new.md: the recipes of `rftconf new`."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from importlib import import_module
from typing import Any

import typer.main

from rftconf.base.errors import RefusedError
from rftconf.cli.parser import application
from rftconf.cli.verb_names import VERBS
from rftconf.mappers.profiles import with_programs
from rftconf.recipes.draft import Request
from rftconf.recipes.recipes import RECIPES, Recipe
from rftconf.recipes.sizing import expressed
from rftconf.schemas.registry import FRAMEWORKS

Row = Callable[..., str]


def page(row: Row, head: Row) -> str:
    """The page, without the note."""
    command = typer.main.get_command(application())
    text = (
        "# The command line\n\nExit codes: 0 done or clean, 1 findings, differences or losses, 2 unreadable input or "
    )
    text += "usage, 3 refused. `--traceback` shows where an unexpected error came from.\n"
    verbs: dict[str, Any] = getattr(command, "commands")  # noqa: B009 - a click Group, which typer's type does not say
    return text + "".join(_verb(name, verbs[name], row, head) for name in VERBS)


def _verb(name: str, command: Any, row: Row, head: Row) -> str:
    doc = inspect.getdoc(getattr(import_module(f"rftconf.cli.commands.{name}"), name)) or ""
    words, _, remainder = doc.partition("\n\b\n")
    examples, _, after = remainder.partition("\n\n")
    text = f"\n## {name}\n\n{words.strip()}\n"
    lines = [line.strip() for line in examples.splitlines()[1:]]
    text += f"\n```console\n{chr(10).join(lines)}\n```\n" if lines else ""
    text += f"\n{after.strip()}\n" if after else ""
    text += "\n" + head("argument or option", "what for")
    for param in command.params:
        if param.name != "help":
            text += row(_names(param), _help_text(param))
    return text


def _names(param: Any) -> str:
    metavar = param.metavar or ("" if getattr(param, "is_flag", False) else param.type.name.upper())
    if param.param_type_name == "argument":
        return f"`{param.metavar or param.name.upper()}`"
    return ", ".join(f"`{name} {metavar}`".replace(" `", "`") for name in param.opts)


def _help_text(param: Any) -> str:
    choices = getattr(param.type, "choices", None)
    choices_text = f" One of {', '.join(map(str, choices))}." if choices else ""
    return re.sub(r"<(\w+)>", r"`<\1>`", param.help or "") + choices_text


def recipes(row: Row, head: Row) -> str:
    """docs/new.md, without the note."""
    text = NEW + head("algorithm", *(framework.title for framework in with_programs()))
    unlike: dict[str, list[str]] = {}
    for recipe in RECIPES.values():
        cells = []
        for framework in with_programs():
            cell, sentences = _who(recipe, framework.name)
            cells.append(cell)
            for sentence in sentences:
                unlike.setdefault(f"{framework.title}: {sentence}", []).append(recipe.title)
        text += row(f"[{recipe.title}](#{_anchor(recipe)})", *cells)
    text += "\n*Nearly*: the file says what came out otherwise than in the recipe.\n\n"
    text += "".join(f"* {sentence} ({', '.join(titles)})\n" for sentence, titles in unlike.items())
    for recipe in RECIPES.values():
        text += f"\n## {recipe.title}\n\nFrom {recipe.source}.\n\n" + head("plan field", "value")
        text += "".join(row(f"`{path.removeprefix('stage.')}`", f"`{value}`") for path, value in recipe.values.items())
    return text


def _anchor(recipe: Recipe) -> str:
    return re.sub(r"[^a-z0-9]", "", recipe.title.lower())


def _who(recipe: Recipe, name: str) -> tuple[str, tuple[str, ...]]:
    """A cell of the table, and what of the recipe comes out otherwise."""
    request = Request(name, FRAMEWORKS[name].newest, recipe, "Qwen/Qwen2.5-7B-Instruct", 8, "h100-80g", data="data")
    try:
        written = expressed(request)
    except RefusedError as refused:
        return f"no: {refused.message.partition('recipe: ')[2]}", ()
    lost = written.lost if written else ()
    return "nearly" if lost else "yes", lost


NEW = """# A first config

`rftconf new` writes a config from a published recipe, sized so that it fits the GPUs it is for:

```console
rftconf new --framework verl --algorithm grpo --model Qwen/Qwen2.5-7B-Instruct \\
  --gpus 8 --gpu h100-80g --data train.parquet --eval-data test.parquet -o run_new.sh
rftconf new --framework trinity --algorithm ppo --model Qwen/Qwen3-8B \\
  --gpus 16 --gpu a100-80g --data data/gsm8k -o ppo.yaml
```

An algorithm that a framework lacks is refused, with the ones that have it; so is what does not fit, with the fewest GPUs that
would do:

```console
rftconf new --framework chatlearn --algorithm ppo --model Qwen/Qwen3-8B --gpus 16 --gpu h100  # exit 3
rftconf new --framework verl --algorithm grpo --model Qwen/Qwen3-32B --gpus 8 --gpu h100      # exit 3
```

At a terminal, what is not given is asked for, with defaults. Batches, rates and losses are those of the recipes below. Engine
size, micro-batches, offloading and the engines' share of memory are tried, what costs least speed first, until
[the memory account](memory.md) of the written file fits with a twentieth of each GPU to spare; then the file is checked as
`rftconf check` does. What only a person can tell (data, the reward) is listed and never invented.

## Who has what

"""
