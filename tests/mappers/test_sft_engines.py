"""veRL's SFT program: its two engines are chosen by config groups, and each has keys of its own."""

from __future__ import annotations

import pytest

from rftconf.base.errors import RefusedError
from rftconf.base.ledger import State
from rftconf.convert.convert import convert
from rftconf.load.load import load
from rftconf.load.loaded import Loaded
from rftconf.schemas import registry
from rftconf.text.read.read import read
from rftconf.text.source import Source
from rftconf.verbs.check_own_output import errors_in
from tests.mappers.hazard_runs import from_verl
from tests.mappers.roll_runs import to_roll

GROUPS = ["engine=megatron", "optim=megatron"]
RUN = [
    *("data.train_files=/d/train.parquet", "data.train_batch_size=64", "data.max_length=4096", "model.path=/m"),
    *("trainer.nnodes=1", "trainer.n_gpus_per_node=8"),
]
DECAY = ["optim.lr_decay_style=cosine", "optim.min_lr=1e-6"]
MEGATRON = [*GROUPS, "engine.tensor_model_parallel_size=2", "engine.context_parallel_size=2", *DECAY]
P = "stage.placement.actor."


def script(*words: str) -> Source:
    return Source("run.sh", " ".join(["python3 -m verl.trainer.sft_trainer_ray", *RUN, *words]))


def loaded(*words: str) -> Loaded:
    return load(read(script(*words)))


def values(*words: str) -> dict[str, object]:
    return loaded(*words).stages[0].values


@pytest.mark.parametrize("release", registry.VERL_SFT.releases)
def test_the_groups_choose_the_engine(release: str) -> None:
    run = load(read(script(*MEGATRON)), release=release)
    assert (run.framework, run.guess.trainer) == ("verl_sft", "megatron")
    assert [key for key in run.guess.unknown if not key.startswith("trainer.n")] == []  # 0.6.1 leaves GPUs to torchrun
    plan = run.stages[0].values
    assert [plan[P + key] for key in ("backend", "megatron.tp", "megatron.cp", "megatron.pp")] == ["megatron", 2, 2, 1]
    assert plan["stage.optim.actor.min_lr"] == 1e-6


def test_the_groups_are_words_of_the_launch_line_and_have_a_state() -> None:
    done = convert(read(script(*MEGATRON)), "trinity")
    states = {line.key: line.state for line in done.ledger.sources}
    assert (states["engine"], states["optim"]) == (State.EXACT, State.EXACT)
    assert {line.key: line.value for line in done.ledger.targets}["trainer.trainer_strategy"] == "megatron"


def test_without_groups_the_engine_is_fsdp() -> None:
    assert values()[P + "backend"] == "fsdp"
    assert values("engine=fsdp", "engine.strategy=fsdp2")[P + "backend"] == "fsdp2"


def test_a_group_that_is_named_decides_over_stray_keys() -> None:
    run = loaded("engine=fsdp", "optim=fsdp", "engine.tensor_model_parallel_size=1")
    assert (run.guess.trainer, run.guess.unknown) == ("fsdp", ("engine.tensor_model_parallel_size",))


def test_a_whole_config_tells_by_its_keys() -> None:
    text = "data: {train_batch_size: 64, max_length: 4096}\nengine: {tensor_model_parallel_size: 2}\ntrainer: {total_epochs: 1}\n"
    run = load(read(Source("sft.yaml", text)), framework="verl_sft")
    assert (run.guess.trainer, run.stages[0].values[P + "backend"]) == ("megatron", "megatron")


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["engine=megatron"], "two kinds"),
        (["optim=megatron"], "two kinds"),
        (["engine=megatron", "optim=fsdp"], "two kinds"),
        (["engine=veomni", "optim=veomni"], "engine=veomni chooses a training engine"),
        ([*GROUPS, "+engine.strategy=fsdp"], "takes its own strategy"),
        (['engine="$ENGINE"', 'optim="$ENGINE"'], "chooses a training engine"),
    ],
)
def test_what_the_program_would_not_start_is_refused(words: list[str], why: str) -> None:
    with pytest.raises(RefusedError, match=why) as refused:
        loaded(*words)
    assert "engine=megatron optim=megatron" in refused.value.choices


@pytest.mark.parametrize("style", ["sh", "overrides", "yaml"])
def test_what_is_written_is_read_as_the_same_plan(style: str) -> None:
    """Bare overrides carry the groups as lines, a YAML file the engine's strategy."""
    done = convert(read(script(*MEGATRON)), "verl", style=style)
    bare = "\n".join(line.partition("#")[0] for line in done.text.splitlines())
    assert (style == "yaml") is not all(group in bare for group in GROUPS)
    again = load(
        read(Source({"sh": "a.sh", "overrides": "a.txt", "yaml": "a.yaml"}[style], done.text)), framework="verl_sft"
    )
    assert again.stages[0].values == done.loaded.stages[0].values


def test_a_yaml_says_by_keys_what_the_launch_line_said() -> None:
    done = convert(read(script(*MEGATRON)), "verl", style="yaml")
    keys = {line.key: line.value for line in done.ledger.targets}
    cluster = [done.loaded.stages[0].values[f"cluster.{name}"] for name in ("nodes", "gpus_per_node")]
    assert [keys["trainer.nnodes"], keys["trainer.n_gpus_per_node"]] == cluster
    assert not errors_in("a.yaml", done.text, done.ledger)


def test_row_1_10_a_sequence_lies_on_its_context_parallel_gpus() -> None:
    """The engines multiply the cap per GPU by Ulysses' size, Megatron's by its context-parallel size."""
    cap = "stage.batch.micro.tokens_per_rank"
    assert values(*MEGATRON, "data.max_token_len_per_gpu=8192")[cap] == 16384
    assert values("engine.ulysses_sequence_parallel_size=4", "data.max_token_len_per_gpu=8192")[cap] == 32768
    actor = "actor_rollout_ref.actor."
    change = {
        actor + "strategy": "megatron",
        actor + "megatron.context_parallel_size": "2",
        actor + "ppo_max_token_len_per_gpu": "4096",
    }
    trained = from_verl(change)
    assert (trained.plan(cap), trained.out["trainer.max_token_len_per_gpu"]) == (8192, 4096)
    micro = to_roll(change).out["actor_train.training_args.per_device_train_batch_size"]
    assert micro == 8192 // (512 + 1024) - 1  # 5 do not divide a rank's share, 4 do
