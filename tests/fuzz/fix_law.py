"""The law of safe fixes, joint and single: the run stays but for what a finding named, and a second time changes nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from rftconf.base.diagnostics import Diagnostic, Severity
from rftconf.base.errors import RftconfError
from rftconf.base.symbols import open_keys
from rftconf.diff.compare import Difference, compare
from rftconf.diff.sides import Side, side
from rftconf.lint import engine, fixing
from rftconf.lint.unchanged import changed_keys
from rftconf.load.load import load
from rftconf.load.loaded import Loaded
from rftconf.schemas import catalogue
from rftconf.schemas.catalogue import Catalogue
from rftconf.text.document import Document
from tests.fuzz.mutations import Case
from tests.fuzz.tally import Broken, Tally, crash, plain

_REFERENCE = re.compile(r"(?:\$\{|:)(\.?[A-Za-z][\w.]*)(?=[},])")


def judge_fixes(case: Case, tally: Tally) -> None:
    """Safe fixes, all together and each alone: the run is the same but for what was named, and a second time is nothing."""
    try:
        document = case.document()
        diagnostics = engine.check(document)
    except RftconfError:
        tally.ends["not checked"] += 1
        return
    except Exception as error:  # noqa: BLE001 - a defect, whatever it is
        tally.broken.append(Broken("crash", crash(error), case.name))
        return
    chances = [d for d in diagnostics if d.fix and d.fix.safe]
    tally.ends["files"] += 1
    if not chances:
        return

    @cache
    def again(text: str) -> tuple[Document, list[Diagnostic]]:
        fresh = case.document(text)
        return fresh, engine.check(fresh)

    try:
        before = _before(document, diagnostics)
        done = fixing.fix(document, diagnostics, again)
        alone = [fixing.attempt(document, diagnostics, chance, again) for chance in chances if len(done.made) > 1]
        outcomes = [
            (done.text, done.made),
            *((entry[0].text, (d,)) for entry, d in zip(alone, chances, strict=False) if entry),
        ]
        for text, new_diagnostics in outcomes if before is not None else ():
            for kind, detail in _of_fixed(before, new_diagnostics, *again(text)) if new_diagnostics else ():  # type: ignore[arg-type]
                codes = "+".join(sorted({d.code for d in new_diagnostics}))
                tally.broken.append(Broken("fix", f"{codes}: {kind}", case.name, detail))
        tally.ends["fixes made"] += len(done.made)
        tally.ends["fixes made alone"] += len(outcomes) - 1
        tally.ends["files fixed"] += bool(done.made)
        tally.ends["files with fixes left for another time"] += not done.all_tried
        if done.made and done.all_tried and fixing.fix(*again(done.text), again).text != done.text:
            tally.broken.append(Broken("fix", "a second --fix changes more", case.name))
    except Exception as error:  # noqa: BLE001 - a defect, whatever it is
        tally.broken.append(Broken("crash", f"fix: {crash(error)}", case.name))


@dataclass(frozen=True, slots=True)
class _Before:
    """What a file was before it was fixed: the run as read, and the codes of its errors."""

    loaded: Loaded
    run: Side
    errors: frozenset[str]


def _before(document: Document, diagnostics: Sequence[Diagnostic]) -> _Before | None:
    """None where nothing was a run before."""
    try:
        loaded = load(document)
    except RftconfError:
        return None
    return _Before(loaded, side("a", loaded), frozenset(d.code for d in diagnostics if d.severity is Severity.ERROR))


def _of_fixed(
    before: _Before, diagnostics: Sequence[Diagnostic], fresh: Document, new_diagnostics: Sequence[Diagnostic]
) -> Iterator[tuple[str, str]]:
    """What is broken after these fixes, with what was seen."""
    try:
        new = load(fresh)
    except RftconfError as error:
        yield "cannot be read any more", str(error)
        return
    old = before.loaded
    if (old.framework, old.release, old.guess.trainer) != (new.framework, new.release, new.guess.trainer):
        yield "is taken for another release", f"{old.release} -> {new.release}"
        return
    starts = all(d.severity is not Severity.ERROR for d in diagnostics)
    for diagnostic in new_diagnostics if starts else ():
        if diagnostic.severity is Severity.ERROR and diagnostic.code not in before.errors:
            yield f"gives the error {diagnostic.code}", diagnostic.message
    named = frozenset(key for d in diagnostics for key in (d.key, *(d.fix.keys if d.fix else ())))
    unnamed = changed_keys(before.loaded.document, fresh) - named
    if unnamed:
        yield "changes a key that is not named", ", ".join(sorted(unnamed))
    if not starts:  # what could not start before follows the keys that are named
        return
    known = catalogue.load(new.framework, None, new.guess.trainer)
    for stage in compare(before.run, side("b", new)).stages:
        for difference in stage.differences:
            if not _is_of(difference, named, known):
                yield f"changes {plain(difference.path)}", f"{difference.a.value!r} -> {difference.b.value!r}"


def _is_of(difference: Difference, named: frozenset[str], known: Catalogue) -> bool:
    """True where a side has the field from a named key, from a default that follows one, or from what one left open."""
    for observed in (difference.a, difference.b):
        answer = () if observed.said is None else (*(key for key, _ in observed.said.keys), *observed.said.asked)
        sources = {*answer, *open_keys(observed.value), *(name for key in answer for name in followed(known, key))}
        if any(
            key == name or f"{key}.".startswith(f"{name}.") or key.startswith(f"{name}[") or name.startswith(f"{key}.")
            for key in sources
            for name in named
        ):
            return True
    return False


def followed(known: Catalogue, name: str) -> Iterator[str]:
    """The keys that a key's default follows: `${oc.select:.ppo_micro_batch_size,null}` stands beside it."""
    key = known.get(name)
    for result in _REFERENCE.findall((key.interpolation if key is not None else None) or ""):
        yield name.rpartition(".")[0] + result if result.startswith(".") else result
