"""The law of outputs: what is converted can be read back, differs in nothing unsaid, and is not wrong where the source is right."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from functools import cached_property

from rftconf.base.diagnostics import Diagnostic, Severity
from rftconf.base.errors import RftconfError
from rftconf.base.ledger import Basis, Ledger
from rftconf.base.symbols import open_keys
from rftconf.convert.convert import Conversion, Options, convert_loaded
from rftconf.convert.learning.differences_in_ledger import ledger_lines_on
from rftconf.diff.compare import compare
from rftconf.diff.sides import Side, side
from rftconf.lint import engine, registry
from rftconf.lint import key_checks as basic
from rftconf.lint.interpolated import unresolved
from rftconf.load.load import load
from rftconf.load.loaded import Loaded
from rftconf.mappers.rows import Row
from rftconf.mappers.tables import table_of
from rftconf.schemas import catalogue
from rftconf.schemas.registry import FRAMEWORKS
from rftconf.schemas.registry import framework as framework_of
from rftconf.text.document import Document
from rftconf.text.read.read import read
from rftconf.text.source import Source
from tests.fuzz.fix_law import followed
from tests.fuzz.mutations import Case
from tests.fuzz.tally import Broken, Tally, crash, plain
from tests.laws.there_and_back import ALGORITHM

CODES = engine.looked_for(engine.Selection())


STYLES = {"verl": ("sh", "yaml", "overrides"), "chatlearn": ("sh", "yaml")}


def drawn(case: str, to: str) -> Options:
    """What a caller asks: every second one nothing, the others a release, a style, a split of the GPUs."""
    chance = random.Random(f"{case}/{to}")
    if chance.random() < 0.5:
        return Options()
    return Options(
        to_release=chance.choice((None, *FRAMEWORKS[to].releases)),
        rollout_gpus=chance.choice((None, None, 1, 2, 3, 4, 8)),
        style=chance.choice((None, *STYLES.get(to, ()))),
    )


def judge_one_output(case: Case, tally: Tally) -> None:
    """Judge one conversion of each case: into the first framework, in an order drawn by the case, that is not refused."""
    judge_outputs(case, tally, random.Random(f"{case.name}/order").sample(list(FRAMEWORKS), len(FRAMEWORKS)), most=1)


def judge_outputs(
    case: Case,
    tally: Tally,
    targets: Sequence[str] = tuple(FRAMEWORKS),
    options: Options | None = None,
    *,
    most: int = len(FRAMEWORKS),
) -> None:
    """Whatever is converted can be read back, is called right by `check`, and differs in nothing that is not said.

    `most` conversions of a case are judged; refusals do not count.
    """
    try:
        document = case.document()
        loaded = load(document)
    except RftconfError:
        tally.ends["source not read"] += 1
        return
    except Exception as error:  # noqa: BLE001 - a defect, whatever it is
        tally.broken.append(Broken("crash", f"load: {crash(error)}", case.name))
        return
    run: Side | None = None
    own, converted = Own(document, loaded), 0
    for to in targets:
        try:
            done = convert_loaded(loaded, to, options or drawn(case.name, to))
        except RftconfError as error:
            tally.ends[f"refused ({error.exit_code})"] += 1
            continue
        except Exception as error:  # noqa: BLE001 - a defect, whatever it is
            tally.broken.append(Broken("crash", f"convert to {to}: {crash(error)}", case.name))
            continue
        tally.ends["converted"] += 1
        converted += 1
        try:
            run = run or side("source", loaded)
            for kind, detail in _of_output(case.name, run, done, own, tally):
                tally.broken.append(Broken("output", f"{loaded.framework} to {to}: {kind}", case.name, detail))
        except Exception as error:  # noqa: BLE001 - a defect, whatever it is
            tally.broken.append(Broken("crash", f"output for {to}: {crash(error)}", case.name))
        if converted == most:
            return


def _as_it_stands(loaded: Loaded) -> list[Diagnostic]:
    """What is found where nothing gives the run more than its file; an output is checked so."""
    if basic.stands_alone(loaded.document, loaded.guess):
        return []
    guess = loaded.guess
    led_nowhere = unresolved(loaded.document, catalogue.load(guess.framework, guess.release, guess.trainer))
    rules = [
        rule for rule in registry.rules_for(framework_of(loaded.framework).family) if engine.applies(rule, loaded.guess)
    ]
    return [*led_nowhere, *engine.run(loaded.document, loaded.guess, rules, fixes=False, alone=True)]


class Own:
    """The findings of a source, which are asked for only where an output has an error."""

    def __init__(self, document: Document, loaded: Loaded) -> None:
        self._document, self._loaded = document, loaded

    @cached_property
    def diagnostics(self) -> list[Diagnostic]:
        """The findings of the source, also as a file that nothing stands above."""
        options = engine.Options(self._loaded.framework, self._loaded.release, fixes=False)
        return [*engine.check(self._document, options), *_as_it_stands(self._loaded)]

    @cached_property
    def codes(self) -> frozenset[str]:
        """Their codes, or every code: rules say little of a script that breaks off, so nobody knows what else is wrong."""
        broken_off = any(d.severity is Severity.ERROR and d.code.startswith("SYN") for d in self.diagnostics)
        return frozenset(CODES if broken_off else (d.code for d in self.diagnostics))

    def has(self, diagnostic: Diagnostic, ledger: Ledger) -> bool:
        """True where the source is not right either: it has the code, an error of the family, a finding there, or at a setting that the error names."""
        wrong = {d.code[:3] for d in self.diagnostics if d.severity is Severity.ERROR} - {"KEY"}
        if diagnostic.code in self.codes or diagnostic.code[:3] in wrong:
            return True
        named = named_in(diagnostic, ledger)
        settings = _settings(named, ledger)
        theirs = named if ledger.source_framework == ledger.target_framework else set()
        theirs |= {
            line.key.lstrip("+")
            for line in ledger.sources
            if _at(line.targets, diagnostic) or not settings.isdisjoint(line.plan)
        }
        diagnostics = [d for d in self.diagnostics if d.key and d.severity is not Severity.INFO]
        return any(_meet(key, d.key.lstrip("+")) for key in theirs for d in diagnostics)


def named_in(first: Diagnostic, ledger: Ledger) -> set[str]:
    """The keys that a finding is about: its own, those its message names, and those that a default of these follows."""
    words = {word.strip(":,()").partition("=")[0] for word in first.message.split() if "." in word}
    named = {first.key.lstrip("+"), *words}
    known = catalogue.load(ledger.target_framework, None)
    return named | {second for name in named for second in followed(known, name)}


def _settings(named: set[str], ledger: Ledger) -> set[str]:
    """The plan fields of these keys, as the target's table has them."""
    rows = table_of(ledger.target_framework).rows
    return {row.plan for row in rows if isinstance(row, Row) and row.native in named}


