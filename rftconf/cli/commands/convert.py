"""`rftconf convert`: one framework's config from another's, with an account of every key."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

if TYPE_CHECKING:
    import typer

    from rftconf.cli import options
    from rftconf.convert.convert import Conversion, Options
    from rftconf.convert.questions.answers_file import FileAnswers
    from rftconf.convert.stage_series import Series
    from rftconf.load.loaded import Loaded
    from rftconf.report.screen import Screen
    from rftconf.text.source import Source
    from rftconf.verbs.answer_questions import Answering
    from rftconf.verbs.convert_many import Job
    from rftconf.verbs.read_arguments import Reading


class Asking(NamedTuple):
    """The file that questions go to, and the answers that were given."""

    questions: Path | None
    given: FileAnswers | None


def convert(
    source: options.Source,
    to: options.To,
    from_: options.From = None,
    from_release: options.FromRelease = None,
    to_release: options.ToRelease = None,
    set_: options.Set = None,
    env: options.Env = None,
    args: options.Args = None,
    launch: options.Launch = None,
    base: options.Base = None,
    sources: options.Sources = None,
    rows: options.Rows = None,
    assume: options.Assume = None,
    rollout_gpus: options.RolloutGpus = None,
    layout: options.Layout = None,
    questions: options.Questions = None,
    answers: options.Answers = None,
    style: Annotated[
        options.Form | None,
        typer.Option(
            "--as", help="veRL, ChatLearn: script or YAML, as -o FILE is called; veRL's is a script when nothing says."
        ),
    ] = None,
    form: Annotated[
        Literal["auto", "A", "B"],
        typer.Option("--form", help="Trinity: one sync interval for both sides (A), or one each (B)."),
    ] = "auto",
    output: options.Output = None,
    ledger: Annotated[
        Path | None, typer.Option("--ledger", metavar="FILE", help="Write the account of every key there, as JSON.")
    ] = None,
    adapters: Annotated[
        Path | None,
        typer.Option(
            "--adapters",
            metavar="DIR",
            help="Write a script that converts the data, and the reward behind the target's interface.",
        ),
    ] = None,
    gpu: Annotated[
        str, typer.Option("--gpu", metavar="NAME", help="The GPU that the run has to fit, e.g. h100-80g.")
    ] = "",
    certify: Annotated[
        bool, typer.Option("--certify", help="Also write what the conversion claims, for rftconf verify to check.")
    ] = False,
    on_loss: Annotated[
        options.OnLoss,
        typer.Option(
            "--on-loss",
            help="error: write nothing where something is lost; allow: write even what the target would refuse.",
        ),
    ] = "warn",
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Report every key, also those kept as they were.")
    ] = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
    color: options.Color = "auto",
) -> int:
    """Write a config for another framework, and account for every key.

    The config goes to standard output (or -o FILE), the report to standard error: first what you must decide, then
    what changes the learning, the largest effect first, then how many keys ended how. -v lists every key. The file is
    read, never executed.

    --questions FILE writes what you must decide as a YAML file with each answer explained; fill it in, and --answers
    FILE converts with all answers at once. An answer that stays null stays open. Of a staged run or a folder one file
    holds the questions of all, each under the name of its file.

    A run of several stages becomes several files and a script that runs them in order, with -o FOLDER. A folder is
    converted file by file to the same places below -o FOLDER.

    \b
    Examples:
      rftconf convert run_grpo.sh --to trinity > grpo.yaml
      rftconf convert run_grpo.sh --to trinity --set MODEL_PATH=/models/qwen --rows 7473 -o grpo.yaml
      rftconf convert grpo.yaml --to verl -o run_grpo.sh --ledger ledger.json
      rftconf convert sft_then_grpo.yaml --to verl -o run/
      rftconf convert configs/ --to verl -o converted/
      rftconf convert run_grpo.sh --to trinity --adapters adapters -o grpo.yaml
      rftconf convert run_grpo.sh --to trinity --certify -o grpo.yaml
      rftconf convert run_grpo.sh --to trinity --questions answers.yaml > grpo.yaml
      rftconf convert run_grpo.sh --to trinity --on-loss error --quiet

    What is converted is checked before it is written, as `rftconf check` does it: an error in it is a refusal.

    Exit: 0 done, 1 losses under --on-loss error, 2 unreadable or usage, 3 refused (with what would be possible).
    """
    from rftconf.convert.convert import convert_loaded
    from rftconf.load.load import load
    from rftconf.text.source import open_source
    from rftconf.verbs import answer_questions as answering
    from rftconf.verbs import output as out
    from rftconf.verbs import write_conversion as converted
    from rftconf.verbs.convert_many import Job, is_folder
    from rftconf.verbs.open_input import read_source, report_unreadable
    from rftconf.verbs.read_arguments import assumptions, framework_name, reading

    how = reading(from_, from_release, set_, env, args, launch, base, sources)
    assumed = assumptions(assume)
    target = framework_name(to)
    style_for_file = _suitable_form(target, style, form, None if Path(source).is_dir() else output)
    conversion_options = _options(to_release, rollout_gpus, form, style_for_file, adapters, layout)
    many_runs = Job(how, target, conversion_options, rows, on_loss, assumed, _gpu(gpu))
    written = converted.write_conversion(source, output, ledger, adapters, certify=certify, as_json=json)
    asking = Asking(questions, answering.given_by(answers))
    if Path(source).is_dir():
        _one_run(adapters)
        return _folder(Path(source), output, ledger, many_runs, asking, as_json=json, quiet=quiet, color=color)
    opened = open_source(source)
    document = read_source(opened, source, how)
    screen = out.report_screen(color)
    if not document.readable:
        report_unreadable(document, how, screen)
        return 2
    loaded = load(document, framework=how.framework, release=how.release, rows=rows, assume=assumed)
    if output is not None and is_folder(output) and _is_series(loaded, target):
        _one_run(adapters)
        if not quiet:
            _tell_source(loaded, how, screen)
        runs = _staged(opened, source, many_runs, loaded, asking)
        return converted.series(runs.done, written, output, runs.job, screen, quiet=quiet, full=verbose)
    done = convert_loaded(loaded, target, conversion_options)
    answered = answering.convert_with_answers(opened, source, many_runs, done, asking.given)
    _refuse_foreign(adapters, answered.done)
    answering.write_questions(questions, source, answered, asking.given)
    _tell(answered.done, how, screen, full=verbose, quiet=quiet)
    return converted.single(answered.done, written, answered.job, screen, quiet=quiet)


def _tell_source(loaded: Loaded, how: Reading, screen: Screen) -> None:
    from rftconf.verbs.open_input import report_document, report_guess

    report_document(loaded.document, screen)
    report_guess(loaded.guess, how, screen)


def _staged(opened: Source, name: str, job: Job, loaded: Loaded, asking: Asking) -> Answering[Series]:
    """The runs of a staged run, as the answers say."""
    from rftconf.convert.stage_series import convert_series
    from rftconf.verbs import answer_questions as answering

    done = convert_series(loaded, job.target, job.options)
    runs = answering.convert_with_answers(opened, name, job, done, asking.given)
    answering.write_questions(asking.questions, name, runs, asking.given)
    return runs


def _tell(done: Conversion, how: Reading, screen: Screen, *, full: bool, quiet: bool) -> None:
    """Report problems of the source, its framework and the ledger; with `quiet` only the parts that were not read."""
    from rftconf.report.ledger import ledger_text
    from rftconf.verbs import output as out
    from rftconf.verbs.open_input import report_document, report_guess, report_unread

    if quiet:
        report_unread(done.loaded.document)
        return
    report_document(done.loaded.document, screen, more=done.diagnostics)
    report_guess(done.loaded.guess, how, screen)
    out.report(ledger_text(done.ledger, screen, full=full))


def _options(
    to_release: str | None,
    rollout_gpus: int | None,
    form: str,
    style: str | None,
    adapters: Path | None = None,
    layout: str | None = None,
) -> Options:
    from rftconf.convert.convert import Options

    return Options(to_release, rollout_gpus, form, style, _adapters_folder(adapters), layout)


def _refuse_foreign(adapters: Path | None, done: Conversion) -> None:
    if adapters is not None:
        from rftconf.convert.adapters.folder import refuse_foreign

        refuse_foreign(adapters, done.adapters)


def _one_run(adapters: Path | None) -> None:
    from rftconf.base.errors import UsageError

    if adapters is not None:
        raise UsageError("--adapters is for one run: convert the stages or files one by one")


def _is_series(loaded: Loaded, target: str) -> bool:
    from rftconf.convert.stage_series import is_series

    return is_series(loaded, target)


def _folder(
    source: Path,
    output: Path | None,
    ledger: Path | None,
    job: Job,
    asking: Asking,
    *,
    as_json: bool,
    quiet: bool,
    color: options.Colour,
) -> int:
    """A whole folder; the exit code is the worst of its files'."""
    from rftconf.base.errors import UsageError
    from rftconf.verbs import answer_questions as answering
    from rftconf.verbs import convert_many as many
    from rftconf.verbs import output as out

    if output is None or output.is_file():
        raise UsageError(f"{source} is a folder: name the folder to write to with -o FOLDER")
    if ledger is not None:
        raise UsageError("--ledger is for one file; --json gives the ledgers of all files of a folder")
    jobs: dict[str, Job] = {}
    if asking.questions is not None or asking.given is not None:
        folder_answers = answering.answered_below(source, job, asking.given)
        answering.write_questions_below(asking.questions, source, job.target, folder_answers, asking.given)
        jobs = folder_answers.jobs
    outcomes = many.convert_folder(source, output, job, jobs)
    if not quiet:
        out.report(many.summary(outcomes, out.report_screen(color)))
    if as_json:
        out.product_json(many.as_json(outcomes))
    return many.worst(outcomes)


