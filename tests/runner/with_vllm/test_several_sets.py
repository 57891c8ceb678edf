"""Several data sets, really run: prompts of each period from each domain, a reward for each, and the same when it goes on."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

pytest.importorskip("vllm", reason="needs the runner's environment (make runner-env)")
from rftconf.plan.data_parts import Domain
from rftconf.plan.model import Plan
from tests.runner.with_vllm import session
from tests.runner.with_vllm.test_demo import planned, without_times

pytestmark = pytest.mark.filterwarnings("default")
BY_TAG = '''"""So much that the mean says how many answers were scored here."""


def compute_score(data_source, solution_str, ground_truth, extra_info):
    assert data_source == "digits"
    assert int(ground_truth) >= 8
    return 100.0 + len(solution_str) / 1000
'''


def several(demo: Path, name: str) -> Path:
    """The demo's rows in two files: sums below 8 and the others, six and two of each period."""
    from datasets import load_dataset

    file = planned(demo, name, trainer__total_training_steps="4", trainer__save_freq="2")
    plan = Plan.model_validate_json(file.read_text())
    (stage,) = plan.stages
    rows = load_dataset("parquet", data_files=str(demo / "train.parquet"), split="train")
    files = []
    for tag, low in (("small", True), ("large", False)):
        files.append(demo / f"{name}_{tag}.jsonl")
        own = [{**row, "tag": tag} for row in rows if (int(row["reward_model"]["ground_truth"]) < 8) == low]
        files[-1].write_text("".join(json.dumps(row) + "\n" for row in own))
    stage.data.train = [stage.data.train[0].model_copy(update={"uri": str(path)}) for path in files]
    stage.data.mixing = "weighted"
    stage.data.domains = [
        Domain(name="below", tags=["small"], weight=0.75),
        Domain(name="above", tags=["large"], weight=0.25),
    ]
    file.write_text(plan.model_dump_json())
    return file


def test_domains_with_shares_and_rewards_of_their_own(demo: Path) -> None:
    """Of 8 prompts 2 are of the domain whose answers earn 100 and more; the others earn a share of digits, as before."""
    (demo / "by_tag.py").write_text(BY_TAG)
    plan, reward = several(demo, "shares"), f"above={demo / 'by_tag.py'}:compute_score"
    whole = session.run(plan, demo / "shares", reward=reward)
    assert [25 < entry["reward"] < 26 for entry in whole] == [True] * 4
    for entry in whole:
        assert entry["rewards"]["above"] > 100 > 1 >= entry["rewards"]["below"] > 0
        assert entry["reward"] == pytest.approx(0.75 * entry["rewards"]["below"] + 0.25 * entry["rewards"]["above"])
    shutil.copytree(demo / "shares", demo / "shares_resumed")
    shutil.rmtree(demo / "shares_resumed" / "step-000004")
    assert without_times(session.run(plan, demo / "shares_resumed", resume=True, reward=reward)) == without_times(whole)
