"""Rules for the functions that Trinity-RFT chooses by name (losses, penalties, advantages) and for their arguments."""

from __future__ import annotations

from rftconf.lint.rule import ERROR, INFO, WARNING, Family, Findings, Put, finding, trinity
from rftconf.lint.rules.dialect_trinity import NO_EXPLORER, SYNC, kind
from rftconf.lint.subject import Subject
from rftconf.mappers.trinity.unread_arguments import unread_arguments

FAMILY = Family("DIA", ("trinity",))
rule = FAMILY.rule
LOSS_ARGS, KL_ARGS, ADVANTAGE_ARGS = (
    "algorithm.policy_loss_fn_args",
    "algorithm.kl_penalty_fn_args",
    "algorithm.advantage_fn_args",
)
WITHOUT_TRAINER = ("explore", "bench", "serve")
"""Modes that build no trainer."""
STEP_WISE = "algorithm.algorithm_type=multi_step_grpo"


@rule(
    102, WARNING, "two aggregations in one loss",
    bad=trinity("algorithm.loss_agg_mode=seq-mean-token-mean", f"{LOSS_ARGS}.clip_range_low=0.2", f"{LOSS_ARGS}.clip_range_high=0.28"),
    good=trinity("algorithm.loss_agg_mode=seq-mean-token-mean", f"{LOSS_ARGS}.clip_range_low=0.2", f"{LOSS_ARGS}.clip_range_high=0.28",
                 f"{LOSS_ARGS}.loss_agg_mode=seq-mean-token-mean"),
    advice="repeat loss_agg_mode inside policy_loss_fn_args", source="H34; Trinity config_validator.py 411-413", fixable=True,
)  # fmt: skip
def _two_aggregations(s: Subject) -> Findings:
    """algorithm.loss_agg_mode reaches the policy loss only while policy_loss_fn_args has that key. Arguments that were
    written without it leave the policy loss at its own default, beside KL and entropy terms that obey."""
    key = "algorithm.loss_agg_mode"
    keys = [k for k in s.leaves if k.startswith(f"{LOSS_ARGS}.")]
    got = s.native.value(key)
    own = "seq-mean-token-mean" if s.value("algorithm.policy_loss.family") == "gspo" else "token-mean"
    if keys and s.written(key) and isinstance(got, str) and f"{LOSS_ARGS}.loss_agg_mode" not in s.leaves and got != own:
        yield finding(f"{s.says(key)} does not reach the policy loss: policy_loss_fn_args is given without it", key, keys[0],
                    fix=Put(f"{LOSS_ARGS}.loss_agg_mode", got))  # fmt: skip


@rule(
    103, ERROR, "arguments of the loss without a clip range",
    bad=trinity(f"{LOSS_ARGS}.clip_ratio_c=3.0"), good=trinity(f"{LOSS_ARGS}.clip_ratio_c=3.0", f"{LOSS_ARGS}.clip_range=0.2"),
    advice="give clip_range, or clip_range_low and clip_range_high", source="H33; Trinity config_validator.py", fixable=True,
)  # fmt: skip
def _no_clip(s: Subject) -> Findings:
    """Arguments that are given replace the defaults as a whole, and the PPO loss asserts a clip range."""
    names = [k.removeprefix(f"{LOSS_ARGS}.") for k in s.leaves if k.startswith(f"{LOSS_ARGS}.")]
    if (
        names
        and s.value("algorithm.policy_loss.family") == "ppo"
        and not any(k.startswith("clip_range") for k in names)
    ):
        yield finding(
            "policy_loss_fn_args has no clip range",
            f"{LOSS_ARGS}.{names[0]}",
            fix=Put(f"{LOSS_ARGS}.clip_range", 0.2),
            safe=True,
        )


@rule(
    104, WARNING, "a KL in the reward that this algorithm leaves out",
    bad=trinity("algorithm.kl_penalty_fn=k1"), good=trinity("algorithm.kl_penalty_fn=none", "algorithm.kl_loss_fn=low_var_kl"),
    advice="put the KL into the loss (kl_loss_fn)", source="H37", fixable=True,
)  # fmt: skip
def _lost_kl(s: Subject) -> Findings:
    """Only algorithms whose advantages are computed in the trainer read kl_penalty_fn. For the others it is silently
    without effect."""
    key = "algorithm.kl_penalty_fn"
    if s.written(key) and key in s.reading.inactive:
        yield finding(
            f"{s.says(key)} has no effect with {kind(s)}",
            key,
            "algorithm.algorithm_type",
            fix=Put(key, "none"),
            safe=True,
        )


@rule(
    105, INFO, "a KL in the loss that nobody asked for",
    bad=trinity("~algorithm.kl_loss_fn"), good=trinity("algorithm.kl_loss_fn=none"),
    advice="say which one you want; none switches it off", source="H35; Trinity config_validator.py 380-395", fixable=True,
)  # fmt: skip
def _default_kl(s: Subject) -> Findings:
    """ppo, grpo and most others default to k2 with weight 0.001, and load a reference model for it. veRL, ROLL and
    ChatLearn have none unless asked."""
    key = "algorithm.kl_loss_fn"
    if not s.written(key) and s.value("algorithm.kl_loss.enabled") is True and kind(s) not in NO_EXPLORER:
        yield finding(f"{kind(s)} adds a KL to the loss by default ({s.value('algorithm.kl_loss.estimator')}, {s.value('algorithm.kl_loss.coef')})",
                    "algorithm.algorithm_type", fix=Put(key, "none"))  # fmt: skip


