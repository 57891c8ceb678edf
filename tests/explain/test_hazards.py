"""The hazards: numbered without a gap, and about fields and keys that exist."""

from __future__ import annotations

from rftconf.explain.hazards import HAZARDS, concerning, named_in
from rftconf.mappers.paths import fits
from rftconf.mappers.rows import Fixed, Fold, Row, natives_of, plans_of
from rftconf.mappers.tables import table_of
from rftconf.plan.index import fields
from rftconf.schemas import catalogue, registry

GENERAL = {57}
"""Hazards about no key in particular."""


def test_numbers_have_no_gap() -> None:
    assert [hazard.number for hazard in HAZARDS] == list(range(1, 99))


def test_each_concerns_something_that_exists() -> None:
    plans = [path.removeprefix("stage.") for path in fields()]
    natives = [
        f"{known.family}:{key}"
        for known in registry.variants()
        for release in known.releases
        for trainer in known.trainers_of(release)
        for key in catalogue.load(known.name, release, trainer).keys
    ]
    lost = [
        (hazard.name, glob)
        for hazard in HAZARDS
        for glob in hazard.concerns
        if not any(fits(subject, glob) for subject in (natives if ":" in glob else plans))
    ]
    assert lost == []
    assert {hazard.number for hazard in HAZARDS if not hazard.concerns} == GENERAL


def test_a_hazard_that_a_row_names_is_found_for_its_key() -> None:
    for framework in registry.FRAMEWORKS:
        for row in table_of(framework).rows:
            if isinstance(row, (Row, Fold)):
                hazards = concerning(
                    [path.removeprefix("stage.") for path in plans_of(row)], natives_of(row), (row.why,)
                )
                assert {hazard.number for hazard in hazards} >= named_in((row.why,)), row.why


def test_the_table_covers_most_of_what_rows_name() -> None:
    """Where a row says which hazard it guards against, the table should know by the plan field alone."""
    missed = set()
    for framework in registry.FRAMEWORKS:
        for row in table_of(framework).rows:
            plans = [path.removeprefix("stage.") for path in plans_of(row)]
            known = {hazard.number for hazard in concerning(plans)}
            if isinstance(row, (Row, Fixed)):
                missed |= {(framework, plans[0], f"H{number}") for number in named_in((row.why,)) - known}
    assert missed == set()
