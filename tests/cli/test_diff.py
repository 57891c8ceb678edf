"""`rftconf diff` as a person uses it."""

from __future__ import annotations

import io
import json
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

from rftconf.cli.app import run
from tests.cli.scripts import GRPO, written
from tests.sources import ROOT

GUIDE = ROOT / "golden" / "convert" / "grpo-guide" / "input.sh"
BACK = ROOT / "golden" / "convert" / "grpo-guide-back" / "input.yaml"
Captured = pytest.CaptureFixture[str]


def test_a_file_is_itself(tmp_path: Path, capsys: Captured) -> None:
    file = written(tmp_path)
    assert run(["diff", file, file]) == 0
    out, err = capsys.readouterr()
    assert "The same run: no field of the plan differs" in out
    assert "= sequences per period" in out
    assert f"{file} read as veRL 0.9.1" in " ".join(err.split())


def test_a_variable_may_be_given_for_one_side(tmp_path: Path, capsys: Captured) -> None:
    file = tmp_path / "run.sh"
    file.write_text(GRPO.rstrip("\n") + " trainer.nnodes=$NODES\n")
    assert run(["diff", str(file), str(file), "--quiet", "--set", "NODES=2"]) == 0
    capsys.readouterr()
    assert run(["diff", str(file), str(file), "--quiet", "--json", "--set", "NODES=2", "--set-b", "NODES=4"]) == 1
    output = json.loads(capsys.readouterr().out)
    nodes = [
        difference
        for stage in output["stages"]
        for difference in stage["differences"]
        if difference["path"] == "cluster.nodes"
    ]
    assert [(node["a"]["value"], node["b"]["value"]) for node in nodes] == [(2, 4)]
    assert run(["diff", str(file), str(file), "--set-a", "NODES"]) == 2


