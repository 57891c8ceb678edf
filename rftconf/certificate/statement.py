"""What is stated of one conversion: both plans, their totals, every difference, and the ledger."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rftconf._version import __version__
from rftconf.base.ledger import Ledger
from rftconf.base.secrets import masked
from rftconf.certificate.canonical import canonical, digest_of
from rftconf.certificate.model import Certificate, Differing, FileOf, Invariant, Request, RunOf
from rftconf.convert.learning.differences_in_ledger import told_by
from rftconf.diff.as_json import counted_json, difference_json
from rftconf.diff.compare import Comparison, Stages, compare
from rftconf.diff.effects import Effect
from rftconf.diff.sides import side
from rftconf.load.loaded import Loaded
from rftconf.report.ledger import ledger_json


@dataclass(frozen=True, slots=True)
class Told:
    """All that a statement is made of: the source as read, the account, and the outputs as read back.

    `places` maps files as they were opened to files as seen from the certificate's folder.
    """

    source: FileOf
    outputs: Sequence[FileOf]
    request: Request
    loaded: Loaded
    ledger: Ledger
    back: Sequence[Loaded]
    places: Mapping[str, str]


def statement(told: Told) -> dict[str, Any]:
    """The certificate as JSON data."""
    first, *others = told.back
    found = compare(side(told.source.file, told.loaded), side(told.outputs[0].file, first, *others))
    made = Certificate(
        rftconf=__version__,
        source=told.source,
        outputs=list(told.outputs),
        request=told.request,
        source_run=_run(found, 0),
        target_run=_run(found, 1),
        verdict=found.verdict().value,
        mathematics=found.verdict((Effect.MATHEMATICS,)).value,
        stages_only_in_source=list(found.only_a),
        stages_only_in_target=list(found.only_b),
        invariants=[one for stage in found.stages for one in _invariants(stage)],
        differences=[one for stage in found.stages for one in _differences(stage, told.ledger)],
        ledger=ledger_json(told.ledger),
        digest="0" * 64,
    )
    data: dict[str, Any] = made.model_dump(mode="json")
    data |= {part: _moved(data[part], told.places) for part in ("differences", "ledger")}
    # every output passes the gate: what it would withhold is withheld before the digest is made, or nothing would verify
    data = json.loads(masked(canonical(data)))
    return {**data, "digest": digest_of(data)}


def _run(found: Comparison, at: int) -> RunOf:
    one = (found.a, found.b)[at]
    return RunOf(framework=one.framework, release=one.release, math_id=found.math_ids[at], plan_id=found.plan_ids[at])


def _invariants(stage: Stages) -> Iterator[Invariant]:
    for one in stage.totals:
        data = counted_json(one)
        yield Invariant(stage=stage.a, source=data.pop("a"), target=data.pop("b"), **data)


def _differences(stage: Stages, ledger: Ledger) -> Iterator[Differing]:
    told = told_by(stage.differences, ledger)
    for one in stage.differences:
        data = difference_json(one)
        yield Differing(stage=stage.a, source=data.pop("a"), target=data.pop("b"), ledger=list(told[one.path]), **data)


def _moved(data: Any, places: Mapping[str, str]) -> Any:
    """`data` with files as seen from the certificate's folder, so that it holds wherever the folder lies."""
    if isinstance(data, dict):
        return {name: _moved(value, places) for name, value in data.items()}
    if isinstance(data, list):
        return [_moved(value, places) for value in data]
    return _seen_from_here(data, places) if isinstance(data, str) else data


def _seen_from_here(text: str, places: Mapping[str, str]) -> str:
    """A path, or a sentence that names one; each is moved once."""
    if text in places:
        return places[text]
    opened = sorted((path for path in places if os.sep in path and path in text), key=len, reverse=True)
    if not opened:
        return text
    pattern = "|".join(map(re.escape, opened))
    return re.sub(rf"(?<![\w./-])(?:{pattern})(?![\w/-])", lambda found: places[found[0]], text)
