"""This module reads a config and answers questions about it: what is wrong, what it becomes elsewhere, whether it fits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING

from rftconf.api.results import ConfigDiff, ConvertedConfig, Findings, MemoryBudget
from rftconf.api.showing import Report
from rftconf.base.diagnostics import Severity
from rftconf.base.errors import UnreadableError
from rftconf.base.secrets import masked
from rftconf.verbs.read_arguments import Reading

if TYPE_CHECKING:
    from rftconf.load.loaded import Loaded
    from rftconf.plan.model import Plan
    from rftconf.report.screen import Screen
    from rftconf.text.document import Document
    from rftconf.text.source import Source


def read(
    source: str | PathLike[str],
    *,
    name: str = "config",
    framework: str | None = None,
    release: str | None = None,
    variables: Mapping[str, str] | None = None,
    environment: Mapping[str, str] | None = None,
    arguments: Sequence[str] = (),
    launch: int | None = None,
    base: str | PathLike[str] | None = None,
    rows: int | None = None,
    assume: Mapping[str, str] | None = None,
) -> Config:
    """Read a launch script, Hydra overrides, YAML or a saved plan; nothing of it is executed.

    `source` is a path, or the text itself where it has a line break; `name` is what places in a text are called.
    `framework` and `release` are guessed unless given. `variables` are values of the script's variables, `environment`
    those that it takes from outside, `arguments` what it is called with, `launch` which of several commands counts (from
    1), `base` the config that it stands on, `rows` how many rows the training data has, `assume` what a fork's keys mean
    (`{"mini_batch": "samples"}`).

    Raises UnreadableError where there is no config, RefusedError for a framework that is not read, UsageError for a name
    that is not known.
    """
    from rftconf.load.load import load
    from rftconf.schemas.foreign_configs import refuse_foreign
    from rftconf.verbs.open_input import read_source
    from rftconf.verbs.read_arguments import assumptions, framework_name

    opened, path = _opened(source, name)
    how = Reading(
        framework_name(framework) if framework else None,
        release,
        dict(variables or {}),
        dict(environment or {}),
        tuple(arguments),
        launch,
        Path(base) if base is not None else None,
    )
    document = read_source(opened, path, how)
    if not document.readable:
        if framework is None:
            refuse_foreign(document)
        raise _unreadable(document)
    assumed = assumptions([f"{key}={value}" for key, value in (assume or {}).items()])
    loaded = load(document, framework=how.framework, release=how.release, rows=rows, assume=assumed)
    return Config(loaded, opened, path, how, rows, tuple(assumed.items()))


def _opened(source: str | PathLike[str], name: str) -> tuple[Source, str]:
    from rftconf.text.source import STDIN, from_bytes, open_source

    config_name = fspath(source)
    if isinstance(source, str) and "\n" in config_name:
        # no file lies beside a text
        return from_bytes(name, config_name.encode("utf-8", "surrogatepass")), STDIN
    return open_source(Path(config_name)), config_name


def _unreadable(document: Document) -> UnreadableError:
    """Return the first error of a document that cannot be read, with its place."""
    worst = next(d for d in (*document.unreadable_whole, *document.diagnostics) if d.severity is Severity.ERROR)
    place = worst.place
    message = masked(f"{worst.message}{f'; {worst.help}' if worst.help else ''}")
    if place is None:
        return UnreadableError(message, file=document.name)
    return UnreadableError(message, file=place.file, line=place.span.line, col=place.span.col)


@dataclass(frozen=True, repr=False)
class Config(Report):
    """The config of one run, in whatever framework's language, with the plan that it stands for."""

    loaded: Loaded
    _source: Source
    _path: str
    _how: Reading
    _rows: int | None
    _assume: tuple[tuple[str, str], ...]

    @property
    def framework(self) -> str:
        """The framework that it is written for: verl, trinity, roll, chatlearn, trl or openrlhf."""
        return self.loaded.framework

    @property
    def release(self) -> str:
        """The release that it is read as."""
        return self.loaded.release

    @property
    def confidence(self) -> str:
        """Return the confidence in the release: `surely`, `likely: …`, `a guess: …` or `as named`."""
        return self.loaded.guess.confidence

    @property
    def plan(self) -> Plan:
        """The run in no framework's terms: typed, with symbols where a value is not known."""
        return self.loaded.plan

    def check(
        self,
        *,
        select: Sequence[str] = (),
        ignore: Sequence[str] = (),
        severity: str = "info",
        gpu: str = "",
    ) -> Findings:
        """Find what is wrong with it: prefixes of codes in `select` and `ignore`, and at least this `severity`.

        `gpu`, e.g. `h100-80g`, is what the run has to fit. Comments such as `# rftconf: ignore[LEN002]` count.
        """
        from rftconf.lint.engine import Options, Selection
        from rftconf.lint.subject import Cluster
        from rftconf.verbs.check_files import findings

        selection = Selection(tuple(select), tuple(ignore), Severity(severity))
        options = Options(self._how.framework, self._how.release, selection, Cluster(gpu=gpu))
        document = self.loaded.document
        return Findings(tuple(findings(document, options)), document.name, document.text)

    def convert(
        self,
        to: str,
        *,
        release: str | None = None,
        rollout_gpus: int | None = None,
        layout: str | None = None,
        style: str | None = None,
        answers: str | PathLike[str] | None = None,
        gpu: str = "",
    ) -> ConvertedConfig:
        """Write the run for another framework, or another release of its own; the newest unless `release` says which.

        `rollout_gpus` go to engines where the target separates them, `layout` is `colocated` or `separated`, `style` one
        of the target's forms (`sh`, `yaml`, `overrides`), `answers` a file that `rftconf convert --questions` wrote. What
        was written is checked, with `gpu` also for its memory: see `findings` of the result.

        Raises RefusedError where no faithful target exists; its `choices` say what would make one.
        """
        from rftconf.convert.convert import Options, convert_loaded
        from rftconf.verbs.answer_questions import convert_with_answers, given_by
        from rftconf.verbs.check_own_output import errors_in
        from rftconf.verbs.convert_many import Job
        from rftconf.verbs.read_arguments import framework_name

        options = Options(release, rollout_gpus, style=style, layout=layout)
        target = framework_name(to)
        done = convert_loaded(self.loaded, target, options)
        if answers is not None:
            job = Job(self._how, target, options, self._rows, "warn", dict(self._assume), gpu)
            done = convert_with_answers(self._source, self._path, job, done, given_by(Path(answers))).done
        name = f"converted{done.file_suffix}"
        wrong = errors_in(name, done.text, done.ledger, gpu)
        return ConvertedConfig(done, Findings(wrong, name, done.text))

    def budget(
        self,
        gpu: str,
        *,
        nodes: int | None = None,
        gpus_per_node: int | None = None,
        model: str | None = None,
        mean_tokens: int | None = None,
    ) -> MemoryBudget:
        """Price the run in the memory of a GPU: a name such as `h100-80g`, or `NAME:GIB` for another.

        `nodes` and `gpus_per_node` are another cluster than the config's; `model` is a name, a folder or a config.json;
        `mean_tokens` is how long sequences are on average, where padding is removed.

        Raises UsageError for what is missing, with the argument that gives it.
        """
        from rftconf.budget.advice.cluster_search import on_cluster
        from rftconf.budget.facts.gpus import gpu_named
        from rftconf.budget.price import price
        from rftconf.budget.roles.plan_view import plan_view
        from rftconf.budget.roles.setup import BudgetRequest

        loaded = self.loaded
        plan = plan_view((s.values for s in loaded.stages), loaded.framework, loaded.release, loaded.extensions)
        setup = on_cluster(plan, BudgetRequest(nodes, gpus_per_node, model, mean_tokens=mean_tokens))
        return MemoryBudget(price(setup, gpu_named(gpu)))

    def diff(self, config: Config) -> ConfigDiff:
        """Compare it with another config: are both the same run, and what differs in effect?"""
        from rftconf.diff.compare import compare
        from rftconf.diff.sides import side

        sides = (side(config.loaded.document.name, config.loaded) for config in (self, config))
        return ConfigDiff(compare(*sides))

    def __repr__(self) -> str:
        """Show the framework and the release that it was read as."""
        return f"<Config {self.loaded.document.name}: {self.framework} {self.release}, {self.confidence}>"

    def _report(self, screen: Screen) -> str:
        from rftconf.report.plan import plan_json, plan_tree

        return plan_tree(plan_json(self.plan, {}), {}, screen)