def test_text_has_both_origins_and_the_sentence(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")  # wide enough for an origin's line
    assert run(["diff", str(GUIDE), str(BACK), "--quiet"]) == 1
    out, err = capsys.readouterr()
    assert err == ""
    stage_entry = " ".join(out.replace("│", " ").split())
    assert "Changes the mathematics (6, and 1 that cannot be compared)" in stage_entry
    assert "How far answers run ahead of the weights they are learned by: off-policy data." in stage_entry
    assert "synchronizer.sync_offset (input.yaml:54)" in stage_entry
    assert "data.filter_overlong_prompts (input.sh:12) model.enable_prompt_truncation (input.yaml:21)" in stage_entry
    assert "default of veRL 0.9.1: data.shuffle" in stage_entry
    assert (
        stage_entry.index("Changes the mathematics")
        < stage_entry.index("what is measured or saved")
        < stage_entry.index("Performance only (")
    )
    assert "341.333 (not whole)" in stage_entry
    assert "trainer.trainer_config.trainer.critic_warmup (input.yaml:74)" in stage_entry


@pytest.mark.parametrize("width", ["40", "84", "160"])
def test_it_fits_the_screen(width: str, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", width)
    run(["diff", str(GUIDE), str(BACK), "--quiet", "--only", "mathematics"])
    body = capsys.readouterr().out.split("Changes the mathematics")[1].split("Settings outside")[0]
    assert max(map(len, body.splitlines())) <= int(width)


def test_colours_only_where_asked(capsys: Captured) -> None:
    run(["diff", str(GUIDE), str(BACK), "--quiet", "--color", "always"])
    assert "\x1b[" in capsys.readouterr().out
    run(["diff", str(GUIDE), str(BACK), "--quiet"])
    assert "\x1b[" not in capsys.readouterr().out


def test_json(capsys: Captured) -> None:
    assert run(["diff", str(GUIDE), str(BACK), "--json", "--quiet", "--rows", "7473"]) == 1
    data = json.loads(capsys.readouterr().out)
    assert data["verdict"] == "different"
    assert data["a"]["math_id"] != data["b"]["math_id"]
    (stage,) = data["stages"]
    (offset,) = [
        difference for difference in stage["differences"] if difference["path"] == "stage.sync.run_ahead_rollouts"
    ]
    assert (offset["a"]["value"], offset["b"]["value"], offset["certain"]) == (0, 0.25, True)
    assert offset["a"]["origin"]["default_of"] == "veRL 0.9.1"
    assert offset["b"]["origin"]["keys"][0]["place"]["line"] == 54
    (ranks,) = [total for total in stage["totals"] if total["name"] == "sequences per rank and update"]
    assert (ranks["a"], ranks["b"], ranks["same"]) == (256, "1024/3", False)
    assert sum(data["counts"].values()) == len(stage["differences"])


def test_only_some_effects_count(tmp_path: Path, capsys: Captured) -> None:
    first = written(tmp_path, name="a.sh")
    second = written(
        tmp_path, GRPO.replace("rollout.tensor_model_parallel_size=2", "rollout.tensor_model_parallel_size=4"), "b.sh"
    )
    assert run(["diff", first, second, "-q"]) == 1
    assert "Performance only (1)" in capsys.readouterr().out
    assert run(["diff", first, second, "-q", "--only", "mathematics"]) == 0
    assert run(["diff", first, second, "-q", "--only", "mathematics", "--only", "performance"]) == 1


def test_names_alone_are_the_same_run(tmp_path: Path, capsys: Captured) -> None:
    first = written(tmp_path, name="a.sh")
    second = written(tmp_path, GRPO.replace('"$@"', 'trainer.experiment_name=x "$@"'), "b.sh")
    assert run(["diff", first, second, "-q"]) == 0
    assert "identity.experiment" in capsys.readouterr().out
    assert run(["diff", first, second, "-q", "--only", "bookkeeping"]) == 1


def test_an_unknown_value_is_not_compared(tmp_path: Path, capsys: Captured) -> None:
    first = written(tmp_path, GRPO.replace("${BATCH:-256}", "$BATCH"), "a.sh")
    second = written(tmp_path, name="b.sh")
    assert run(["diff", first, first, "-q"]) == 0
    assert run(["diff", first, second, "-q"]) == 1
    out = capsys.readouterr().out
    assert "batch.prompts_per_rollout\n      cannot be compared: A tells it only with BATCH\n" in out
    assert "BATCH * 8" in out
    assert run(["diff", first, second, "-q", "--set", "BATCH=256"]) == 0


def test_standard_input_is_one_side(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(GUIDE.read_bytes())))
    assert run(["diff", "-", str(GUIDE), "-q"]) == 0
    assert "<stdin>" in capsys.readouterr().out


def test_each_side_has_its_own_release(capsys: Captured) -> None:
    """0.9 pads an incomplete last update, 0.7 makes a short one, and the loss is averaged elsewhere."""
    releases = ["--from-release", "0.7.1", "--from-release", "0.9.1"]
    assert run(["diff", str(GUIDE), str(GUIDE), "-q", "--from", "verl", *releases]) == 1
    out = capsys.readouterr().out
    assert "veRL 0.7.1" in out
    assert "veRL 0.9.1" in out
    assert "algorithm.loss_norm_scope" in out


def test_verbose_lists_what_one_side_says(capsys: Captured) -> None:
    run(["diff", str(GUIDE), str(BACK), "-q"])
    short = capsys.readouterr().out
    run(["diff", str(GUIDE), str(BACK), "-q", "--verbose"])
    full = capsys.readouterr().out
    assert "only A says: data.loader_workers 8" in " ".join(short.split())
    assert "\n    data.loader_workers\n      cannot be compared: B does not say it" in full


class Page(HTMLParser):
    """Open tags must be closed in order; no script, nothing from elsewhere."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)
        assert not {name for name, _ in attrs} & {"src", "href", "onload", "onerror"}
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def page_of(a: str, b: str, folder: Path) -> Page:
    file = folder / "page.html"
    run(["diff", a, b, "-q", "--html", str(file), "-o", str(folder / "text")])
    page = Page()
    page.feed(file.read_text())
    assert page.open == []
    return page


def test_html_needs_nothing_else(tmp_path: Path) -> None:
    page = page_of(str(GUIDE), str(BACK), tmp_path)
    assert not page.seen & {"script", "link", "img", "iframe"}
    assert "sync.run_ahead_rollouts" in page.text
    assert "synchronizer.sync_offset (input.yaml:54)" in page.text


def test_html_escapes_what_files_say(tmp_path: Path) -> None:
    hostile = BACK.read_text().replace("deepseek-ai/deepseek-llm-7b-chat", "'<script>alert(1)</script>&amp;'")
    page = page_of(str(BACK), written(tmp_path, hostile, "<b>.yaml"), tmp_path)
    assert "script" not in page.seen
    assert "b" not in page.seen
    assert "<script>alert(1)</script>&amp;" in page.text


def test_secrets_are_not_shown(tmp_path: Path, capsys: Captured) -> None:
    token = "sk-" + "a1b2c3d4e5f6g7h8"
    first = written(tmp_path, name="a.sh")
    second = written(tmp_path, GRPO.replace("Qwen/Qwen2.5-7B-Instruct", f"Qwen/{token}"), "b.sh")
    for more in ([], ["--json"], ["--verbose"]):
        assert run(["diff", first, second, *more]) == 1
        out, err = capsys.readouterr()
        assert token not in out + err
    assert token not in page_of(first, second, tmp_path).text


def test_a_run_of_stages_beside_one_without(tmp_path: Path, capsys: Captured) -> None:
    staged = ROOT / "golden" / "convert" / "sft-then-rl" / "input.yaml"
    assert run(["diff", str(staged), written(tmp_path), "-q"]) == 1
    out = capsys.readouterr().out
    assert "Stages of A only: warmup (sft)" in out


def test_mappings_are_shown_by_what_differs(tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    """However long they are: cut to the same start they would look the same."""
    monkeypatch.setenv("COLUMNS", "200")
    prefix = "+actor_rollout_ref.actor.megatron.override_transformer_config"
    files = [tmp_path / "a.sh", tmp_path / "b.sh"]
    for file, last in zip(files, ("true", "false"), strict=True):
        own = [
            f"{prefix}.recompute_granularity=full",
            f"{prefix}.recompute_method=uniform",
            f"{prefix}.recompute_num_layers=1",
        ]
        own += [f"{prefix}.gradient_accumulation_fusion={last}"]
        script = GRPO.replace("main_ppo", "main_ppo --config-name=ppo_megatron_trainer").rstrip("\n")
        file.write_text(script + " " + " ".join(own) + "\n")
    page = tmp_path / "page.html"
    assert run(["diff", *map(str, files), "--quiet", "--html", str(page)]) == 1
    output = capsys.readouterr().out
    for new_output in (output, page.read_text().replace("&quot;", '"')):
        assert "{gradient_accumulation_fusion: true}" in new_output
        assert "{gradient_accumulation_fusion: false}" in new_output
        assert "recompute_method: " not in new_output


def test_curves_that_differ_are_named_with_their_place(tmp_path: Path, capsys: Captured) -> None:
    """The score of B stands still from its period 32 on, at 1,024 prompts a period."""
    a, b, page = tmp_path / "a.jsonl", tmp_path / "b.jsonl", tmp_path / "page.html"
    mine = ({"step": n, "data": {"critic/score/mean": n / 100, "my/own": 1}} for n in range(1, 65))
    theirs = ({"step": n, "run": "trainer", "critic/score/mean": min(n, 128) / 400} for n in range(1, 257))
    for file, lines in ((a, mine), (b, theirs)):
        file.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    command = ["diff", str(GUIDE), str(BACK), "--quiet", "--metrics", str(a), str(b)]
    assert run([*command, "--html", str(page)]) == 1
    out = capsys.readouterr().out
    assert "Curves that differ (1, the earliest first)" in out
    assert "-v names them" in out
    assert page.read_text().count("<svg ") == 1
    assert run([*command, "--json"]) == 1
    (pair,) = json.loads(capsys.readouterr().out)["curves"]["differ"]
    assert (pair["a"], pair["b"]) == ("critic/score/mean", "critic/score/mean")
    assert 24 * 1024 <= pair["differ_from_prompts"] <= 40 * 1024


def test_a_file_of_metrics_that_cannot_be_read_is_an_error_with_its_line(tmp_path: Path, capsys: Captured) -> None:
    good, bad = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    good.write_text('{"step": 1, "critic/score/mean": 0.5}\n')
    bad.write_text(f'{{"step": {10**400}, "critic/score/mean": 0.5}}\n')
    assert run(["diff", str(GUIDE), str(GUIDE), "--quiet", "--metrics", str(good), str(bad)]) == 2
    assert f"{bad}:1: step is 1000" in capsys.readouterr().err
