"""Every config that `rftconf new` writes is clean, fits, and is the recipe; every other one is refused with who can."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from rftconf.base.errors import RefusedError
from rftconf.base.ledger import State
from rftconf.budget.facts.gpus import gpu_named
from rftconf.cli.app import run
from rftconf.load.load import load
from rftconf.mappers import profiles
from rftconf.mappers.profiles import profile_of, with_programs
from rftconf.plan.field_roles import PERFORMANCE
from rftconf.plan.index import role_of
from rftconf.recipes.account import findings
from rftconf.recipes.draft import Request, Sizes, draft
from rftconf.recipes.draft_config import write_draft
from rftconf.recipes.recipes import RECIPES
from rftconf.recipes.sizing import SPARE, fit
from rftconf.schemas.registry import FRAMEWORKS

CLUSTERS = (
    ("Qwen/Qwen2.5-0.5B-Instruct", 1, "a100-40g"),
    ("Qwen/Qwen2.5-7B-Instruct", 8, "h100-80g"),
    ("meta-llama/Llama-3.1-8B-Instruct", 24, "a100-80g"),
    ("Qwen/Qwen3-32B", 64, "h100-80g"),
)
WRITTEN = tuple(known.name for known in with_programs())
"""Frameworks that a first config is written for."""
CANNOT = {
    ("roll", "rloo"),
    ("nemo_rl", "ppo"),
    *(("chatlearn", name) for name in ("dapo", "ppo", "rloo", "reinforce++", "gspo")),
    *(("trl", name) for name in ("dapo", "ppo", "rloo", "reinforce++")),
}

NONE = "nor any number up to 512"
TOO_LONG = {
    ("openrlhf", "dapo", 1): "--gpus 4: the fewest of them on which it fits",
    ("nemo_rl", "gspo", 1): "--gpus 3: the fewest of them on which it fits",
    ("nemo_rl", "dapo", 1): NONE,
    ("nemo_rl", "dapo", 8): "--gpus 128: the fewest of them on which it fits",
    ("nemo_rl", "dapo", 64): NONE,
}
"""The refusal of a recipe that does not fit so many GPUs has these words: OpenRLHF and NeMo-RL compute all logits of a sequence in fp32, 14 bytes
and more a token and word, and 21,504 tokens of Qwen's 152,064 words are more than 40 GB. NeMo-RL's DTensor spreads no packed sequence."""


def asked(framework: str, algorithm: str, model: str, gpus: int, gpu: str) -> Request:
    return Request(
        framework,
        FRAMEWORKS[framework].newest,
        RECIPES[algorithm],
        model,
        gpus,
        gpu,
        data="data/train",
        eval_data="data/test.parquet",
    )


@pytest.mark.parametrize(("model", "gpus", "gpu"), CLUSTERS, ids=lambda value: str(value).rpartition("/")[2])
@pytest.mark.parametrize("algorithm", RECIPES)
@pytest.mark.parametrize("framework", WRITTEN)
def test_clean_and_fitting_or_refused(framework: str, algorithm: str, model: str, gpus: int, gpu: str) -> None:
    request = asked(framework, algorithm, model, gpus, gpu)
    if (framework, algorithm) in CANNOT:
        with pytest.raises(RefusedError, match="cannot express") as refused:
            fit(request, gpu_named(gpu))
        able = {choice.removeprefix("--framework ") for choice in refused.value.choices}
        assert able == {name for name in WRITTEN if (name, algorithm) not in CANNOT}
        return
    answer = TOO_LONG.get((framework, algorithm, gpus))
    if answer is not None:
        with pytest.raises(RefusedError, match="does not fit") as refused:
            fit(request, gpu_named(gpu))
        assert answer in refused.value.choices or (answer == NONE and NONE in refused.value.message)
        return
    new_fit = fit(request, gpu_named(gpu))
    assert [f"{diagnostic.code} {diagnostic.message}" for diagnostic in findings(new_fit)] == []
    assert new_fit.budget.verdict == "fits"
    assert new_fit.budget.problems == ()
    assert new_fit.budget.headroom >= SPARE * new_fit.gpu.usable
    assert all(serving.requests >= 1 for serving in new_fit.budget.serving)


@pytest.mark.parametrize("algorithm", RECIPES)
@pytest.mark.parametrize("framework", WRITTEN)
def test_the_file_says_what_the_recipe_says(framework: str, algorithm: str) -> None:
    """Read back, every value is the recipe's or what the framework does anyway, or it is said that it is not."""
    if (framework, algorithm) in CANNOT:
        return
    gpus = 128 if (framework, algorithm, 8) in TOO_LONG else 8
    request = asked(framework, algorithm, "Qwen/Qwen2.5-7B-Instruct", gpus, "h100-80g")
    written = fit(request, gpu_named("h100-80g")).written
    values = load(written.document(), framework=framework).stages[-1].values
    text = " ".join(written.lost)
    counted = {"stage.run_length.epochs"} if request.program.rollouts else set()
    second = {
        path: (value, values.get(path))
        for path, value in request.recipe.values.items()
        if not _same(values.get(path), value)
        and path.removeprefix("stage.") not in text
        and path not in counted
        and role_of(path) != PERFORMANCE
        and not (values.get(path) is None and written.writing.outcomes[path].state is State.DEFAULT)
    }
    assert second == {}


