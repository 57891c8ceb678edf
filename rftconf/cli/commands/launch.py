"""`rftconf launch`: files that start a run on Kubernetes or Slurm."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

if TYPE_CHECKING:
    import typer

    from rftconf.cli import options


def launch(
    source: options.Source,
    on: Annotated[
        Literal["kuberay", "slurm"], typer.Option("--on", metavar="WHERE", help="kuberay: a RayJob; slurm: for sbatch.")
    ],
    folder: Annotated[
        str, typer.Option("--folder", metavar="PATH", help="Where the config lies there; the run is kept below it.")
    ],
    image: Annotated[
        str, typer.Option("--image", metavar="NAME", help="kuberay: an image that has rftconf and its runner.")
    ] = "",
    claim: Annotated[
        str, typer.Option("--claim", metavar="NAME", help="kuberay: the volume claim that is mounted at --folder.")
    ] = "",
    hours: Annotated[
        int, typer.Option("--hours", metavar="N", min=1, help="slurm: the longest the run may take.")
    ] = 24,
    partition: Annotated[str, typer.Option("--partition", metavar="NAME", help="slurm: the partition.")] = "",
    from_: options.From = None,
    from_release: options.FromRelease = None,
    set_: options.Set = None,
    env: options.Env = None,
    output: options.Output = None,
    quiet: options.Quiet = False,
    color: options.Color = "auto",
) -> int:
    """Write what starts `rftconf run` on a cluster, with as many nodes and GPUs as the config says. Starts nothing.

    The config is expected in --folder under its own name, and metrics and checkpoints go to a folder beside it. With
    several nodes all of them must see that folder; Ray is started on each, and one that is lost joins again.

    \b
    Examples:
      rftconf launch run_grpo.sh --on slurm --folder /shared/grpo -o grpo.sbatch
      rftconf launch run_grpo.sh --on kuberay --folder /runs --image IMAGE --claim runs -o grpo.yaml

    Exit: 0 written, 2 unreadable or usage, 3 an unknown number of nodes.
    """
    from pathlib import PurePosixPath

    from rftconf.base.errors import RefusedError, UsageError
    from rftconf.base.symbols import formula
    from rftconf.runs import launch_files
    from rftconf.verbs import output as out
    from rftconf.verbs.open_input import understood
    from rftconf.verbs.read_arguments import reading

    if on == "kuberay" and not (image and claim):
        raise UsageError("a RayJob needs --image and --claim")
    if source == "-":
        raise UsageError("the file must have a name, under which it lies in --folder")
    how = reading(from_, from_release, set_, env, None, None, None, None)
    loaded = understood(source, how, out.report_screen(color), rows=None, quiet=quiet)
    if loaded is None:
        return 2
    cluster = loaded.plan.cluster
    nodes = 1 if cluster.nodes is None else cluster.nodes
    if not isinstance(nodes, int):
        raise RefusedError(f"cluster.nodes is {formula(nodes)}: --set gives it a number")
    file, base = PurePosixPath(source), PurePosixPath(folder)
    run_options = [
        *_words("--from", [from_] if from_ else []),
        *_words("--from-release", [from_release] if from_release else []),
    ]
    run_options += [*_words("--set", set_), *_words("--env", env)]
    gpus = cluster.gpus_per_node if isinstance(cluster.gpus_per_node, int) else 0
    launch = launch_files.Launch(
        file.stem, str(base / file.name), str(base / file.stem), gpus, tuple(run_options), nodes
    )
    text = (
        launch_files.kuberay(launch, image, claim, folder)
        if on == "kuberay"
        else launch_files.slurm(launch, hours, partition)
    )
    out.product(text, output, executable=on == "slurm")
    return 0


def _words(option: str, values: list[str] | None) -> list[str]:
    """An option as often as it was given. Raises UsageError for a secret, which does not belong into a file."""
    from rftconf.base.errors import UsageError
    from rftconf.base.secrets import is_secret

    for item in values or ():
        name, _, value = item.partition("=")
        if is_secret(name, value):
            raise UsageError(
                f"{option} {name} is a secret, and the file would hold it: let it in there with --env {name}"
            )
    return [word for value in values or () for word in (option, value)]
