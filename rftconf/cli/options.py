"""The options that verbs share, each declared once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, TypeAlias

import typer

from rftconf.verbs.option_types import Colour as Colour
from rftconf.verbs.option_types import Form as Form
from rftconf.verbs.option_types import OnLoss as OnLoss

RunFolder: TypeAlias = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="FOLDER", help="Metrics and checkpoints; runs/NAME when absent."),
]

READING = "Reading"


def frameworks(incomplete: str) -> list[str]:
    """The names a shell completes after `--from` and `--to`."""
    from rftconf.schemas.registry import FRAMEWORKS

    return [name for name in FRAMEWORKS if name.startswith(incomplete)]


def effects(incomplete: str) -> list[str]:
    """The words a shell completes after `--only`."""
    return [name for name in EFFECTS if name.startswith(incomplete)]


EFFECTS = ("mathematics", "measurement", "performance", "bookkeeping")
"""As `diff.effects.Effect` has them; a test compares."""
Source: TypeAlias = Annotated[
    str, typer.Argument(metavar="FILE", help="A launch script or a YAML file; - is standard input.")
]
From: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--from",
        metavar="FRAMEWORK",
        help="What the file is written for; guessed, and said, when absent.",
        autocompletion=frameworks,
    ),
]
FromRelease: TypeAlias = Annotated[
    str | None, typer.Option("--from-release", metavar="RELEASE", help="Its release, e.g. 0.7.1; guessed when absent.")
]
_EACH = "once for both files, or once for each"
FileA: TypeAlias = Annotated[
    str, typer.Argument(metavar="A", help="A launch script or a YAML file; - is standard input.")
]
FileB: TypeAlias = Annotated[str, typer.Argument(metavar="B", help="The other one; for any framework and release.")]
FromEach: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--from",
        metavar="FRAMEWORK",
        help=f"What they are written for; guessed, and said, when absent; {_EACH}.",
        autocompletion=frameworks,
    ),
]
ReleaseEach: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--from-release", metavar="RELEASE", help=f"Their releases; guessed when absent; {_EACH}."),
]
LaunchEach: TypeAlias = Annotated[
    list[int] | None,
    typer.Option("--launch", metavar="N", min=1, help=f"Which launch, in a script with several; {_EACH}."),
]
Only: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--only",
        metavar="EFFECT",
        help="Compare only what changes this: mathematics, measurement, performance, bookkeeping; may be repeated.",
        autocompletion=effects,
    ),
]
BaseEach: TypeAlias = Annotated[
    list[Path] | None,
    typer.Option("--base", metavar="FILE", help=f"A fork's own trainer YAML, below the overrides; {_EACH}."),
]
To: TypeAlias = Annotated[
    str, typer.Option("--to", metavar="FRAMEWORK", help="What to write it for.", autocompletion=frameworks)
]
ToRelease: TypeAlias = Annotated[
    str | None, typer.Option("--to-release", metavar="RELEASE", help="Its release; the newest known when absent.")
]
Set: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="Give a variable of the script, or a key of the config, a value."),
]
Env: TypeAlias = Annotated[
    list[str] | None, typer.Option("--env", metavar="NAME", help="Let this one variable in from the environment.")
]
Args: TypeAlias = Annotated[
    str | None, typer.Option("--args", metavar='"…"', help="The script's own arguments, its $@.")
]
Assume: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--assume",
        metavar="NAME=VALUE",
        help="What a fork counts: mini_batch=samples, capped or steps, responses_per_prompt=N, steps_per_episode=N.",
    ),
]
Launch: TypeAlias = Annotated[
    int | None, typer.Option("--launch", metavar="N", min=1, help="Which launch, in a script with several.")
]
Base: TypeAlias = Annotated[
    Path | None, typer.Option("--base", metavar="FILE", help="A fork's own trainer YAML, below the overrides.")
]
Sources: TypeAlias = Annotated[
    list[Path] | None, typer.Option("--source", metavar="FILE", help="A file that the script sources or reads.")
]
Rows: TypeAlias = Annotated[
    int | None,
    typer.Option("--rows", metavar="N", min=1, help="Rows of the training set, when no local parquet tells."),
]
RolloutGpus: TypeAlias = Annotated[
    int | None, typer.Option("--rollout-gpus", metavar="N", min=1, help="GPUs for rollout, where they are not shared.")
]
Layout: TypeAlias = Annotated[
    Literal["colocated", "separated"] | None,
    typer.Option("--layout", help="Engines and trainer on the same GPUs, or on GPUs of their own."),
]
Questions: TypeAlias = Annotated[
    Path | None, typer.Option("--questions", metavar="FILE", help="Write what you must decide there, to be filled in.")
]
Answers: TypeAlias = Annotated[
    Path | None, typer.Option("--answers", metavar="FILE", help="Take the answers from there, as --questions wrote it.")
]
Output: TypeAlias = Annotated[
    Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write there, whole or not at all.")
]
Json: TypeAlias = Annotated[bool, typer.Option("--json", help="Everything as one JSON object on standard output.")]
Quiet: TypeAlias = Annotated[bool, typer.Option("--quiet", "-q", help="No report on standard error.")]
Color: TypeAlias = Annotated[Colour, typer.Option("--color", help="Colours in reports.")]
