"""The statement on one conversion: both plans, their totals, every difference, and the ledger."""

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
from rftconf.convert.learning.differences_in_ledger import ledger_lines_on
from rftconf.diff.as_json import counted_json, difference_json
from rftconf.diff.compare import Comparison, Stages, compare
from rftconf.diff.effects import Effect
from rftconf.diff.sides import side
from rftconf.load.loaded import Loaded
from rftconf.report.ledger import ledger_json


@dataclass(frozen=True, slots=True)
class StatementParts:
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


def statement(run: StatementParts) -> dict[str, Any]:
    """The certificate as JSON data."""
    first, *others = run.back
    comparison = compare(side(run.source.file, run.loaded), side(run.outputs[0].file, first, *others))
    certificate = Certificate(
        rftconf=__version__,
        source=run.source,
        outputs=list(run.outputs),
        request=run.request,
        source_run=_run(comparison, 0),
        target_run=_run(comparison, 1),
        verdict=comparison.verdict().value,
        mathematics=comparison.verdict((Effect.MATHEMATICS,)).value,
        stages_only_in_source=list(comparison.only_a),
        stages_only_in_target=list(comparison.only_b),
        invariants=[invariant for stage in comparison.stages for invariant in _invariants(stage)],
        differences=[entry for stage in comparison.stages for entry in _differences(stage, run.ledger)],
        ledger=ledger_json(run.ledger),
        digest="0" * 64,
    )
    data: dict[str, Any] = certificate.model_dump(mode="json")
    data |= {part: _moved(data[part], run.places) for part in ("differences", "ledger")}
    # every output passes the gate: what it would withhold is withheld before the digest is made, or nothing would verify
    data = json.loads(masked(canonical(data)))
    return {**data, "digest": digest_of(data)}


def _run(comparison: Comparison, side_index: int) -> RunOf:
    run_side = (comparison.a, comparison.b)[side_index]
    return RunOf(
        framework=run_side.framework,
        release=run_side.release,
        math_id=comparison.math_ids[side_index],
        plan_id=comparison.plan_ids[side_index],
    )


def _invariants(stage: Stages) -> Iterator[Invariant]:
    for total in stage.totals:
        data = counted_json(total)
        yield Invariant(stage=stage.a, source=data.pop("a"), target=data.pop("b"), **data)


def _differences(stage: Stages, ledger: Ledger) -> Iterator[Differing]:
    keys_by_path = ledger_lines_on(stage.differences, ledger)
    for difference in stage.differences:
        data = difference_json(difference)
        del data["doubts"]  # the certificate's form is older, and says only whether there are any
        yield Differing(
            stage=stage.a,
            source=data.pop("a"),
            target=data.pop("b"),
            ledger=list(keys_by_path[difference.path]),
            **data,
        )


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
    return re.sub(rf"(?<![\w./-])(?:{pattern})(?![\w/-])", lambda match: places[match[0]], text)