@rule(
    106, ERROR, "an adaptive KL",
    bad=trinity("algorithm.algorithm_type=ppo", "algorithm.kl_penalty_fn=k1", f"{KL_ARGS}.adaptive=true", f"{KL_ARGS}.target_kl=0.1"),
    good=trinity("algorithm.algorithm_type=ppo", "algorithm.kl_penalty_fn=k1", f"{KL_ARGS}.adaptive=false", f"{KL_ARGS}.kl_coef=0.001"),
    advice="use a fixed coefficient", source="H67; Trinity algorithm/kl_fn/kl_fn.py 35-42, 66-67", fixable=True,
)  # fmt: skip
def _adaptive(s: Subject) -> Findings:
    """The controller calls a tensor's method on a plain number: a TypeError at the first batch, which the training loop
    turns into "stop and save"."""
    key = f"{KL_ARGS}.adaptive"
    if s.native.value(key) is True:
        yield finding(f"{s.says(key)} fails at the first batch", key, fix=Put(key, value=False), safe=True)


@rule(
    109, WARNING, "a filter that starves the trainer",
    bad=trinity("algorithm.advantage_fn_args.std_threshold=0.0"), good=trinity("algorithm.advantage_fn_args.std_threshold=0.0",
                                                                              "algorithm.advantage_fn_args.duplicate_experiences=true"),
    advice="set duplicate_experiences, or a sync style other than fixed", source="H40; Trinity buffer/storage/queue.py 378-405", fixable=True,
)  # fmt: skip
def _starved(s: Subject) -> Findings:
    """Groups that are filtered out are not replaced. With fixed synchronisation the explorer waits for the trainer and the
    trainer for sequences; after the read timeout the run ends."""
    key, also = "algorithm.advantage_fn_args.std_threshold", "algorithm.advantage_fn_args.duplicate_experiences"
    if (
        s.native.value(key) is not None
        and s.native.value(also) is not True
        and s.native.value(f"{SYNC}sync_style") == "fixed"
    ):
        yield finding(
            f"{s.says(key)} drops groups that nothing replaces", key, f"{SYNC}sync_style", fix=Put(also, value=True)
        )


@rule(
    132, WARNING, "an argument that the chosen function does not look at",
    bad=trinity(STEP_WISE, f"{ADVANTAGE_ARGS}.step_norm=true"), good=trinity(STEP_WISE, f"{ADVANTAGE_ARGS}.enable_step_norm=true"),
    advice="name an argument that the function has", source="Trinity algorithm/advantage_fn/multi_step_grpo_advantage.py: __init__",
)  # fmt: skip
def _ignored_argument(s: Subject) -> Findings:
    """Some constructors take arguments of any name (`**kwargs`) and look at their own only: a name that they do not have
    changes nothing, and nobody says so."""
    for unread in unread_arguments(s.reading):
        if not unread.stops:
            yield finding(unread.why, unread.key)


@rule(
    133, ERROR, "an argument that the chosen function does not take",
    bad=trinity(f"{ADVANTAGE_ARGS}.step_norm=true"), good=trinity(f"{ADVANTAGE_ARGS}.epsilon=1e-5"),
    advice="leave it out, or choose the function that has it", source="Trinity algorithm/advantage_fn/grpo_advantage.py: __init__",
)  # fmt: skip
def _refused_argument(s: Subject) -> Findings:
    """Trinity hands all of `<function>_args` to the constructor, which stops with a TypeError at a name that it does not have."""
    for unread in unread_arguments(s.reading):
        if unread.stops:
            yield finding(unread.why, unread.key)


SCHEDULE = "algorithm.optimizer.lr_scheduler_type"
CRITIC_SCHEDULE = "trainer.trainer_config.critic.optim.lr_scheduler_type"


@rule(
    134, ERROR, "a schedule that FSDP does not have",
    bad=trinity(f"{SCHEDULE}=linear"), good=trinity(f"{SCHEDULE}=cosine"),
    advice="constant or cosine, or train with Megatron",
    source="veRL workers/config/optimizer.py, built by Trinity trainer/verl/config.py; up to 0.5 trainer/verl/fsdp_workers.py", fixable=True,
)  # fmt: skip
def _schedule(s: Subject) -> Findings:
    """Any word passes Trinity's own check. veRL's FSDP trainer below it takes constant and cosine, and stops at another when its
    optimizer is built."""
    if s.value("placement.actor.backend") not in ("fsdp", "fsdp2") or s.native.value("mode") in WITHOUT_TRAINER:
        return
    for key in (SCHEDULE, *([CRITIC_SCHEDULE] if s.value("algorithm.critic.enabled") else [])):
        got = s.native.value(key)
        if s.written(key) and isinstance(got, str) and got not in ("constant", "cosine"):
            yield finding(f"{s.says(key)}: FSDP knows constant and cosine", key, fix=Put(key, "cosine"))
