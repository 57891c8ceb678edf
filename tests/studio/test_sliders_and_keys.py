"""Questions of the budget, the new and the compare page."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette")

from rftconf.budget.facts.gpus import GPUS
from rftconf.cli.app import run
from rftconf.mappers.profiles import with_programs
from rftconf.schemas import catalogue, registry, versions
from rftconf.studio.forms import spelled
from rftconf.studio.server import ASSETS

from .test_answers import GOLDEN, README, ask, refused

FRACTION = "stage.placement.rollout.gpu_memory_fraction"


def test_the_account_is_the_command_lines(capsys: pytest.CaptureFixture[str]) -> None:
    data = ask("budget", text=README, name="input.sh", gpu="a100-80g")
    run(["budget", str(GOLDEN / "readme" / "input.sh"), "--gpu", "a100-80g", "--json", "-q"])
    report = json.loads(capsys.readouterr().out)
    assert {key: data[key] for key in report} == report


def test_a_slider_is_the_same_as_the_value_in_the_file() -> None:
    moved = ask("budget", text=README, name="input.sh", changes={FRACTION: 0.8, "stage.placement.rollout.tp": 4})
    text = README.replace("gpu_memory_utilization=0.6", "gpu_memory_utilization=0.8")
    text = text.replace("tensor_model_parallel_size=2", "tensor_model_parallel_size=4")
    written = ask("budget", text=text, name="input.sh")
    assert moved == written
    assert moved["pools"] != ask("budget", text=README, name="input.sh")["pools"]


def test_what_was_moved_is_written_into_the_text() -> None:
    done = ask(
        "apply", text=README, name="input.sh", changes={FRACTION: 0.8, "stage.batch.micro.tokens_per_rank": 12288}
    )
    assert done["left"] == []
    moved = ask("budget", text=done["text"], name="input.sh")
    assert {slider["path"]: slider["value"] for slider in moved["sliders"]}[FRACTION] == 0.8
    assert "ppo_max_token_len_per_gpu=12288" in done["text"]


def test_a_cluster_of_another_size() -> None:
    data = ask("budget", text=README, name="input.sh", nodes=2)
    assert data["cluster"]["nodes"] == 2
    assert sorted(gpu for pool in data["pools"] for gpu in pool["gpus"]) == list(range(16))


@pytest.mark.parametrize(
    "fields",
    [
        {"changes": {"stage.model.path": 1}},
        {"changes": {FRACTION: "x"}},
        {"changes": {FRACTION: -1}},
        {"changes": [1]},
        {"gpu": "abacus"},
        {"nodes": 0},
        {"nodes": 10**11},
    ],
)
def test_a_slider_that_is_none_is_refused(fields: dict[str, Any]) -> None:
    assert refused("budget", text=README, name="input.sh", **fields)["exit"] == 2


def test_the_pages_gpus_are_those_of_the_table() -> None:
    names = re.findall(r'\["([\w-]+)", "', (ASSETS / "gpus.js").read_text())
    assert names
    assert set(names) <= {gpu.name for gpu in GPUS}


@pytest.mark.parametrize("framework", registry.FRAMEWORKS)
def test_every_key_that_people_set_is_in_the_form(framework: str) -> None:
    """All parameters of the oldest and the newest release, but those that the framework sets itself or does not read."""
    known = registry.framework(framework)
    for release in (known.releases[0], known.releases[-1]):
        for trainer in known.trainers_of(release)[:2]:
            new_catalogue = catalogue.load(framework, release, trainer)
            expected = [
                name
                for name, key in new_catalogue.keys.items()
                if not key.automatic and not versions.dead(framework, release, name)
            ]
            data = ask("keys", framework=framework, release=release, trainer=trainer)["keys"]
            assert {entry["key"] for entry in data} >= {spelled(name) for name in expected}
            assert all(new_catalogue.get(entry["key"]) is not None for entry in data)


@pytest.mark.parametrize("framework", [known.name for known in with_programs()])
def test_the_form_writes_what_the_recipe_writes(framework: str) -> None:
    """A beginner's config through the expert's form: the same keys and values, and nothing new for the rules to find."""
    fields = {"algorithm": "grpo", "model": "Qwen/Qwen2.5-7B-Instruct", "gpus": 8, "gpu": "h100-80g"}
    row = ask("start", framework=framework, data="data/train.parquet", eval_data="data/test.parquet", **fields)
    form = ask("new", framework=framework, release=row["release"], values=row["values"])
    data = ask("diff", sides=[{"text": row["text"], "name": row["file"]}, {"text": form["text"], "name": form["name"]}])
    assert data["verdict"] == "same", [difference for stage in data["stages"] for difference in stage["differences"]]
    assert [finding["code"] for finding in form["findings"] if finding["severity"] == "error"] == []


def test_a_key_that_acts_under_a_condition_is_told() -> None:
    off = {"actor_rollout_ref.actor.use_kl_loss": "false", "actor_rollout_ref.rollout.name": "vllm"}
    key = "actor_rollout_ref.actor.kl_loss_coef"
    assert key in ask("new", framework="verl", values=off)["inactive"]
    assert (
        key
        not in ask("new", framework="verl", values={**off, "actor_rollout_ref.actor.use_kl_loss": "true"})["inactive"]
    )


def test_the_forms_rules_are_those_of_check() -> None:
    """The form knows its release; without a word of it, keys that are mandatory there and missing speak for an older one."""
    values = {"trainer.n_gpus_per_node": "8", "actor_rollout_ref.actor.ppo_mini_batch_size": "130"}
    form = ask("new", framework="verl", values=values)
    release = registry.framework("verl").newest
    checked = ask("check", text=form["text"], name=form["name"], **{"from": "verl", "from_release": release})
    assert [finding["code"] for finding in form["findings"]] == [finding["code"] for finding in checked["findings"]]
    assert "BAT003" in [finding["code"] for finding in form["findings"]]


@pytest.mark.parametrize(
    "fields",
    [
        {"framework": "verl", "values": {"data.train_files": "[a"}},
        {"framework": "trinity", "values": {"buffer": "1", "buffer.batch_size": "2"}},
        {"framework": "verl", "release": "0.0.1"},
        {"framework": "verl", "trainer": "x"},
        {},
    ],
)
def test_a_wrong_form_is_answered_with_a_sentence(fields: dict[str, Any]) -> None:
    assert refused("new", **fields)["exit"] == 2


def test_the_side_that_cannot_be_read_is_named() -> None:
    error = refused("diff", sides=[{"text": README, "name": "a.sh"}, {"text": "x: [", "name": "b.yaml"}])
    assert error["message"].startswith("B: ")
    assert "two configs" in refused("diff", sides=[])["message"]


def test_nothing_in_the_page_makes_markup_of_text(tmp_path: Path) -> None:
    for file in ASSETS.glob("*.js"):
        assert not re.search(
            r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function", file.read_text()
        )
    page = (ASSETS / "index.html").read_text()
    assert not re.search(r"https?://|\son\w+=|<style|<script(?![^>]* src=)", page)
