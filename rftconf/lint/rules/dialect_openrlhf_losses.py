"""Rules for what only OpenRLHF has: one coefficient of KL, corrections of engines, optimizers of DeepSpeed, adapters."""

from __future__ import annotations

from rftconf.lint.rule import ERROR, INFO, WARNING, Family, Findings, Put, finding, openrlhf
from rftconf.lint.rules.dialect_openrlhf_places import DS_TP, ENGINES, ESTIMATOR, KL, MAIN, is_on
from rftconf.lint.subject import Subject

FAMILY = Family("DIA", ("openrlhf",))
rule = FAMILY.rule
IN_LOSS, KIND, UNBIASED = "algo.kl.use_loss", "algo.kl.estimator", "algo.kl.unbiased_gradient"
LEVEL, MODE, GATING, BAND = (
    f"algo.advantage.is_correction_{name}" for name in ("level", "mode", "gating", "threshold")
)
FAMILY_OF_LOSS, RANK, DTYPE = "actor.policy_loss_type", "ds.lora.rank", "ds.param_dtype"
LOSS, STRATEGY = "openrlhf/models/loss.py: PolicyLoss", "openrlhf/utils/deepspeed/deepspeed.py"
FLOORLESS = frozenset({"linear", "cosine", "cosine_with_restarts", "polynomial"})
"""Schedules whose function takes no lowest rate (transformers/optimization.py: get_scheduler)."""


def _coefficient(s: Subject) -> float:
    return s.number(KL) or 0.0


@rule(
    531, WARNING, "a KL term in the loss whose gradient is 0 in the mean",
    bad=openrlhf(f"{IN_LOSS}=true", f"{KIND}=k1"), good=openrlhf(f"{IN_LOSS}=true", f"{KIND}=k2"),
    advice="take k2 or k3 in the loss", source=f"OpenRLHF {MAIN}: main recommends it; openrlhf/models/utils.py: compute_approx_kl", fixable=True,
)  # fmt: skip
def _no_pull(s: Subject) -> Findings:
    """k1 is the difference of log-probs, and it is the default. Its gradient is that of the policy's log-prob alone, whose
    mean over the policy's answers is 0: the reference does not occur in it."""
    if is_on(s, IN_LOSS) and _coefficient(s) > 0 and s.value(KIND) == "k1" and not is_on(s, UNBIASED):
        yield finding(
            f"{s.says(KIND)} with {s.says(IN_LOSS)}: nothing pulls to the reference", KIND, IN_LOSS, fix=Put(KIND, "k2")
        )


@rule(
    532, INFO, "a KL penalty in the reward by an estimator for losses",
    bad=openrlhf(f"{IN_LOSS}=false", f"{KIND}=k3"), good=openrlhf(f"{IN_LOSS}=false", f"{KIND}=k1"),
    advice="take k1 in the reward", source=f"OpenRLHF {MAIN}: main recommends it", fixable=True,
)  # fmt: skip
def _biased_penalty(s: Subject) -> Findings:
    """k2 and k3 are never negative, so that each token is punished, and what the policy learns from them is not the KL's
    gradient. OpenRLHF recommends k1 there."""
    if s.value(IN_LOSS) is False and _coefficient(s) > 0 and s.value(KIND) in ("k2", "k3"):
        yield finding(f"{s.says(KIND)} in the reward", KIND, IN_LOSS, fix=Put(KIND, "k1"))


@rule(
    533, ERROR, "a clamp of what can only be dropped",
    bad=openrlhf(f"{LEVEL}=seq", f"{MODE}=clip"), good=openrlhf(f"{LEVEL}=seq", f"{MODE}=mask"),
    advice="take is_correction_mode mask, or level token with gating ratio", source=f"OpenRLHF {LOSS}", since="0.11.2", fixable=True,
)  # fmt: skip
def _clamped(s: Subject) -> Findings:
    """A token's ratio is a weight and can be clamped; a mean over a sequence, or a divergence, only decides what is left
    out. The loss stops at other combinations."""
    other = s.value(LEVEL) == "seq" or (s.value(LEVEL) is not None and s.value(GATING) in ("binary_kl", "tv"))
    if s.value(MODE) == "clip" and other:
        yield finding(
            f"{s.says(MODE)} with {s.says(LEVEL)} and {s.says(GATING)}",
            MODE,
            LEVEL,
            GATING,
            fix=Put(MODE, "mask"),
            safe=True,
        )


