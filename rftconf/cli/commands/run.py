"""`rftconf run`: execute a config with vLLM, FSDP2 and Ray."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

if TYPE_CHECKING:
    import typer

    from rftconf.cli import options


def run(
    source: options.Source,
    from_: options.From = None,
    from_release: options.FromRelease = None,
    set_: options.Set = None,
    env: options.Env = None,
    args: options.Args = None,
    launch: options.Launch = None,
    base: options.Base = None,
    sources: options.Sources = None,
    rows: options.Rows = None,
    assume: options.Assume = None,
    output: options.RunFolder = None,
    reward: Annotated[
        list[str] | None,
        typer.Option(
            "--reward",
            metavar="WHICH",
            help="The reward, where the config has no place for one: FILE.py:FUNCTION, MODULE:FUNCTION, exact, gsm8k, math_verify, format:REGEX, "
            "judge:FORM, or model for a reward model's own score; NAME=WHICH for one domain or data set. Repeatable.",
        ),
    ] = None,
    leave_out: Annotated[
        list[str] | None,
        typer.Option(
            "--leave-out",
            metavar="KEY",
            help="Run without a key, or a field of the plan, that changes what is learned and that the runner does not read. Repeatable.",
        ),
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on from the folder's last checkpoint.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be executed, and stop.")] = False,
    address: Annotated[
        str | None,
        typer.Option("--address", metavar="HOST:PORT", help="A Ray cluster that is there; else one is started here."),
    ] = None,
    reward_seconds: Annotated[
        float | None,
        typer.Option("--reward-seconds", metavar="S", help="How long scoring a period's answers may take; 60."),
    ] = None,
    answer_seconds: Annotated[
        float | None,
        typer.Option("--answer-seconds", metavar="S", help="How long a rule may take over one answer, then 0; 10."),
    ] = None,
    finish_answers: Annotated[
        bool,
        typer.Option("--finish-answers", help="Finish every answer before a sync, where the plan would cut them."),
    ] = False,
    no_trackers: Annotated[
        bool, typer.Option("--no-trackers", help="Log to the folder only, whatever trackers the config names.")
    ] = False,
    no_validation: Annotated[
        bool, typer.Option("--no-validation", help="Validate nothing, whatever the config says.")
    ] = False,
    gpu: Annotated[
        str | None,
        typer.Option(
            "--gpu", metavar="NAME", help="Which GPU, for the memory account, e.g. h100-80g; else this machine's."
        ),
    ] = None,
    gpus: Annotated[
        str | None,
        typer.Option(
            "--gpus", metavar="N", help="How many GPUs to place the run on, or NODESxGPUS; else those that are here."
        ),
    ] = None,
    as_placed: Annotated[
        bool, typer.Option("--as-placed", help="Refuse a placement that the runner does not have.")
    ] = False,
    python: Annotated[
        str | None,
        typer.Option("--python", metavar="PATH", help="The interpreter of an environment that has the runner."),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON lines: a period's numbers, or an event.")] = False,
    quiet: options.Quiet = False,
    color: options.Color = "auto",
) -> int:
    """Execute a config's plan: vLLM generates, PyTorch FSDP2 trains, Ray holds the processes.

    What the runner would execute otherwise than the plan says is refused, by field, before anything starts. A placement
    that it does not have (Megatron, SGLang, more GPUs than there are) is chosen anew for the GPUs that are here, which is
    said first; what is learned stays as it is, and --as-placed refuses instead. An interrupt (Ctrl-C) ends the run after
    its period, with a checkpoint that --resume goes on from. A process that dies is replaced, and the run goes on from
    its last checkpoint. At the end the reward is plotted, here and in the folder's curve.html. --dry-run says what would
    be placed where, and with --gpu whether it fits.

    \b
    Examples:
      rftconf run run_grpo.sh --dry-run --gpu h100-80g
      rftconf run megatron.sh --gpus 8 --gpu h100-80g --dry-run
      rftconf run run_grpo.sh -o runs/first --python .runner/bin/python
      rftconf run trinity.yaml --reward reward.py:compute_score
      rftconf run run_grpo.sh -o runs/first --resume
    """
    from pathlib import Path
    from tempfile import TemporaryDirectory

    from rftconf.report.plan import plan_text
    from rftconf.verbs import output as out
    from rftconf.verbs import start_runner as running
    from rftconf.verbs.gpus_here import gpus_for
    from rftconf.verbs.new_placement import placed_here
    from rftconf.verbs.open_input import understood
    from rftconf.verbs.read_arguments import assumptions, reading

    interpreter = running.interpreter(python)
    how = reading(from_, from_release, set_, env, args, launch, base, sources)
    loaded = understood(source, how, out.report_screen(color), rows=rows, assume=assumptions(assume), quiet=quiet)
    if loaded is None:
        return 2
    machine = gpus_for(loaded.plan, gpus, gpu, cluster=address is not None)
    placement = placed_here(loaded, machine, None if quiet else out.report_screen(color), as_placed=as_placed)
    if placement is None:
        return 2
    listed = [("--reward", value) for value in reward or ()] + [("--leave-out", key) for key in leave_out or ()]
    limits = (("--reward-seconds", reward_seconds), ("--answer-seconds", answer_seconds))
    named = (*listed, ("--address", address), *limits)
    more = [word for name, value in named if value is not None for word in (name, str(value))]
    names = ("--resume", "--dry-run", "--finish-answers", "--no-trackers", "--no-validation", "--json", "--quiet")
    switches = (resume, dry_run, finish_answers, no_trackers, no_validation, json, quiet)
    more += [name for name, switch in zip(names, switches, strict=True) if switch]
    plan = plan_text(placement.plan)
    if dry_run:
        from rftconf.verbs.run_placement import placed_text

        if not quiet and not json:
            out.report(placed_text(placement.plan, gpu, out.report_screen(color)))
        with TemporaryDirectory() as nowhere:
            return running.start(interpreter, plan, Path(nowhere), more)
    folder = output or Path("runs") / (Path(source).stem if source != "-" else "run")
    code = running.start(interpreter, plan, folder, more)
    running.plot(folder, None if quiet or json else out.product_screen(color))
    return code
