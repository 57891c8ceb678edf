"""The generated data scripts, run on small files for every ordered pair."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rftconf.convert.adapters.shapes import SHAPES
from tests.convert.adapters.samples import PAIRS, ROWS, as_written, data_module, got, put, run_of, run_script

SYSTEM = {"role": "system", "content": "Be brief."}
ASKED = [{"role": "user", "content": "2+3?"}]
CHATS = {
    "verl": [SYSTEM, *ASKED],
    "roll": [SYSTEM, *ASKED],
    "trinity": ASKED,
    "chatlearn": ASKED,
    "openrlhf": ASKED,
    "trl": ASKED,
    "nemo_rl": ASKED,
}
SOURCES = {
    "verl": "openai/gsm8k",
    "chatlearn": "openai/gsm8k",
    "roll": "deepmath_103k",
    "trinity": "rows",
    "openrlhf": "sums",
    "trl": "rows",
    "nemo_rl": "rows",
}
EXTRAS: dict[str, dict[str, Any]] = {
    "verl": {"split": "train", "index": 0, "answer": "five", "ability": "math"},
    "chatlearn": {"split": "train", "index": 0, "question": "2+3", "ability": "math"},
    "roll": {"index": 0, "id": "7", "difficulty": "4.5", "case_type": ""},
    "trinity": {"index": 0, "level": 1},
    "openrlhf": {"index": 0, "level": 1, "question": "2+3?"},
    "trl": {"index": 0, "solution": "5", "prompt": ASKED},
    "nemo_rl": {"index": 0, "level": 1},
}
"""The first of ROWS means this, in whatever form it is written."""
TRUTHS = {"trl": ""}
"""TRL has no column for the right answer: its functions get all of them by name."""


def first_row(source: str, target: str) -> dict[str, Any]:
    """The first of ROWS as `target` has to get it, written out by hand."""
    chat, name, extra, truth = CHATS[source], SOURCES[source], EXTRAS[source], TRUTHS.get(source, "5")
    if target in ("verl", "chatlearn"):
        values = {
            "data_source": name,
            "prompt": chat,
            "reward_model": {"style": "rule", "ground_truth": truth},
            "extra_info": extra,
        }
        return values | ({"ability": "math"} if "ability" in extra else {})
    label = {"data_source": name, "ground_truth": truth, "extra_info": extra}
    if target == "openrlhf":
        return {"prompt": chat, "label": label, "datasource": name}
    if target == "nemo_rl":
        return {"input": chat, "output": label}
    if target == "trl":
        return {"prompt": chat, "ground_truth": truth, "data_source": name, "extra_info": extra}
    common = {"prompt": "2+3?", "messages": chat, "ground_truth": truth, "extra_info": extra}
    if target == "trinity":
        return common | {"data_source": name}
    lifted = {key: extra[key] for key in ("difficulty", "case_type") if key in extra}
    return common | lifted | {"tag": name, "domain": "converted", "id": extra.get("id", "0")}


def parsed(record: dict[str, Any], target: str) -> dict[str, Any]:
    """JSON text as what it stands for."""
    if target in ("verl", "chatlearn"):
        return record
    texts = {"openrlhf": ("label",), "trl": ("extra_info",), "nemo_rl": ("input", "output")}
    names = texts.get(target, ("messages", "extra_info"))
    return record | {name: json.loads(record[name]) for name in names}


@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_rows_arrive_in_the_target_s_layout(
    source: str, target: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = put(tmp_path / f"rows{SHAPES[source].suffix}", ROWS[source])
    run_script(data_module(source, target, run_of(source, str(file)), tmp_path / "out"))
    path = tmp_path / "out" / "data"
    rows = got(next(path.rglob(f"train{SHAPES[target].suffix}")))
    assert len(rows) == 2
    assert parsed(rows[0], target) == first_row(source, target)
    assert "2 rows" in capsys.readouterr().out


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
NAMES = st.text("abcdefg_", min_size=1, max_size=5).map(lambda name: f"x_{name}")
NUMBERS = st.integers(-(2**53), 2**53)
ANYTHING = st.recursive(
    TEXT | NUMBERS | st.booleans() | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)
OF_ONE_TYPE = {
    "x_text": TEXT,
    "x_number": NUMBERS,
    "x_list": st.lists(TEXT),
    "x_map": st.fixed_dictionaries({"a": NUMBERS}),
}
"""What every row of a parquet file may hold: a column has one type."""


@st.composite
def canonical_rows(draw: st.DrawFn, *, one_type: bool) -> list[dict[str, Any]]:
    """Rows as fields of the scripts' `Row`."""
    names = draw(st.lists(NAMES, unique=True, max_size=3))
    roles = st.sampled_from(["system", "user", "assistant"])
    before = st.lists(st.fixed_dictionaries({"role": roles, "content": TEXT}), max_size=3)
    strategy = st.fixed_dictionaries({"role": st.just("user"), "content": TEXT})
    kinds: dict[str, st.SearchStrategy[Any]] = OF_ONE_TYPE if one_type else dict.fromkeys(names, ANYTHING)
    row = st.fixed_dictionaries(
        {
            "messages": st.builds(lambda head, last: [*head, last], before, strategy),
            "ground_truth": TEXT,
            "source": TEXT.filter(bool),
            "extra": st.fixed_dictionaries({"index": st.integers(0, 99)}, optional=kinds),
        }
    )
    return draw(st.lists(row, min_size=1, max_size=4))


