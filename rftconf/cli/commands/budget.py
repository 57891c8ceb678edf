"""`rftconf budget`: will it fit, on how many GPUs, and what to change."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

if TYPE_CHECKING:
    from collections.abc import Mapping

    import typer

    from rftconf.budget.advice.cluster_search import Answer
    from rftconf.budget.advice.inverse_questions import Point
    from rftconf.budget.price import Budget
    from rftconf.cli import options
    from rftconf.load.loaded import Loaded
    from rftconf.plan.model import Plan
    from rftconf.report.screen import Screen
    from rftconf.verbs.read_arguments import Reading


YEAR_SECONDS = 366 * 24 * 3600


def budget(
    source: options.Source,
    gpu: Annotated[
        str, typer.Option("--gpu", metavar="NAME", help="Which GPU, e.g. h100-80g; NAME:GIB for another.")
    ] = "",
    nodes: Annotated[
        int | None,
        typer.Option("--nodes", metavar="N", help="Nodes; other ones than the file's: every role keeps its part."),
    ] = None,
    gpus_per_node: Annotated[int | None, typer.Option("--gpus-per-node", metavar="M", help="GPUs of a node.")] = None,
    model: Annotated[
        str | None,
        typer.Option("--model", metavar="NAME|DIR|JSON", help="The model: a name, or where its config.json is."),
    ] = None,
    date: Annotated[
        str | None, typer.Option("--trainer-date", metavar="WHEN", help="Release or date of the trainer's code.")
    ] = None,
    mean_tokens: Annotated[
        int | None,
        typer.Option("--mean-tokens", metavar="N", help="Mean tokens of a sequence, where padding is removed."),
    ] = None,
    step_seconds: Annotated[
        float | None, typer.Option("--step-seconds", metavar="S", help="Seconds of one rollout period, for GPU-hours.")
    ] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Print every formula with its numbers.")] = False,
    phase: Annotated[str | None, typer.Option("--phase", metavar="NAME", help="Explain this phase.")] = None,
    fit: Annotated[
        bool, typer.Option("--fit", help="Find what would fit: fewest GPUs, largest micro-batch, …")
    ] = False,
    front: Annotated[
        bool, typer.Option("--front", help="Compare clusters: rent against the largest micro-batch.")
    ] = False,
    apply: Annotated[
        int | None,
        typer.Option("--apply", metavar="N", min=1, help="Write the file with the Nth answer of --fit, to -o."),
    ] = None,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Also write a report with charts.")
    ] = None,
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
    output: options.Output = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
    color: options.Color = "auto",
) -> int:
    """Price a run in GPU memory: every role and phase, whether it fits, and what to change.

    \b
    Examples:
      rftconf budget run_grpo.sh --gpu h100-80g
      rftconf budget run_grpo.sh --gpu a100-80g --explain
      rftconf budget grpo.yaml --gpu h20 --fit --html budget.html
      rftconf budget run_grpo.sh --gpu h100 --apply 1 -o run_fitted.sh
    """
    from rftconf.budget.advice.cluster_search import on_cluster
    from rftconf.budget.facts.gpus import gpu_named
    from rftconf.budget.price import price
    from rftconf.budget.roles.setup import BudgetRequest
    from rftconf.verbs import output as out
    from rftconf.verbs.read_arguments import assumptions, reading

    chosen = gpu_named(gpu) if gpu else None
    how = reading(from_, from_release, set_, env, args, launch, base, sources)
    loaded, plan = _open(source, how, rows, assumptions(assume), quiet=quiet, color=color)
    if plan is None:
        return 2
    request = BudgetRequest(
        _positive(nodes, "--nodes"),
        _positive(gpus_per_node, "--gpus-per-node"),
        model,
        date,
        _positive(mean_tokens, "--mean-tokens"),
    )
    setup = on_cluster(plan, request)
    budget = price(setup, chosen or _needed())
    _known_phase(budget, phase)
    hours = _gpu_hours(plan, setup.total, step_seconds)
    more = _answers(budget) if fit or apply is not None else (), _front(budget) if front else ()
    if html is not None:
        from rftconf.budget.as_html import budget_html

        out.product(budget_html(budget, *more), html)
    if apply is not None:
        return _apply(loaded, more[0], apply, how, output)
    if json:
        _json(budget, *more, hours, output)
    else:
        screen = out.product_screen(color if output is None else "never")
        out.product(_text(budget, *more, hours, screen, explained=explain or phase is not None, phase=phase), output)
    return 0 if budget.verdict == "fits" and not budget.problems else 1


def _text(
    budget: Budget,
    answers: tuple[Answer, ...],
    points: tuple[Point, ...],
    hours: float | None,
    screen: Screen,
    *,
    explained: bool,
    phase: str | None,
) -> str:
    from rftconf.budget import as_text as report

    text = report.explain_text(budget, phase) if explained else report.budget_text(budget, screen, gpu_hours=hours)
    answered = report.answers_text(answers, screen) if answers else ""
    compared = report.front_text(points, screen) if points else ""
    return "\n".join(part for part in (text, answered, compared) if part)


def _needed() -> NoReturn:
    from rftconf.base.errors import UsageError
    from rftconf.budget.facts.gpus import GPUS

    raise UsageError(f"pass --gpu, one of: {', '.join(gpu.name for gpu in GPUS)}; or NAME:GIB")


def _known_phase(budget: Budget, phase_name: str | None) -> None:
    from rftconf.base.errors import UsageError

    names = list(dict.fromkeys(phase.name for pool in budget.pools for phase in pool.phases))
    if phase_name and not any(phase_name in name for name in names):
        raise UsageError(f"--phase {phase_name}: this run has {', '.join(names)}")


def _positive(value: int | None, option: str) -> int | None:
    from rftconf.base.errors import UsageError

    if value is not None and value < 1:
        raise UsageError(f"{option} is {value}: a size is a number above 0")
    return value


def _open(
    source: str, how: Reading, rows: int | None, assume: Mapping[str, str], *, quiet: bool, color: options.Colour
) -> tuple[Loaded | None, Plan | None]:
    """A config, or a plan that `rftconf plan --json` wrote."""
    from rftconf.verbs import output as out
    from rftconf.verbs.open_input import understood

    if source.endswith(".json"):
        return None, _plan_file(Path(source))
    loaded = understood(source, how, out.report_screen(color), rows=rows, assume=assume, quiet=quiet)
    if loaded is None:
        return None, None
    from rftconf.budget.roles.plan_view import plan_view

    return loaded, plan_view((s.values for s in loaded.stages), loaded.framework, loaded.release, loaded.extensions)


def _plan_file(path: Path) -> Plan:
    from json import loads

    from pydantic import ValidationError

    from rftconf.base.errors import UnreadableError
    from rftconf.plan.model import Plan
    from rftconf.text.source import open_source

    try:
        data = loads(open_source(str(path)).text)
        plan = Plan.model_validate(data.get("plan", data) if isinstance(data, dict) else data)
    except (ValueError, ValidationError, RecursionError) as error:
        first = str(error).splitlines()[0]
        raise UnreadableError(f"not a plan as `rftconf plan --json` writes it: {first}", file=str(path)) from None
    if not plan.stages:
        raise UnreadableError("the plan has no stage", file=str(path))
    return plan


def _answers(budget: Budget) -> tuple[Answer, ...]:
    from rftconf.budget.advice.inverse_questions import answers

    return answers(budget.setup, budget.gpu)


def _front(budget: Budget) -> tuple[Point, ...]:
    from rftconf.budget.advice.cluster_search import USUAL
    from rftconf.budget.advice.inverse_questions import front
    from rftconf.budget.facts.gpus import gpu_named

    gpus = dict.fromkeys([budget.gpu, *(gpu_named(name) for name in USUAL)])
    return front(budget.setup, tuple(gpus))


def _gpu_hours(plan: Plan, gpus: int, seconds: float | None) -> float | None:
    from rftconf.base.errors import UsageError

    if seconds is None:
        return None
    if not 0 < seconds < YEAR_SECONDS:
        raise UsageError(f"--step-seconds is {seconds}: a time is a number above 0, and below a year")
    rollouts = plan.stages[-1].run_length.rollouts
    if not isinstance(rollouts, int):
        raise UsageError(
            "the plan does not say how many rollout periods the run has; pass --rows, or set them in the file"
        )
    return gpus * rollouts * seconds / 3600


def _json(
    budget: Budget, answers: tuple[Answer, ...], points: tuple[Point, ...], hours: float | None, file: Path | None
) -> None:
    from rftconf.budget.as_json import answers_json, budget_json, front_json
    from rftconf.verbs import output as out

    data = budget_json(budget)
    if hours is not None:
        data["gpu_hours"] = hours
    if answers:
        data["answers"] = answers_json(answers)
    if points:
        data["front"] = front_json(points)
    out.product_json(data, file)


def _apply(loaded: Loaded | None, answers: tuple[Answer, ...], number: int, how: Reading, file: Path | None) -> int:
    from rftconf.base.errors import UsageError
    from rftconf.load.load import load
    from rftconf.verbs import output as out
    from rftconf.verbs.apply_changes import patched
    from rftconf.verbs.open_input import read_again

    if loaded is None:
        raise UsageError("--apply changes a config, not a plan")
    if number > len(answers):
        raise UsageError(f"--apply {number}: there are {len(answers)} answers")
    answer = answers[number - 1]
    if not answer.changes:
        raise UsageError(f"--apply {number}: nothing to change; {answer.question}: {answer.text}")
    was = loaded

    def again(text: str) -> Loaded:
        return load(read_again(was.document.name, text, how), framework=was.framework, release=was.release)

    text, remaining = patched(loaded, answer.changes, again)
    out.report(
        f"{answer.question}: {answer.text}\n"
        + "".join(f"not in the file, set it yourself: {line}\n" for line in remaining)
    )
    out.product(text, file)
    return 1 if remaining else 0