def _same(read: object, expected: object) -> bool:
    if expected == 0 and read is None:
        return True
    if isinstance(read, (int, float, Fraction)) and isinstance(expected, (int, float)):
        return float(read) == float(expected)
    return read == expected


def test_a_sequence_that_is_too_long_for_a_gpu_is_spread_over_two() -> None:
    """OpenRLHF's ring divides 52 GB of logits; shorter sequences stay on one GPU, where nothing is exchanged."""
    long, short = (
        fit(asked("openrlhf", algorithm, "Qwen/Qwen2.5-7B-Instruct", 8, "h100-80g"), gpu_named("h100-80g"))
        for algorithm in ("dapo", "grpo")
    )
    assert (long.sizes.sequence_gpus, short.sizes.sequence_gpus) == (2, 1)
    assert "--ds.ring_attn_size 2" in long.written.text()[0]
    assert "--ds.ring_attn_size" not in short.written.text()[0]


def test_openrlhfs_trainer_sleeps_before_adam_moves_to_the_cpu() -> None:
    """Each choice saves more than the one before and costs more speed."""
    texts = []
    for parked in range(3):
        request = asked("openrlhf", "ppo", "Qwen/Qwen2.5-7B-Instruct", 8, "h100-80g")
        written = write_draft(request, draft(request, Sizes(1, 1, 0.5, parked)))
        texts.append([switch for switch in ("--ds.enable_sleep", "--ds.adam_offload") if switch in written.text()[0]])
    assert texts == [[], ["--ds.enable_sleep"], ["--ds.adam_offload"]]


@pytest.mark.parametrize(
    ("model", "gpus", "file"), [("Qwen/Qwen2.5-7B-Instruct", 8, "zero2"), ("Qwen/Qwen3-32B", 64, "zero3")]
)
def test_weights_are_sharded_where_they_do_not_fit_whole(model: str, gpus: int, file: str) -> None:
    """Under stage 2 of ZeRO each GPU has all weights: 15 GB of 7.6 billion fit, 66 GB of 32.8 billion do not."""
    text = fit(asked("trl", "grpo", model, gpus, "h100-80g"), gpu_named("h100-80g")).written.text()[0]
    assert f"accelerate_config: {file} " in text


@pytest.mark.parametrize("framework", ["roll", "trl"])
def test_a_gpu_takes_whole_micro_batches_of_an_update(framework: str) -> None:
    """24 GPUs share 1,320 sequences, 55 each: 5 at once, and that is what the line beside it says."""
    request = asked(framework, "grpo", "meta-llama/Llama-3.1-8B-Instruct", 24, "a100-80g")
    drafted = draft(request, Sizes(1, 8, 0.5))
    assert drafted.values["stage.batch.sequences_per_update"] == 24 * 55
    assert drafted.values["stage.batch.micro.sequences_per_rank"] == 5
    assert drafted.origins["stage.batch.micro.sequences_per_rank"].how == "5 sequences of 3,072 tokens at once"


def test_a_framework_that_nobody_described_a_start_of_is_refused(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert set(FRAMEWORKS) == set(WRITTEN)
    without = replace(profile_of("trl"), program=None)
    monkeypatch.setattr(profiles, "profile_of", lambda name: without if name == "trl" else profile_of(name))
    options = ["--algorithm", "grpo", "--model", "Qwen/Qwen2.5-7B-Instruct", "--gpus", "8", "--gpu", "h100-80g"]
    assert run(["new", "--framework", "trl", *options]) == 2
    assert "no first config is written for TRL; known: " in capsys.readouterr().err