@rule(
    534, ERROR, "a divergence with a lower bound",
    bad=openrlhf(f"{LEVEL}=seq", f"{GATING}=binary_kl", f"{BAND}=[0.5, 5.0]"), good=openrlhf(f"{LEVEL}=seq", f"{GATING}=binary_kl", f"{BAND}=[0.05]"),
    advice="give one number, the largest divergence", source=f"OpenRLHF {LOSS}", since="0.11.2",
)  # fmt: skip
def _bounded_below(s: Subject) -> Findings:
    """The default band 0.5 to 5 is one of ratios: a divergence of a policy near to the engine's is below it, so that the
    loss stops at any lower bound above 0."""
    band, gating = s.value(BAND), s.value(GATING)
    if s.value(LEVEL) not in ("token", "seq") or gating not in ("binary_kl", "tv") or not isinstance(band, list):
        return
    if len(band) == 2 and isinstance(band[0], int | float) and band[0] > 0:
        yield finding(f"{s.says(GATING)} with {s.says(BAND)}: it has no lower bound", BAND, GATING)


@rule(
    535, WARNING, "a band that gspo does not look at",
    bad=openrlhf(f"{FAMILY_OF_LOSS}=gspo", "actor.eps_clip_low_high=[0.0003, 0.0004]", f"{LEVEL}=token"),
    good=openrlhf(f"{FAMILY_OF_LOSS}=gspo", "actor.eps_clip_low_high=[0.0003, 0.0004]", f"{LEVEL}=off"),
    advice="leave the correction out where the trainer's own old log-probs are meant", source=f"OpenRLHF {LOSS}.forward; H84", since="0.8.11",
)  # fmt: skip
def _unread_band(s: Subject) -> Findings:
    """gspo weighs no answer and drops none: the switch takes the engine's log-probs for the old ones in its ratio, and
    thresholds, mode and gating do nothing."""
    if s.value(FAMILY_OF_LOSS) == "gspo" and s.value(LEVEL) in ("token", "seq"):
        yield finding(f"{s.says(LEVEL)} with {s.says(FAMILY_OF_LOSS)}: ratios are to the engine's log-probs, and no band is read",
                      LEVEL, FAMILY_OF_LOSS, BAND)  # fmt: skip


@rule(
    536, WARNING, "muon with its updates clipped",
    bad=openrlhf("actor.optim=muon", "actor.max_norm=1.0"), good=openrlhf("actor.optim=muon", "actor.max_norm=0"),
    advice="set max_norm to 0", source=f"OpenRLHF {STRATEGY}: _ds_init_train_model warns", since="0.10.2", fixable=True,
)  # fmt: skip
def _clipped_muon(s: Subject) -> Findings:
    """DeepSpeed clips after Muon has made the update orthogonal, when its norm is in the hundreds: a bound of 1, the
    default, leaves next to nothing of it."""
    for role in ("actor", "critic") if s.value(ESTIMATOR) == "gae" else ("actor",):
        norm = s.number(f"{role}.max_norm")
        if s.value(f"{role}.optim") == "muon" and norm is not None and norm > 0:
            yield finding(f"{s.says(f'{role}.optim')} with {s.says(f'{role}.max_norm')}", f"{role}.max_norm", f"{role}.optim",
                          fix=Put(f"{role}.max_norm", 0))  # fmt: skip


