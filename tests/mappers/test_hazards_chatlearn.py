"""Hazards of ChatLearn, both ways, with their numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
import yaml

from rftconf.base.errors import RefusedError
from rftconf.base.ledger import State
from rftconf.convert.convert import Conversion, convert
from rftconf.text.read.read import read
from rftconf.text.source import Source
from tests.laws.flip_bases import CHATLEARN_GRPO, MCORE
from tests.mappers.hazard_runs import ACTOR, PPO, ROLLOUT, TRINITY, VERL, Done

TRAINER, REF, ENGINE, RUN = "models.policy_trainer.", "models.ref_policy.", "models.policy.", "runtime_args."


def to_chatlearn(
    changes: Mapping[str, str] | None = None,
    *,
    rows: int | None = None,
    release: str | None = None,
    megatron: bool = False,
) -> Done:
    """The worked example, changed, from veRL."""
    settings = VERL | dict(changes or {})
    words = [f"'{key}={value}'" for key, value in settings.items()]
    option = " --config-name=ppo_megatron_trainer" if megatron else ""
    text = f"python3 -m verl.trainer.main_ppo{option} \\\n  " + " \\\n  ".join(words) + "\n"
    return Done(convert(read(Source("run.sh", text)), "chatlearn", rows=rows, to_release=release))


def trinity_to_chatlearn(changes: Mapping[str, Any] | None = None) -> Done:
    """The worked example, changed, from Trinity-RFT."""
    return Done(_from_flat(TRINITY | dict(changes or {}), "chatlearn"))


def from_chatlearn(changes: Mapping[str, Any] | None = None, *, to: str = "verl", megatron: bool = False) -> Done:
    """A ChatLearn run, changed: 2048 samples an episode, 512 an update, 8 answers, 16 GPUs."""
    flat = CHATLEARN_GRPO | (MCORE if megatron else {}) | dict(changes or {})
    return Done(_from_flat({key: value for key, value in flat.items() if value is not None}, to))


def _from_flat(flat: Mapping[str, Any], to: str) -> Conversion:
    tree: dict[str, Any] = {}
    for key, value in flat.items():
        *parents, last = key.split(".")
        node = tree
        for parent in parents:
            node = node.setdefault(parent, {})
        node[last] = value
    return convert(read(Source("run.yaml", yaml.safe_dump(tree))), to)


# -- batches and steps ------------------------------------------------------------------------------------------


def test_h1_samples_are_not_prompts() -> None:
    out = to_chatlearn().out
    assert (out[RUN + "sample_per_episode"], out[RUN + "train_global_batch_size"]) == (8192, 2048)
    back = from_chatlearn().out
    assert (back["data.train_batch_size"], back["actor_rollout_ref.actor.ppo_mini_batch_size"]) == (256, 64)


def test_h1_an_episode_is_whole_prompts() -> None:
    with pytest.raises(RefusedError, match="not a multiple of 8 responses"):
        from_chatlearn({RUN + "sample_per_episode": 2050})


def test_h4_gpus_do_not_change_an_update() -> None:
    out = to_chatlearn({"trainer.nnodes": "2"}).out
    assert (out[RUN + "train_global_batch_size"], out[TRAINER + "num_gpu"]) == (2048, 16)


def test_h7_an_uneven_last_update_is_refused_with_what_fits() -> None:
    with pytest.raises(RefusedError, match="8000 samples") as refused:
        to_chatlearn({"data.train_batch_size": "1000"})
    assert "2000 samples an update" in refused.value.choices


def test_h8_every_rank_gets_the_same() -> None:
    with pytest.raises(RefusedError, match="cannot be shared by 8"):
        to_chatlearn({"data.train_batch_size": "7", f"{ACTOR}ppo_mini_batch_size": "7", f"{ROLLOUT}n": "3"})


def test_h11_cadences_count_episodes() -> None:
    out = to_chatlearn().out
    cadences = [out[RUN + key] for key in ("eval_episode_interval", "save_episode_interval", "num_episode")]
    assert cadences == [5, 20, 105]
    out = trinity_to_chatlearn().out
    assert (out[RUN + "eval_episode_interval"], out[RUN + "num_episode"]) == (5, 105)


def test_h12_epochs_become_episodes() -> None:
    epochs = {"trainer.total_epochs": "15", "trainer.total_training_steps": "null"}
    assert to_chatlearn(epochs, rows=7473).out[RUN + "num_episode"] == 105
    unknown = to_chatlearn(epochs)
    assert any("--rows" in choice for d in unknown.conversion.ledger.decisions for choice in d.choices)
    assert unknown.line("trainer.total_epochs").state is State.UNRESOLVED


def test_h68_other_limits_do_not_end_the_run_first() -> None:
    assert from_chatlearn({RUN + "num_episode": 500}).out["trainer.total_epochs"] == 500


def test_h13_both_copies_of_n_are_written_and_compared() -> None:
    out = to_chatlearn().out
    assert out[RUN + "num_inference_per_prompt"] == out[ENGINE + "num_inference_per_prompt"] == 8
    differing = from_chatlearn({RUN + "num_inference_per_prompt": 16})
    assert differing.out["actor_rollout_ref.rollout.n"] == 8
    assert differing.line(RUN + "num_inference_per_prompt").state is State.NARROWED
    assert "(H13)" in differing.notes
    open_ = from_chatlearn({RUN + "num_inference_per_prompt": "${oc.env:N}"})
    assert "(H13)" not in open_.notes, "what is not known differs from nothing"
    left_out = from_chatlearn({RUN + "num_inference_per_prompt": None, ENGINE + "num_inference_per_prompt": None})
    assert left_out.out["actor_rollout_ref.rollout.n"] == 32


def test_h14_advantages_are_computed() -> None:
    assert to_chatlearn().out[RUN + "max_replay_episode"] == 1
    assert "(H14)" in from_chatlearn({RUN + "max_replay_episode": None}).notes


def test_h16_a_default_n_of_one_is_refused() -> None:
    with pytest.raises(RefusedError, match="H39"):
        trinity_to_chatlearn({"algorithm.repeat_times": 1, "buffer.train_batch_size": 256})


# -- placement, lengths, sampling -------------------------------------------------------------------------------


def test_h21_gpus_are_shared_or_not_as_in_the_source() -> None:
    shared = to_chatlearn().out
    assert shared[RUN + "colocation"] == ["policy", "policy_trainer", "ref_policy"]
    assert shared[TRAINER + "num_gpu"] == shared[ENGINE + "num_gpu"] == 8
    separate = trinity_to_chatlearn().out
    assert separate[RUN + "colocation"] == ["policy_trainer", "ref_policy"]
    assert (separate[TRAINER + "num_gpu"], separate[ENGINE + "num_gpu"]) == (4, 4)


def test_h51_a_prompt_as_long_as_the_limit() -> None:
    assert (
        to_chatlearn({"data.filter_overlong_prompts": "True"}).line("data.filter_overlong_prompts").state
        is State.NARROWED
    )
    assert from_chatlearn().out["data.filter_overlong_prompts"] is True


def test_h55_evaluation_is_spelt_out() -> None:
    out = to_chatlearn().out
    assert [out[f"{ENGINE}eval_{name}"] for name in ("temperature", "top_p", "top_k")] == [0, 1.0, -1]
    back = from_chatlearn().out
    assert [back[f"{ROLLOUT}val_kwargs.{name}"] for name in ("temperature", "top_p", "top_k")] == [0.6, 0.95, 20]


def test_h28_logits_are_not_divided_by_the_temperature() -> None:
    assert "H28" not in to_chatlearn().notes
    assert "H28" in to_chatlearn({f"{ROLLOUT}temperature": "0.6"}).notes
    assert "H28" in from_chatlearn({ENGINE + "temperature": 0.6}).notes


def test_h56_a_resumed_run_may_lose_its_weights() -> None:
    resumes = {RUN + "data_checkpoint_path": "/out/state"}
    assert "(H56)" in from_chatlearn(resumes).notes
    assert "(H56)" not in from_chatlearn(resumes | {RUN + "train_global_batch_size": 2048}).notes
    assert "(H56)" not in from_chatlearn(resumes, megatron=True).notes
    assert "(H56)" in to_chatlearn().notes


# -- loss and algorithm -----------------------------------------------------------------------------------------


def test_h30_clip_ratios_are_two_numbers() -> None:
    out = to_chatlearn({f"{ACTOR}clip_ratio": "0.1", f"{ACTOR}clip_ratio_high": "0.28"}).out
    assert (out[TRAINER + "neg_clip_ratio"], out[TRAINER + "pos_clip_ratio"]) == (0.2, 0.28)


def test_h32_the_cap_is_one_of_value() -> None:
    done = to_chatlearn({f"{ACTOR}clip_ratio_c": "3.0"})
    assert done.line(f"{ACTOR}clip_ratio_c").state is State.NARROWED
    assert "H32" in done.line(f"{ACTOR}clip_ratio_c").reason
    assert (
        from_chatlearn({TRAINER + "final_clip_ratio": 5}).line(TRAINER + "final_clip_ratio").state
        is State.NO_COUNTERPART
    )


def test_h36_the_estimator_is_clamped_k3() -> None:
    on = {f"{ACTOR}use_kl_loss": "True", f"{ACTOR}kl_loss_coef": "0.002"}
    assert to_chatlearn(on | {f"{ACTOR}kl_loss_type": "low_var_kl"}).out[TRAINER + "kl_coef"] == 0.002
    assert to_chatlearn(on | {f"{ACTOR}kl_loss_type": "mse"}).line(f"{ACTOR}kl_loss_type").state is State.NARROWED
    assert from_chatlearn().out["actor_rollout_ref.actor.kl_loss_type"] == "low_var_kl"


def test_h35_no_kl_is_said() -> None:
    assert to_chatlearn().out[TRAINER + "kl_coef"] == 0.0
    assert from_chatlearn({TRAINER + "kl_coef": 0.0}, to="trinity").out["algorithm.kl_loss_fn"] == "none"


def test_h37_kl_in_the_reward_is_said_to_be_lost() -> None:
    done = to_chatlearn({"algorithm.use_kl_in_reward": "True"})
    assert done.line("algorithm.use_kl_in_reward").state is State.NARROWED


def test_h38_the_deviation_is_that_of_the_population() -> None:
    assert "H38" in to_chatlearn().notes
    assert "H38" in from_chatlearn().notes
    assert "H38" in from_chatlearn(to="trinity").notes
    assert "H38" not in to_chatlearn({"algorithm.norm_adv_by_std_in_grpo": "False"}).notes


def test_h39_a_group_of_one_learns_nothing() -> None:
    with pytest.raises(RefusedError, match="H39"):
        to_chatlearn({f"{ROLLOUT}n": "1"})
    single = dict.fromkeys((RUN + "num_inference_per_prompt", ENGINE + "num_inference_per_prompt"), 1)
    assert "nothing is learned (H39)" in from_chatlearn(single).notes


def test_h40_no_group_is_filtered() -> None:
    done = to_chatlearn({"algorithm.filter_groups.enable": "True", "algorithm.filter_groups.metric": "reward"})
    assert done.line("algorithm.filter_groups.enable").state is State.NO_COUNTERPART


def test_h41_megatron_has_no_gradient_of_kl_and_entropy() -> None:
    dead = from_chatlearn({TRAINER + "kl_coef": 0.001, TRAINER + "entropy_coef": 0.01}, megatron=True)
    assert dead.line(TRAINER + "kl_coef").state is State.DEAD_IN_SOURCE
    assert dead.line(TRAINER + "entropy_coef").state is State.DEAD_IN_SOURCE
    assert dead.out["actor_rollout_ref.actor.use_kl_loss"] is False
    to = to_chatlearn({f"{ACTOR}use_kl_loss": "True", f"{ACTOR}entropy_coeff": "0.01"}, megatron=True)
    assert to.line(f"{ACTOR}use_kl_loss").state is State.DEAD_IN_TARGET
    assert to.line(f"{ACTOR}entropy_coeff").state is State.DEAD_IN_TARGET
    alive = from_chatlearn({TRAINER + "entropy_coef": 0.01}).out
    assert (alive["actor_rollout_ref.actor.use_kl_loss"], alive["actor_rollout_ref.actor.entropy_coeff"]) == (
        True,
        0.01,
    )


def test_h66_gspo_needs_megatron_and_states_its_clip() -> None:
    loss = {
        f"{ACTOR}policy_loss.loss_mode": "gspo",
        f"{ACTOR}clip_ratio_low": "3e-4",
        f"{ACTOR}clip_ratio_high": "4e-4",
    }
    with pytest.raises(RefusedError, match=r"the token-level ratio only"):
        to_chatlearn(loss)
    out = to_chatlearn(loss, megatron=True).out
    assert out[TRAINER + "use_group_sequence_policy"] is True
    assert (out[TRAINER + "neg_clip_ratio"], out[TRAINER + "pos_clip_ratio"]) == (3e-4, 4e-4)
    back = from_chatlearn({TRAINER + "use_group_sequence_policy": True}, megatron=True).out
    assert (back["actor_rollout_ref.actor.policy_loss.loss_mode"], back["actor_rollout_ref.actor.loss_agg_mode"]) == (
        "gspo",
        "token-mean",
    )


def test_a_critic_is_refused() -> None:
    with pytest.raises(RefusedError, match=r"without a critic"):
        to_chatlearn(PPO)


# -- optimizer --------------------------------------------------------------------------------------------------


def test_h44_there_is_no_warm_up() -> None:
    done = to_chatlearn({f"{ACTOR}optim.lr_warmup_steps": "10"})
    assert done.line(f"{ACTOR}optim.lr_warmup_steps").state is State.NARROWED


def test_h47_the_rate_does_not_collapse() -> None:
    out = to_chatlearn({f"{ACTOR}optim.lr": "3e-6"}, megatron=True).out
    assert out[TRAINER + "optimizer.min_lr"] == out[TRAINER + "optimizer.lr"] == 3e-6
    collapsing = from_chatlearn({TRAINER + "optimizer.min_lr": 0.0}, megatron=True)
    assert "(H47)" in collapsing.notes
    assert (
        from_chatlearn(megatron=True).out.get("actor_rollout_ref.actor.optim.lr_decay_style", "constant") == "constant"
    )
