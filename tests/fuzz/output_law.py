"""The law of outputs: what is converted can be read back, differs in nothing unsaid, and is not wrong where the source is right."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from rftconf.certificate.account import told_by
from rftconf.convert import Conversion, Options, convert_loaded
from rftconf.diagnostics import Diagnostic, Severity
from rftconf.diff.compare import compare
from rftconf.diff.sides import Side, side
from rftconf.errors import RftconfError
from rftconf.lint import basic, engine, registry
from rftconf.load import Loaded, load
from rftconf.schemas.registry import FRAMEWORKS
from rftconf.schemas.registry import framework as framework_of
from rftconf.text.read import read
from rftconf.text.source import Source
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


def judge_outputs(
    case: Case, tally: Tally, targets: Sequence[str] = tuple(FRAMEWORKS), options: Options | None = None
) -> None:
    """Whatever is converted can be read back, is called right by `check`, and differs in nothing that is not said."""
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
    found = engine.check(document, engine.Options(loaded.framework, loaded.release, fixes=False))
    # rules say little of a script that breaks off, so nobody knows what else is wrong with it
    broken_off = any(d.severity is Severity.ERROR and d.code.startswith("SYN") for d in found)
    own = frozenset(CODES) if broken_off else frozenset(d.code for d in (*found, *_as_it_stands(loaded)))
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
        try:
            run = run or side("source", loaded)
            for kind, detail in _of_output(case.name, run, done, own, tally):
                tally.broken.append(Broken("output", f"{loaded.framework} to {to}: {kind}", case.name, detail))
        except Exception as error:  # noqa: BLE001 - a defect, whatever it is
            tally.broken.append(Broken("crash", f"output for {to}: {crash(error)}", case.name))


def _as_it_stands(loaded: Loaded) -> list[Diagnostic]:
    """What rules find where nothing gives the run more than its file; an output is checked so."""
    if basic.stands_alone(loaded.document, loaded.guess):
        return []
    wanted = [
        rule for rule in registry.rules_for(framework_of(loaded.framework).family) if engine.applies(rule, loaded.guess)
    ]
    return engine.run(loaded.document, loaded.guess, wanted, fixes=False, alone=True)


def _of_output(case: str, run: Side, done: Conversion, own: frozenset[str], tally: Tally) -> Iterator[tuple[str, str]]:
    """What is broken, with what was seen. Errors that the source has too (`own` codes) stay what they are."""
    ledger = done.ledger
    written = read(Source(f"written{done.file_suffix}", done.text))
    for one in engine.check(written, engine.Options(ledger.target_framework, ledger.target_release, fixes=False)):
        if one.severity is not Severity.ERROR or asked_of_a_person(one, done):
            continue
        tally.ends["errors in outputs, of which the command writes none"] += 1
        if one.code not in own:
            kind = f"{ledger.source_framework} to {ledger.target_framework}: {one.code}"
            tally.refused.append(Broken("own check", kind, case, f"{one.key}: {one.message}"))
    try:
        back = load(written, framework=ledger.target_framework, release=ledger.target_release)
    except RftconfError as error:
        if not ledger.decisions or not any(line.value == "???" for line in ledger.targets):
            yield "cannot be read back", str(error)
        return
    if any(line.value == "???" and line.key.endswith(ALGORITHM) for line in ledger.targets):
        return  # what follows from the algorithm is not known before a person names it
    found = compare(run, side("output", back))
    for stage in found.stages:
        told = told_by(stage.differences, ledger)
        for differing in stage.differences:
            if differing.certain and not told[differing.path]:
                yield f"untold {plain(differing.path)}", f"{differing.a.value!r} -> {differing.b.value!r}"


def asked_of_a_person(finding: Diagnostic, done: Conversion) -> bool:
    """True where the output holds `???` for a key that the ledger asks a person for, and that is what is wrong."""
    missing = {line.key.lstrip("+") for line in done.ledger.targets if line.value == "???"}
    return finding.key.lstrip("+") in missing