def _at(targets: Sequence[str], diagnostic: Diagnostic) -> bool:
    return diagnostic.key.lstrip("+") in {target.lstrip("+") for target in targets}


def _meet(key: str, second: str) -> bool:
    """True where the keys are one, or one is a section with the other in it."""
    return f"{key}.".startswith(f"{second}.") or second.startswith((f"{key}.", f"{key}["))


def follows_a_loss(diagnostic: Diagnostic, ledger: Ledger) -> bool:
    """True where the ledger names the loss of a setting beside those that the error is about: a size that the target lacks."""
    messages = {path for line in ledger.sources if _at(line.targets, diagnostic) for path in line.plan}
    lost = {path for line in ledger.lossy for path in line.plan}
    return not {path.rpartition(".")[0] for path in messages}.isdisjoint({path.rpartition(".")[0] for path in lost})


def stays(diagnostic: Diagnostic, ledger: Ledger) -> bool:
    """True where the framework stays and the value is the source's own, or its release's: nobody chose or computed it."""
    if ledger.source_framework != ledger.target_framework:
        return False
    line = next((line for line in ledger.targets if line.key.lstrip("+") == diagnostic.key.lstrip("+")), None)
    own = {(source.key.lstrip("+"), repr(source.value)) for source in ledger.sources}
    return line is not None and (
        line.basis in (Basis.WRITTEN, Basis.DEFAULT) or (line.key.lstrip("+"), repr(line.value)) in own
    )


def newly_refused(diagnostic: Diagnostic, done: Conversion) -> bool:
    """True for a rule that speaks of the asked release, and not of the source's, where the framework stays."""
    if done.ledger.source_framework != done.ledger.target_framework:
        return False
    rule = next((rule for rule in registry.rules() if rule.code == diagnostic.code), None)
    return rule is not None and not engine.applies(rule, done.loaded.guess)


def _own_check(case: str, written: Document, done: Conversion, own: Own, tally: Tally) -> None:
    """Count the errors that `check` finds in an output, by why they are there; without such a reason, it is refused."""
    ledger = done.ledger
    for diagnostic in engine.check(
        written, engine.Options(ledger.target_framework, ledger.target_release, fixes=False)
    ):
        if diagnostic.severity is not Severity.ERROR or asked_of_a_person(diagnostic, done):
            continue
        tally.ends["errors in outputs, of which the command writes none"] += 1
        if own.has(diagnostic, ledger):
            continue
        if newly_refused(diagnostic, done):
            tally.ends["errors of what the asked release refuses for the first time"] += 1
        elif stays(diagnostic, ledger):
            tally.ends["errors at values that stay as they were"] += 1
        elif follows_a_loss(diagnostic, ledger):
            tally.ends["errors that follow from a loss that the ledger names"] += 1
        else:
            kind = f"{ledger.source_framework} to {ledger.target_framework}: {diagnostic.code}"
            tally.refused.append(Broken("own check", kind, case, f"{diagnostic.key}: {diagnostic.message}"))


def _of_output(case: str, run: Side, done: Conversion, own: Own, tally: Tally) -> Iterator[tuple[str, str]]:
    """What is broken, with what was seen. Errors that the source has too stay what they are."""
    ledger = done.ledger
    written = read(Source(f"written{done.file_suffix}", done.text))
    _own_check(case, written, done, own, tally)
    try:
        back = load(written, framework=ledger.target_framework, release=ledger.target_release)
    except RftconfError as error:
        if not ledger.decisions or not any(line.value == "???" for line in ledger.targets):
            yield "cannot be read back", str(error)
        return
    if any(line.value == "???" and line.key.endswith(ALGORITHM) for line in ledger.targets):
        return  # what follows from the algorithm is not known before a person names it
    comparison = compare(run, side("output", back))
    for stage in comparison.stages:
        names = ledger_lines_on(stage.differences, ledger)
        for differing in stage.differences:
            if differing.certain and not names[differing.path]:
                yield f"untold {plain(differing.path)}", f"{differing.a.value!r} -> {differing.b.value!r}"


def asked_of_a_person(finding: Diagnostic, done: Conversion) -> bool:
    """True where the output holds `???` for a key that the ledger asks a person for, and that is what is wrong."""
    left_open = (line for line in done.ledger.targets if line.value == "???" or open_keys(line.value))
    missing = {line.key.lstrip("+") for line in left_open}
    named = {finding.key.lstrip("+")} if finding.key else set(finding.message.split())
    return not missing.isdisjoint(named)