@pytest.mark.parametrize(("source", "target"), PAIRS)
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_row_means_the_same_before_and_after(source: str, target: str, data: st.DataObject, tmp_path: Path) -> None:
    """Canonical rows, written as the source has them, converted, and read as the target has them."""
    rows = data.draw(canonical_rows(one_type="verl" in (source, target)))
    first = tmp_path / f"first{SHAPES[source].suffix}"
    module = data_module(source, target, as_written(source, str(first)), tmp_path / "there")
    (second,) = (module_output.output for module_output in module.DATASETS.values())
    back = data_module(target, source, as_written(target, second), tmp_path / "back")
    put(first, [back.written(back.Row(**row)) for row in rows])
    run_script(module)
    (module_output,) = back.DATASETS.values()
    read = [back.read_row(record, module_output, number) for _, number, record in back.records(module_output)]
    assert read == [back.Row(**row) for row in rows]


@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_a_missing_column_is_named_with_its_row(source: str, target: str, tmp_path: Path) -> None:
    lacking = {
        "verl": "reward_model",
        "trinity": "answer",
        "roll": "ground_truth",
        "chatlearn": "reward_model",
        "openrlhf": "answer",
        "trl": "prompt",
        "nemo_rl": "output",
    }[source]
    good, bad = ROWS[source]
    file = put(tmp_path / "rows.jsonl", [good, {name: value for name, value in bad.items() if name != lacking}])
    with pytest.raises(SystemExit) as ended:
        run_script(data_module(source, target, run_of(source, str(file)), tmp_path / "out"))
    assert str(ended.value).startswith(f"{file}, row 2: there is no column '{lacking}'")
    assert not list((tmp_path / "out").rglob("*.*")), "nothing half-made stays"


def test_many_batches_and_rows_that_differ(tmp_path: Path) -> None:
    """What one row lacks is no value in another; columns may appear after the first thousand rows."""
    rows: list[dict[str, Any]] = [
        {"question": f"q{i}", "answer": str(i), **({"late": i} if i >= 1500 else {}), **({"odd": "x"} if i % 2 else {})}
        for i in range(2100)
    ]
    file = put(tmp_path / "rows.jsonl", rows)
    run_script(data_module("trinity", "verl", run_of("trinity", str(file)), tmp_path / "out"))
    new_rows = got(next((tmp_path / "out").rglob("train.parquet")))
    assert len(new_rows) == 2100
    assert (new_rows[0]["extra_info"]["late"], new_rows[2000]["extra_info"]["late"]) == (None, 2000)
    back = data_module("verl", "trinity", run_of("verl", str(next((tmp_path / "out").rglob("train.parquet")))), "out")
    (data,) = back.DATASETS.values()
    extras = [back.read_row(record, data, number).extra for _, number, record in back.records(data)]
    assert extras[0] == {"index": 0}
    assert extras[1501] == {"index": 1501, "late": 1501, "odd": "x"}


