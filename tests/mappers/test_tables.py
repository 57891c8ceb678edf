"""Both sides of every row exist: keys in a catalogue, fields in the plan; and no field is forgotten."""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase

import pytest

from rftconf.mappers.codecs import Codec
from rftconf.mappers.paths import path_of, without_indices
from rftconf.mappers.placing import Target
from rftconf.mappers.rows import Each, Fixed, Fold, Row, Table, cannot, natives_of, plans_of, rows_of
from rftconf.mappers.tables import all_tables, table_of
from rftconf.plan.index import fields, unit_of
from rftconf.plan.model import Run
from rftconf.schemas import catalogue, registry, versions
from rftconf.schemas.catalogue import Catalogue

ADDED = {"reward.custom_reward_function.reward_kwargs", "reward.reward_kwargs"}
"""veRL's code reads these mappings, its YAML lacks them: they exist only as `+key.name=value`."""
CHOOSES = {"actor@actor_rollout_ref.actor"}
"""Words of a launch line that choose a part of the config."""


@pytest.fixture(params=all_tables(), ids="-".join)
def table(request: pytest.FixtureRequest) -> Table:
    return table_of(*request.param)


def newest(framework: str) -> list[Catalogue]:
    known = registry.framework(framework)
    return [catalogue.load(framework, known.newest, trainer) for trainer in known.trainers]


def exists(key: str, catalogues: list[Catalogue]) -> bool:
    """A key, a key below an open one, a section, or a pattern below a section."""
    bare = key.removesuffix(".*")
    return any(known.get(bare) is not None or known.is_node(bare) for known in catalogues)


def plain_rows(table: Table) -> Iterator[Row]:
    for row in table.rows:
        if isinstance(row, Row):
            yield row
        elif isinstance(row, Each):
            yield from row.rows


def test_every_native_key_is_in_a_catalogue_of_its_framework(table: Table) -> None:
    known = newest(table.framework)
    missing = {key for row in table.rows for key in natives_of(row) if not exists(key, known)}
    missing -= versions.lingering(table.framework).keys()
    assert missing - CHOOSES == (ADDED if table.framework == "verl" else set())


def test_every_plan_path_is_a_plan_field(table: Table) -> None:
    assert [plan for row in table.rows for plan in plans_of(row) if plan not in fields()] == []


def test_every_plan_field_is_covered_or_declined(table: Table) -> None:
    owned = {plan for row in table.rows for plan in plans_of(row)}
    declined = {path for path in fields() if any(fnmatchcase(path, c.plan) for c in table.cannot)}
    assert sorted(set(fields()) - owned - declined) == []


def test_no_declining_is_for_nothing(table: Table) -> None:
    """Each `cannot` is the first that fits some field which no unconditional row settles."""
    settled = {row.plan for row in table.rows if isinstance(row, Fixed) or (isinstance(row, Row) and row.when is None)}
    used = {
        next((c.plan for c in table.cannot if fnmatchcase(path, c.plan)), None)
        for path in fields()
        if path not in settled
    }
    assert [c.plan for c in table.cannot if c.plan not in used] == []


def test_counts_stand_for_fields_with_a_unit(table: Table) -> None:
    """A codec that counts needs to know what the plan field counts."""
    from rftconf.mappers.codecs import counts

    assert [
        row.native for row in plain_rows(table) if isinstance(row.codec, counts) and unit_of(_plan(table, row)) is None
    ] == []


def _plan(table: Table, row: Row) -> str:
    for outer in table.rows:
        if isinstance(outer, Each) and row in outer.rows:
            return f"{outer.plan}[].{row.plan}"
    return row.plan


def test_every_row_says_why(table: Table) -> None:
    silent = [natives_of(row) for row in table.rows if isinstance(row, (Fold, Fixed)) and not row.why.strip()]
    silent += [(row.native,) for row in plain_rows(table) if not row.why.strip()]
    assert silent == []
    assert [c.plan for c in table.cannot if len(c.why.split()) < 3] == []


def test_conditions_say_when_a_key_sleeps(table: Table) -> None:
    silent = [row.native for row in plain_rows(table) if row.when is not None and len(row.when.otherwise.split()) < 3]
    assert silent == []


def test_a_native_key_has_one_plain_row(table: Table) -> None:
    """Two plain rows for one key would read it twice with different meanings; folds may share a key."""
    natives = [row.native for row in table.rows if isinstance(row, Row)]
    assert sorted({key for key in natives if natives.count(key) > 1}) == []


def test_sections_name_the_top_of_the_framework(table: Table) -> None:
    tops = {key.split(".")[0].split("[")[0] for known in newest(table.framework) for key in known.keys}
    assert set(table.sections) <= tops
    assert len(set(table.sections)) == len(table.sections)


def test_two_rows_for_one_plan_field_are_refused() -> None:
    same: Codec[object, object] = Codec()
    row = Row("a.b", "stage.batch.passes", same, "why")
    other = Row("a.c", "stage.batch.passes", same, "why")
    with pytest.raises(ValueError, match=r"owned by a\.b"):
        Table("x", (row, other), (), (), lambda c, u: 1, Target(True, 0.5, "why"), lambda w: [])
    assert Table(
        "x",
        (row, Row("a.c", "stage.batch.passes", same, "why", alias=True)),
        (),
        (),
        lambda c, u: 1,
        Target(True, 0.5, "why"),
        lambda w: [],
    )


def test_paths_are_read_off_lambdas_without_a_config() -> None:
    assert path_of(lambda c: c.data.train_batch_size) == "data.train_batch_size"
    assert path_of("a.b") == "a.b"
    assert without_indices("tasksets[12].path[0]") == "tasksets[].path[]"
    row = rows_of[object, Run]()(lambda c: c.x, lambda p: p.stage.batch.passes, Codec(), why="w")  # type: ignore[attr-defined]
    assert (row.native, row.plan) == ("x", "stage.batch.passes")
    assert cannot(lambda p: p.stage.data.rows, why="w").plan == "stage.data.rows"
