"""`rftconf new`: a first config that fits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

if TYPE_CHECKING:
    import typer

    from rftconf.cli import options


def new(
    framework: Annotated[
        str | None, typer.Option("--framework", metavar="NAME", help="What to write it for: verl, trinity, …")
    ] = None,
    algorithm: Annotated[
        str | None, typer.Option("--algorithm", metavar="NAME", help="grpo, dapo, ppo, rloo, reinforce++ or gspo.")
    ] = None,
    model: Annotated[
        str | None, typer.Option("--model", metavar="NAME|DIR", help="The policy: a name, or where its config.json is.")
    ] = None,
    gpus: Annotated[int | None, typer.Option("--gpus", metavar="N", min=1, help="All GPUs of the run.")] = None,
    gpu: Annotated[
        str | None, typer.Option("--gpu", metavar="NAME", help="Which GPU, e.g. h100-80g; NAME:GIB for another.")
    ] = None,
    nodes: Annotated[
        int | None,
        typer.Option("--nodes", metavar="N", min=1, help="Nodes they are on; as few of 8 as hold them when absent."),
    ] = None,
    data: Annotated[
        str | None, typer.Option("--data", metavar="FILE", help="Training rows; $TRAIN_DATA at start when absent.")
    ] = None,
    eval_data: Annotated[
        str | None, typer.Option("--eval-data", metavar="FILE", help="Rows that are held out.")
    ] = None,
    rows: options.Rows = None,
    prompt_tokens: Annotated[
        int | None,
        typer.Option("--prompt-tokens", metavar="N", min=1, help="Longest prompt, instead of the recipe's."),
    ] = None,
    response_tokens: Annotated[
        int | None,
        typer.Option("--response-tokens", metavar="N", min=1, help="Longest answer, instead of the recipe's."),
    ] = None,
    release: Annotated[
        str | None,
        typer.Option("--release", metavar="RELEASE", help="The framework's release; the newest known when absent."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Write over a file that is there.")] = False,
    output: options.Output = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
    color: options.Color = "auto",
) -> int:
    """Write a first config: a published recipe in the framework's own words, sized so that it fits the GPUs.

    Batches, rates and losses come from the frameworks' own examples, which the file names. Engine size, micro-batches,
    offloading and the engines' share of memory are chosen by the memory account (rftconf budget), and the result is
    checked (rftconf check). At a terminal, what is not given is asked for.

    \b
    Examples:
      rftconf new
      rftconf new --framework verl --algorithm grpo --model Qwen/Qwen2.5-7B-Instruct --gpus 8 --gpu h100-80g -o run.sh
      rftconf new --framework trinity --algorithm ppo --model Qwen/Qwen3-8B --gpus 16 --gpu a100-80g --data data/gsm8k

    Exit: 0 written, 1 written with findings, 2 unknown names, missing options, or a file that is there, 3 no such
    algorithm in this framework, or it does not fit.
    """
    from rftconf.verbs import ask as asking
    from rftconf.verbs import new_config as creating

    choices = asking.ConfigChoices(framework, algorithm, model, gpus, gpu, data, output)
    complete = asking.completed(choices)
    extra = creating.Extra(nodes, eval_data, rows, prompt_tokens, response_tokens, release)
    return creating.create(complete, extra, creating.Manner(force, json, quiet, color))
