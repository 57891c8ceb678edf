"""What a target does otherwise than the source, and no row, key or question says, is said by reading the output again."""

from __future__ import annotations

import pytest

from rftconf.convert.convert import Conversion, Options, convert_loaded
from rftconf.convert.learning.differences_in_ledger import ledger_lines_on
from rftconf.convert.learning.unnamed_differences import _entries
from rftconf.diff.compare import compare
from rftconf.diff.sides import side
from rftconf.lint.rule import Example
from rftconf.load.load import load
from rftconf.load.loaded import Loaded
from rftconf.schemas.registry import FRAMEWORKS
from rftconf.text.read.read import read
from rftconf.text.source import Source
from tests.lint.bases import BASES, as_shell, as_yaml


def notes(framework: str, to: str, *changes: str) -> tuple[str, ...]:
    example = Example(framework, changes)
    shell = framework == "verl"
    document = read(Source("run.sh" if shell else "run.yaml", as_shell(example) if shell else as_yaml(example)))
    return convert_loaded(load(document), to, Options()).ledger.notes


def test_a_default_of_the_target_that_nobody_asked_for_is_named() -> None:
    answer = notes("verl", "roll")
    assert any(
        note.startswith("run_length.last_partial: dropped in the source, filled up with rows from the start")
        for note in answer
    )
    (speed,) = [note for note in answer if note.startswith("speed and memory differ too: ")]
    assert "sync.bucket_megabytes: 2048 in the source, 1024 here" in speed


def test_what_is_the_same_is_not_named() -> None:
    assert not [note for note in notes("verl", "verl") if "differ" in note]
    assert not [note for note in notes("verl", "roll", "trainer.logger=tensorboard") if "identity.loggers" in note]


@pytest.mark.parametrize("to", FRAMEWORKS)
@pytest.mark.parametrize("framework", BASES)
def test_every_difference_has_a_line(framework: str, to: str) -> None:
    example = Example(framework, ())
    shell = framework == "verl"
    source = load(read(Source("run.sh" if shell else "run.yaml", as_shell(example) if shell else as_yaml(example))))
    done = convert_loaded(source, to, Options())
    assert _without_a_line(source, done) == []


@pytest.mark.parametrize("to", FRAMEWORKS)
def test_a_list_whose_file_only_a_run_can_name_takes_the_fields_of_its_items_with_it(to: str) -> None:
    files = "data.val_files=[a.parquet,$(cat where)/b.parquet]"
    source = load(read(Source("run.sh", as_shell(Example("verl", (files,))))))
    done = convert_loaded(source, to, Options(style="yaml" if to in ("verl", "chatlearn") else None))
    assert _without_a_line(source, done) == []


def test_a_set_that_an_open_interval_may_evaluate_is_the_same_set_as_a_file_and_as_a_split() -> None:
    once = ("trainer.test_freq=-1", "trainer.val_before_train=True", "data.val_files=/data/math/test.parquet")
    source = load(read(Source("run.sh", as_shell(Example("verl", ("data.train_batch_size=$BS", *once))))))
    done = convert_loaded(source, "trinity", Options())
    assert "eval_tasksets" in done.text
    assert "BS" in done.text
    assert _without_a_line(source, done) == []


def _without_a_line(source: Loaded, done: Conversion) -> list[str]:
    """The fields that differ between a source and what its conversion is read back as, and that no line speaks of."""
    back = read(Source(f"written{done.file_suffix}", done.text))
    again = load(back, framework=done.ledger.target_framework, release=done.ledger.target_release)
    (stage,) = compare(side("a", source), side("b", again)).stages
    names = ledger_lines_on(stage.differences, done.ledger)
    return [difference.path for difference in stage.differences if difference.certain and not names[difference.path]]


def test_a_mapping_is_read_again_by_its_entries() -> None:
    assert list(_entries("a", {"b": {"c": 1}, "d": [1]})) == [("a.b.c", 1), ("a.d", [1])]
    assert list(_entries("a", {})) == [("a", {})]