def test_a_mapping_without_entries_is_none_in_parquet(tmp_path: Path) -> None:
    file = put(tmp_path / "rows.jsonl", [{"question": "q", "answer": "a", "options": {}, "more": {"a": {}, "b": [{}]}}])
    run_script(data_module("trinity", "verl", run_of("trinity", str(file)), tmp_path / "out"))
    (row,) = got(next((tmp_path / "out").rglob("train.parquet")))
    assert row["extra_info"] == {"index": 0, "more": {"b": []}}


def test_a_column_of_two_types_is_named_with_its_row(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"question": "q", "answer": "a", "level": 1},
        {"question": "q", "answer": "a", "level": "high"},
    ]
    file = put(tmp_path / "rows.jsonl", rows)
    with pytest.raises(SystemExit, match=r"rows\.jsonl, row 2: it does not fit the types of the rows before it"):
        run_script(data_module("trinity", "verl", run_of("trinity", str(file)), tmp_path / "out"))


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ({"question": ["q"], "answer": "a"}, "holds no list of messages|a message is a mapping"),
        ({"question": 3, "answer": "a"}, "column 'question' is int, not text"),
        ({"question": "q", "answer": "a", "extra_info": "{"}, "column 'extra_info' holds text that is no JSON"),
        ({"question": "q", "answer": "a", "extra_info": "[1]"}, "column 'extra_info' is list, not a mapping"),
        (
            {"question": "q", "answer": "a", "level": 1, "extra_info": {"level": 2}},
            "column 'level' and extra_info differ",
        ),
    ],
)
def test_rows_that_are_not_what_the_config_says(row: dict[str, Any], why: str, tmp_path: Path) -> None:
    file = put(tmp_path / "rows.jsonl", [row])
    with pytest.raises(SystemExit, match=why):
        run_script(data_module("trinity", "verl", run_of("trinity", str(file)), tmp_path / "out"))


@pytest.mark.parametrize("line", ["{", "[1]", "3"])
def test_a_line_that_is_no_row_is_named(line: str, tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text('{"question": "q", "answer": "a"}\n' + line + "\n")
    with pytest.raises(SystemExit, match=r"rows\.jsonl, line 2: "):
        run_script(data_module("trinity", "roll", run_of("trinity", str(file)), tmp_path / "out"))


def test_images_do_not_fit_a_text_pipeline(tmp_path: Path) -> None:
    file = put(tmp_path / "rows.jsonl", [{**ROWS["verl"][0], "images": ["a.png"]}])
    for target in ("chatlearn", "nemo_rl"):
        with pytest.raises(SystemExit, match="row 1: it has images or videos"):
            run_script(data_module("verl", target, run_of("verl", str(file)), tmp_path / "out"))
    for target in ("trinity", "openrlhf", "trl"):
        run_script(data_module("verl", target, run_of("verl", str(file)), tmp_path / target))
        assert got(next((tmp_path / target).rglob(f"train{SHAPES[target].suffix}")))[0]["images"] == ["a.png"]
    file = put(tmp_path / "films.jsonl", [{**ROWS["verl"][0], "videos": ["a.mp4"]}])
    for target, reader in (("openrlhf", "OpenRLHF's PromptDataset"), ("trl", "GRPOTrainer")):
        with pytest.raises(SystemExit, match=f"row 1: it has videos, which {reader} does not read"):
            run_script(data_module("verl", target, run_of("verl", str(file)), tmp_path / "films"))


def test_bytes_have_no_place_in_json(tmp_path: Path) -> None:
    file = put(tmp_path / "rows.parquet", [{**ROWS["verl"][0], "images": [{"bytes": b"\x00"}]}])
    with pytest.raises(SystemExit, match="row 1: the row cannot be written as JSON"):
        run_script(data_module("verl", "roll", run_of("verl", str(file)), tmp_path / "out"))
