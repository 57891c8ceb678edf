"""What to change together: engines that answer at once, micro-batches of any role, and the reason where nothing helps."""

from __future__ import annotations

from dataclasses import replace

from rftconf.budget.advice.cluster_search import Answer, resized
from rftconf.budget.advice.inverse_questions import answers
from rftconf.budget.advice.make_it_fit import QUESTION, mended
from rftconf.budget.facts.gpus import gpu_named
from rftconf.budget.price import price
from rftconf.budget.roles.roles import Setup
from rftconf.load.load import load
from tests.budget.runs import colocated, golden, setup
from tests.budget.test_pools import NARROW, THEIRS, document
from tests.budget.test_reward_models import H100, roll

LOG_PROB = "actor_rollout_ref.rollout.log_prob_"


def together(run: Setup, gpu: str = "h100-80g") -> Answer:
    answer = mended(run, gpu_named(gpu))
    assert answer is not None
    return answer


def with_shares(run: Setup, share: float) -> Setup:
    for role in run.served:
        run = run.with_engine(role.taking(share))
    return run


def test_a_judge_and_engines_that_overflow_together_both_give_way() -> None:
    """ROLL's judge is awake while the policy generates: two shares of 0.8 are more than one GPU."""
    run = with_shares(roll(), 0.8)
    assert price(run, H100).verdict == "does not fit"
    answer = together(run)
    assert answer.budget is not None
    assert answer.budget.verdict == "fits"
    assert not answer.budget.starved
    paths = {change.path: change for change in answer.changes}
    shares = [path for path in paths if path.endswith("gpu_memory_fraction")]
    assert len(shares) == 2, "neither starves for the other"
    assert len({paths[path].new for path in shares}) == 1
    assert all(paths[path].new < 0.8 == paths[path].old for path in shares)


def test_a_little_more_would_not_fit() -> None:
    run = with_shares(roll(), 0.8)
    (share,) = {float(change.new) for change in together(run).changes if change.path.endswith("gpu_memory_fraction")}
    assert price(with_shares(run, share), H100).verdict == "fits"
    assert price(with_shares(run, share + 0.02), H100).verdict != "fits"


def test_forwards_too_have_micro_batches() -> None:
    plan = colocated(
        f"{LOG_PROB}use_dynamic_bsz=False",
        f"{LOG_PROB}micro_batch_size_per_gpu=256",
        "actor_rollout_ref.model.use_fused_kernels=True",
    )
    run = setup(plan)
    assert price(run, H100).verdict != "fits"
    answer = together(run)
    (change,) = answer.changes
    assert (change.path, change.old) == ("stage.batch.log_prob.sequences_per_rank", 256)
    assert price(run.with_micro("stage.batch.log_prob", int(change.new)), H100).verdict == "fits"
    assert price(run.with_micro("stage.batch.log_prob", int(change.new) + 1), H100).verdict != "fits"


def test_nothing_is_answered_where_the_run_fits() -> None:
    assert mended(setup(), H100) is None
    assert all(answer.question != QUESTION for answer in answers(setup(), H100))


def test_where_nothing_helps_it_says_what_is_left() -> None:
    answer = together(setup(), "t4")
    assert answer.budget is None
    assert answer.changes == ()
    assert "still needs" in answer.text
    assert "Adam" in answer.text or "gradient" in answer.text


def test_options_of_megatron_that_no_plan_has_are_named_with_their_account() -> None:
    run = setup(golden("megatron-moe"))
    small = next(
        replace(H100, usable_gib=float(size))
        for size in range(79, 4, -1)
        if "would fit" in (getattr(mended(run, replace(H100, usable_gib=float(size))), "text", ""))
    )
    answer = mended(run, small)
    assert answer is not None
    assert "recompute_granularity" in answer.text or "optimizer_cpu_offload" in answer.text


def test_another_number_of_gpus_has_other_shares_of_an_update() -> None:
    """A rank's tokens and rounds follow from how many ranks share an update."""
    run = setup(colocated("actor_rollout_ref.actor.ppo_max_token_len_per_gpu=65536"))
    fewer = resized(run, 2)
    assert fewer is not None
    assert run.actor is not None
    assert fewer.actor is not None
    again = setup(colocated("actor_rollout_ref.actor.ppo_max_token_len_per_gpu=65536", "trainer.n_gpus_per_node=2"))
    assert again.actor is not None
    assert fewer.actor.job == again.actor.job != run.actor.job
    assert fewer.actor.scoring == again.actor.scoring


def test_models_on_a_part_of_the_gpus_keep_their_part_on_another_cluster() -> None:
    """ROLL's engines on six of eight GPUs and a judge on the other two are twelve and four of sixteen."""
    plan = load(document(**{NARROW: "list(range(0,6))", THEIRS: "list(range(6,8))"}), framework="roll").plan
    run = setup(plan)
    assert price(run, H100).verdict == "fits"
    twice = resized(run, 16)
    assert twice is not None
    assert [role.gpus for role in twice.engines] == [12, 4]
    assert not price(twice, H100).problems
    same = resized(run, 8)
    assert same is not None
    assert (same.trainers, same.engines) == (run.trainers, run.engines)
    assert resized(run, 2) is None
    (answer,) = (a for a in answers(run, H100) if a.question == "cheapest cluster")
    assert answer.budget is not None
