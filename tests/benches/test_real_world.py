"""`python -m benches.real_world`: every file of a folder ends in one outcome, and the figures add up."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benches.real_world import FileResult, list_files, shorten_reason, summarize, try_file
from benches.real_world_table import render_table
from benches.refusal_kinds import RefusalKind, kind_of_refusal
from rftconf.schemas.registry import FRAMEWORKS

SCRIPT = """\
python3 -m verl.trainer.main_ppo \\
    data.train_files=/data/train.parquet \\
    data.train_batch_size=64 \\
    actor_rollout_ref.actor.ppo_mini_batch_size=32 \\
    actor_rollout_ref.rollout.name=vllm \\
    actor_rollout_ref.rollout.n=8 \\
    algorithm.adv_estimator=grpo \\
    trainer.n_gpus_per_node=8
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a launch script, a script that starts nothing, a YAML list, and a damaged config."""
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "grpo.sh").write_text(SCRIPT)
    (tmp_path / "install.sh").write_text("pip install something\n")
    (tmp_path / "list.yaml").write_text("- 1\n- 2\n")
    (tmp_path / "broken.yaml").write_text("actor_rollout_ref:\n  actor: [1, 2\n")
    (tmp_path / "notes.txt").write_text("not looked at\n")
    return tmp_path


def results_of(folder: Path) -> dict[str, FileResult]:
    return {result.path: try_file(folder, 60, result) for result in list_files(folder, None)}


def test_every_file_ends_in_one_outcome(folder: Path) -> None:
    outcomes = {path: result.outcome for path, result in results_of(folder).items()}
    assert outcomes == {
        "runs/grpo.sh": "read",
        "install.sh": "passed over",
        "list.yaml": "passed over",
        "broken.yaml": "unreadable",
    }


def test_a_config_is_converted_to_every_framework(folder: Path) -> None:
    result = results_of(folder)["runs/grpo.sh"]
    assert set(result.targets) == set(FRAMEWORKS)
    assert result.targets["trinity"] == "converted"
    assert result.states["exact"] > 0


def test_a_manifest_says_which_files_are_meant(folder: Path) -> None:
    entries = [
        {"path": "runs/grpo.sh", "repository": "a/b", "commit": "0" * 40, "framework": "verl", "kind": "sh"},
        {"path": "install.sh", "repository": "a/b", "commit": "0" * 40, "framework": "verl", "kind": "sh"},
        {"path": "broken.yaml", "repository": "a/b", "commit": "0" * 40, "framework": "verl", "kind": "base"},
        {"path": "missing.yaml", "repository": "a/b", "commit": "0" * 40, "framework": "verl", "kind": "yaml"},
    ]
    manifest = folder / "manifest.jsonl"
    manifest.write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    listed = {result.path: try_file(folder, 60, result) for result in list_files(folder, manifest)}
    assert set(listed) == {"runs/grpo.sh", "install.sh"}
    assert listed["install.sh"].outcome == "unreadable", "the manifest calls it a config, so it counts"


def test_figures_add_up(folder: Path) -> None:
    figures = summarize(list(results_of(folder).values()))
    assert figures["files"] == sum(figures["outcomes"].values()) == 4
    assert (figures["configs"], figures["read_share"]) == (2, 0.5)
    keys = figures["keys"]
    shares = sum(keys[name] for name in ("translated", "without_counterpart", "open", "unknown"))
    assert shares == pytest.approx(1, abs=1e-3)
    assert "2 configs, 50.0% of them read" in render_table(figures)


def test_alike_reasons_are_counted_together() -> None:
    first = shorten_reason("FILE:3:7: KEY004 data.train_batch_size expects int, got 'a b'\nmore")
    second = shorten_reason("FILE:90:1: KEY004 data.train_batch_size expects int, got 'c'")
    assert first == second == "KEYN data.train_batch_size expects int, got '…'"


CRITIC = (
    "the source trains a critic (gae); ChatLearn trains with GRPO alone: group mean and deviation, without a critic"
)
FORK = "this seems to be a fork's config: a=64 is larger than b=32. veRL counts both in prompts and refuses that; forks do not"
TORN = "an update takes 256 sequences, and a rollout period yields 128: ROLL stops at its first update (H7)"


@pytest.mark.parametrize(
    ("sentence", "target", "kind"),
    [
        (CRITIC, "chatlearn", RefusalKind.TARGET),
        (TORN, "roll", RefusalKind.TARGET),
        (TORN, "trinity", RefusalKind.SOURCE),
        ("mode explore is the explorer alone: it trains nothing", "verl", RefusalKind.SOURCE),
        (FORK, "roll", RefusalKind.QUESTION),
        ("a sentence that no test proves", "roll", RefusalKind.WRITER),
    ],
)
def test_a_refusal_is_a_limit_of_the_target_only_where_its_code_shows_it(
    sentence: str, target: str, kind: RefusalKind
) -> None:
    assert kind_of_refusal(sentence, target) is kind


def test_what_the_target_cannot_run_is_left_out_of_the_second_share() -> None:
    outcomes = {"a.sh": "converted", "b.sh": CRITIC, "c.sh": FORK}
    read = [FileResult(path, outcome="read", targets=dict.fromkeys(FRAMEWORKS, end))
            for path, end in outcomes.items()]  # fmt: skip
    row = summarize(read)["targets"]["chatlearn"]
    assert (row["converted"], row["of"], row["target_can_hold"], row["share_of_those"]) == (1, 3, 2, 0.5)
    assert "ChatLearn   1 of 2 (50.0%)" in render_table(summarize(read))


def test_a_file_that_takes_too_long_is_slow(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def loop_forever(*_: object) -> None:
        while True:
            pass

    monkeypatch.setattr("benches.real_world._load", loop_forever)
    assert try_file(folder, 1, FileResult("runs/grpo.sh")).outcome == "slow"


def test_an_exception_that_is_no_finding_is_a_crash(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stumble(*_: object) -> None:
        raise ZeroDivisionError("of nothing")

    monkeypatch.setattr("benches.real_world._load", stumble)
    result = try_file(folder, 60, FileResult("runs/grpo.sh"))
    assert (result.outcome, result.reason) == ("crash", "ZeroDivisionError: of nothing")