@rule(
    537, ERROR, "adapters that engines do not know",
    bad=openrlhf(f"{RANK}=16", "actor.adam.lr=1.0e-5"), good=openrlhf(f"{RANK}=0"),
    advice="train all weights", source="OpenRLHF openrlhf/trainer/ray/ppo_actor.py: broadcast_to_vllm; OpenRLHF/OpenRLHF#546, #991",
)  # fmt: skip
def _adapters(s: Subject) -> Findings:
    """Weights go to the engines under the names they have in the trainer, which adapters change (base_model.model...): vLLM
    has no such parameter and stops at the first of them, after the first update."""
    rank, engines = s.count(RANK), s.count(ENGINES)
    if rank is not None and engines is not None:
        yield finding(f"{s.says(RANK)}: the engines stop at names of adapters", RANK, ENGINES)


@rule(
    538, ERROR, "a schedule that takes no lowest rate",
    bad=openrlhf("lr_scheduler=cosine", release="0.10.0"), good=openrlhf("lr_scheduler=cosine_with_min_lr", release="0.10.0"),
    advice="take cosine_with_min_lr, constant or constant_with_warmup", source="OpenRLHF openrlhf/trainer/ray/ppo_actor.py: get_scheduler(min_lr)",
    since="0.8.5", until="0.10.0",
)  # fmt: skip
def _floorless(s: Subject) -> Findings:
    """These releases give every schedule a lowest rate, and most of transformers' schedules have no such argument: a
    TypeError once the model is loaded."""
    kind = s.value("actor.lr_scheduler")
    if kind in FLOORLESS:
        yield finding(f"{s.says('actor.lr_scheduler')}: it is given a lowest rate and has none", "actor.lr_scheduler")


@rule(
    539, ERROR, "tensor parallelism in another type than bf16",
    bad=openrlhf(f"{DS_TP}=2", f"{DTYPE}=fp16"), good=openrlhf(f"{DS_TP}=2", f"{DTYPE}=bf16"),
    advice="take bf16", source=f"OpenRLHF {STRATEGY}: __init__", since="0.9.2", fixable=True,
)  # fmt: skip
def _other_type(s: Subject) -> Findings:
    """DeepSpeed's tensor parallelism is set up for bf16, and the strategy asserts it."""
    tp = s.count(DS_TP)
    if tp is not None and tp > 1 and s.value(DTYPE) == "fp16":
        yield finding(f"{s.says(DS_TP)} with {s.says(DTYPE)}", DTYPE, DS_TP, fix=Put(DTYPE, "bf16"), safe=True)


@rule(
    540, ERROR, "a share of truncated answers' rewards above 1",
    bad=openrlhf("reward.stop_properly_penalty_coef=2.0"), good=openrlhf("reward.stop_properly_penalty_coef=0.5"),
    advice="give a share from 0 to 1, or a negative reward", source="OpenRLHF openrlhf/trainer/ppo_utils/length_penalty.py: apply_stop_properly_penalty",
    since="0.9.2",
)  # fmt: skip
def _large_share(s: Subject) -> Findings:
    """Answers that hit the length limit keep this share of their reward; below 0 it is their reward. Above 1 the run stops
    after its first rollout."""
    key = "reward.stop_properly_penalty_coef"
    share = s.number(key)
    if share is not None and share > 1:
        yield finding(f"{s.says(key)} is more than 1", key)


@rule(
    541, ERROR, "a buffer longer than the answers",
    bad=openrlhf("reward.overlong_buffer_len=4096"), good=openrlhf("reward.overlong_buffer_len=512"),
    advice="give it fewer tokens than an answer has", source="OpenRLHF openrlhf/trainer/ppo_utils/length_penalty.py: apply_overlong_penalty",
    since="0.8.7",
)  # fmt: skip
def _long_buffer(s: Subject) -> Findings:
    """The penalty rises over the last tokens of the longest answer; where there are not so many the run stops after its
    first rollout."""
    key, answer, whole = "reward.overlong_buffer_len", "rollout.max_new_tokens", "data.max_len"
    buffer, longest = s.number(key), answer if s.native.value(answer) is not None else whole
    most = s.number(longest)
    if buffer is not None and most is not None and buffer > most:
        yield finding(f"{s.says(key)} is more than {s.says(longest)}", key, longest)