def _gpu(name: str) -> str:
    """The name as given. Raises UsageError for a GPU that is not in the table."""
    if name:
        from rftconf.budget.facts.gpus import gpu_named

        gpu_named(name)
    return name


def _suitable_form(target: str, style: str | None, form: str, output: Path | None) -> str | None:
    """Return the form to write. Raises UsageError for an option or an output's name that says nothing about `target`."""
    from rftconf.base.errors import UsageError
    from rftconf.schemas.registry import framework
    from rftconf.verbs.output_form import form_of_output

    known = framework(target)
    if style is not None and style not in known.forms:
        raise UsageError(f"--as {style}: a {target} config is written as {' or '.join(known.forms)}")
    if not known.two_forms and form != "auto":
        raise UsageError(f"--form {form} is about Trinity-RFT's sync intervals; {target} has none")
    return form_of_output(output, style, known)


def _adapters_folder(adapters: Path | None) -> str | None:
    """The folder as the config will name it. Raises UsageError for one that a config cannot hold as plain text."""
    from rftconf.base.errors import UsageError

    if adapters is None:
        return None
    if any(not char.isprintable() or char in "${}\"'`\\" for char in str(adapters)):
        raise UsageError(
            f"--adapters {str(adapters)!r}: the config names this folder; quotes, braces and $ would not survive"
        )
    return str(adapters)
