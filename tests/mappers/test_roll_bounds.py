"""Bounds that ROLL leaves out or insists on: the dual clip, tokens of a micro-batch (H32)."""

from __future__ import annotations

import pytest

from rftconf.base.ledger import State
from rftconf.convert.convert import convert
from rftconf.text.read.read import read
from rftconf.text.source import Source
from tests.mappers.roll_runs import from_roll, to_roll

ACTOR, ROLLOUT = "actor_rollout_ref.actor.", "actor_rollout_ref.rollout."


@pytest.mark.parametrize(
    ("to", "key"), [("verl", ACTOR + "clip_ratio_c"), ("trinity", "algorithm.policy_loss_fn_args.clip_ratio_c")]
)
def test_h32_a_target_whose_dual_clip_is_always_on_gets_a_bound_that_nothing_reaches(to: str, key: str) -> None:
    """Ratios end at exp(20) (core_algos); 3 would be the target's own default."""
    done = from_roll({"dual_clip_loss": False}, to=to)
    assert done.out[key] == 1e9
    assert done.line("dual_clip_loss").state is State.EXACT
    back = convert(read(Source("run.sh" if to == "verl" else "t.yaml", done.conversion.text)), "roll", rows=7473)
    assert not any(line.key == "dual_clip_loss" for line in back.ledger.targets)
    sequences = from_roll({"dual_clip_loss": False, "importance_sampling": "seq"}, to=to)
    assert key not in sequences.out


def test_h32_a_cap_on_the_value_is_not_the_lack_of_a_bound() -> None:
    done = from_roll({"dual_clip_loss": False}, to="chatlearn")
    assert done.line("dual_clip_loss").state is State.NARROWED
    assert "H32" in done.notes


def test_a_switch_that_is_written_has_its_number_of_tokens() -> None:
    """dynamic_batching_shard stops where max_tokens_per_microbatch_in_infer is not given; veRL's follows the actor's."""
    keys = ("actor_train.max_tokens_per_microbatch_in_infer", "reference.max_tokens_per_microbatch_in_infer")
    tokens = {
        ACTOR + "use_dynamic_bsz": "True",
        ACTOR + "ppo_max_token_len_per_gpu": "24000",
        ACTOR + "use_kl_loss": "True",
    }
    switches = (ROLLOUT + "log_prob_use_dynamic_bsz", "actor_rollout_ref.ref.log_prob_use_dynamic_bsz")
    out = to_roll({**tokens, **dict.fromkeys(switches, "True")}).out
    assert [out[key] for key in keys] == [24000, 24000]
