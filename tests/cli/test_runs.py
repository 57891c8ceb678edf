"""`rftconf runs`: folders as the runner leaves them, whole or not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rftconf.cli.app import run
from rftconf.report.screen import Screen
from rftconf.runs.curve import curve_text


def made(folder: Path, rewards: list[float], **more: Any) -> Path:
    folder.mkdir(parents=True)
    lines = [
        {"period": index, "reward": entry, "lag": index % 2, "lags": {"0": 4}, **more}
        for index, entry in enumerate(rewards, 1)
    ]
    (folder / "metrics.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (folder / "plan.json").write_text(json.dumps({"stages": [{"run_length": {"rollouts": 20}}]}))
    return folder


def test_a_line_for_each_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = made(tmp_path / "first", [0.1, 0.5])
    made(tmp_path / "second", [0.2])
    (first / "step-000002").mkdir()
    (first / "step-000004.partial").mkdir()
    (first / "events.jsonl").write_text('{"event": "lost"}\n{"event": "recovered"}\n')
    assert run(["runs", str(tmp_path)]) == 0
    head, text, two = capsys.readouterr().out.splitlines()
    assert head.split() == ["run", "periods", "reward", "lag", "lost", "checkpoint"]
    assert text.split()[1:] == ["2/20", "0.1", "to", "0.5", "▁█", "1", "1", "step-000002"]
    assert two.split()[1:3] == ["1/20", "0.2"]


def test_one_run_is_plotted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = made(tmp_path / "run", [0.1, 0.2, 0.9])
    assert run(["runs", str(folder)]) == 0
    assert "reward, periods 1 to 3: 0.1 to 0.9" in capsys.readouterr().out
    assert run(["runs", str(folder), "--metric", "lag"]) == 0
    assert "lag, periods 1 to 3: 1 to 1" in capsys.readouterr().out


def test_a_metric_that_no_run_has(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made(tmp_path / "run", [0.1])
    assert run(["runs", str(tmp_path), "--metric", "nothing"]) == 2
    assert "there are lag, period, reward" in capsys.readouterr().err


def test_lines_that_are_no_json_are_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = made(tmp_path / "run", [0.1, 0.2])
    with (folder / "metrics.jsonl").open("a") as file:
        file.write('{"period": 3, "rew\n[1]\n')
    (folder / "plan.json").write_text("[" * 100_000)
    assert run(["runs", str(folder)]) == 0
    output = capsys.readouterr().out
    assert "2 lines are no JSON" in output
    assert " 2  " in output


def test_a_page_of_all_runs(tmp_path: Path) -> None:
    made(tmp_path / "<b>", [0.1, 0.2])
    made(tmp_path / "two", [0.3])
    page = tmp_path / "page.html"
    assert run(["runs", str(tmp_path), "--html", str(page), "-o", str(tmp_path / "list")]) == 0
    text = page.read_text()
    assert text.count("<polyline") == 4
    assert "&lt;b&gt;" in text
    assert "<b>" not in text


def test_validation_has_charts_of_its_own_over_its_own_periods(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The last line is being written; a set that no run has for a period has no point there."""
    folder, page = made(tmp_path / "run", [0.1] * 4), tmp_path / "page.html"
    rows = [{"period": period, "sets": {"gsm8k<": {"mean@2": period / 8, "pass@2": 0.5}}} for period in (0, 2, 4)]
    lines = [*(json.dumps(row) for row in rows), '{"period": 5, "se']
    (folder / "validation.jsonl").write_text("\n".join(lines))
    assert run(["runs", str(folder), "--html", str(page)]) == 0
    text = page.read_text()
    assert "<h2>validation: gsm8k&lt;, mean@2</h2>" in text
    assert "<h2>validation: gsm8k&lt;, pass@2</h2>" in text
    chart = text.partition("mean@2</h2>")[2].partition("</svg>")[0]
    assert ">0</text>" in chart
    assert ">period 4</text>" in chart
    points = [point.split(",") for point in chart.partition('points="')[2].partition('"')[0].split()]
    xs = [float(x) for x, _ in points]
    assert xs[1] - xs[0] == pytest.approx(xs[2] - xs[1], abs=0.2)
    assert "1 lines are no JSON" in capsys.readouterr().out


def test_for_programs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made(tmp_path / "run", [0.1])
    assert run(["runs", str(tmp_path), "--json"]) == 0
    (entry,) = json.loads(capsys.readouterr().out)
    assert (entry["wanted"], entry["metrics"][0]["reward"]) == (20, 0.1)


def test_no_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["runs"]) == 0
    assert "rftconf run makes them" in capsys.readouterr().err
    assert run(["runs", "none"]) == 2
    assert "none is no folder" in capsys.readouterr().err


@pytest.mark.parametrize("count", [1, 5, 1000])
def test_a_chart_is_as_wide_as_the_screen_at_most(count: int) -> None:
    lines = curve_text("reward", [0.5] * count, Screen(60)).splitlines()
    assert len(lines) == 9
    assert max(map(len, lines[1:])) <= 60
    assert curve_text("reward", [], Screen(60)) == ""
