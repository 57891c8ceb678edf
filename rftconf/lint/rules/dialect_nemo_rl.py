"""Rules for what only NeMo-RL has: what its code asserts of a GRPO run, and what it does without a word."""

from __future__ import annotations

from typing import Any

from rftconf.base.symbols import is_symbolic
from rftconf.lint.measures import sequences
from rftconf.lint.rule import ERROR, WARNING, Drop, Family, Findings, Put, finding, nemo_rl
from rftconf.lint.subject import Subject

FAMILY = Family("DIA", ("nemo_rl",))
rule = FAMILY.rule
GRPO, LOSS, SETUP = (
    "nemo_rl/algorithms/grpo.py",
    "NeMo-RL nemo_rl/algorithms/loss/loss_functions.py: ClippedPGLossFn",
    "NeMo-RL nemo_rl/algorithms/grpo.py: setup",
)
POLICY = "NeMo-RL nemo_rl/models/policy/lm_policy.py: Policy.__init__"
SHARDED, MEGATRON = "policy.dtensor_cfg.enabled", "policy.megatron_cfg.enabled"
PACKS, SORTS = "policy.sequence_packing.enabled", "policy.dynamic_batching.enabled"
UPDATE, PROMPTS, N = "policy.train_global_batch_size", "grpo.num_prompts_per_step", "grpo.num_generations_per_prompt"
TRAINED, SCORED = "policy.train_micro_batch_size", "policy.logprob_batch_size"
SAMPLES, MORE = "grpo.use_dynamic_sampling", "grpo.batch_multiplier"
FORCED, BY_SEQUENCE, BY_TOKEN = (
    f"loss_fn.{name}" for name in ("force_on_policy_ratio", "sequence_level_importance_ratios", "token_level_loss")
)
CORRECTS, TREATS, MOST = (
    f"loss_fn.{name}" for name in ("use_importance_sampling_correction", "truncated_importance_sampling_type", "truncated_importance_sampling_ratio")
)  # fmt: skip
IN_REWARD, ESTIMATOR, COEF = (
    "loss_fn.use_kl_in_reward",
    "grpo.adv_estimator.name",
    "loss_fn.reference_policy_kl_penalty",
)
AHEAD, SHARED, ANSWERS = (
    "grpo.async_grpo.enabled",
    "policy.generation.colocated.enabled",
    "policy.generation.vllm_cfg.async_engine",
)
PART, NODES = (f"policy.generation.colocated.resources.{name}" for name in ("gpus_per_node", "num_nodes"))
VALIDATED, BATCH, PERIOD = "grpo.max_val_samples", "grpo.val_batch_size", "grpo.val_period"
RUNS_AHEAD = (f"{AHEAD}=true", f"{SHARED}=false", f"{PART}=4", f"{ANSWERS}=true", f"{CORRECTS}=true")
LARGE = 4


def _value(s: Subject, key: str) -> Any:
    """Return a key's own value, whatever field of the plan it tells together with others; None where nobody knows it."""
    got = s.native.value(key) if s.alone or s.written(key) else None
    return None if is_symbolic(got) else got


def _is_on(s: Subject, key: str) -> bool:
    return _value(s, key) is True


@rule(
    601, ERROR, "both trainers, or none",
    bad=nemo_rl(f"{MEGATRON}=true"), good=nemo_rl(f"{MEGATRON}=true", f"{SHARDED}=false"),
    advice="switch one of them on, and the other off", source=POLICY,
)  # fmt: skip
def _trainers(s: Subject) -> Findings:
    """DTensor and Megatron each have a switch, and a run has one trainer."""
    both = [_value(s, key) for key in (SHARDED, MEGATRON)]
    if both in ([True, True], [False, False]):
        yield finding(f"{s.says(SHARDED)} and {s.says(MEGATRON)}: the run stops", MEGATRON, SHARDED)


@rule(
    602, ERROR, "micro-batches that are packed and sorted",
    bad=nemo_rl(f"{SORTS}=true"), good=nemo_rl(f"{SORTS}=true", f"{PACKS}=false"),
    advice="switch sequence packing off, or dynamic batching", fixable=True, source=POLICY,
)  # fmt: skip
def _packed_and_sorted(s: Subject) -> Findings:
    """Sequence packing, which the base config switches on, and dynamic batching exclude each other."""
    if _is_on(s, PACKS) and _is_on(s, SORTS):
        yield finding(f"{s.says(PACKS)} and {s.says(SORTS)}: the run stops", SORTS, PACKS, fix=Put(PACKS, False))


@rule(
    603, ERROR, "a step that updates do not divide",
    bad=nemo_rl(f"{PROMPTS}=144"), good=nemo_rl(f"{PROMPTS}=160"),
    advice="make policy.train_global_batch_size a divisor of prompts x answers", source="NeMo-RL nemo_rl/distributed/batched_data_dict.py: shard_by_batch_size",
)  # fmt: skip
def _torn_step(s: Subject) -> Findings:
    """The answers of a step are cut into whole updates, and a rest is an assertion."""
    whole, update = sequences(s), s.count(UPDATE)
    if whole is not None and update and whole % update:
        yield finding(
            f"{whole} answers a step are no whole number of updates of {update}: the run stops", PROMPTS, UPDATE, N
        )


@rule(
    604, ERROR, "two sizes of micro-batches at large tensor parallelism",
    bad=nemo_rl("policy.dtensor_cfg.tensor_parallel_size=4", f"{SCORED}=8"), good=nemo_rl("policy.dtensor_cfg.tensor_parallel_size=4", f"{SCORED}=4"),
    advice="give both the same size", source=f"{POLICY}; H96", fixable=True,
)  # fmt: skip
def _two_sizes(s: Subject) -> Findings:
    """Log-probabilities hang on the size of a batch from tensor parallelism of 4 on, so that both have to have one."""
    key = (
        "policy.megatron_cfg.tensor_model_parallel_size"
        if _is_on(s, MEGATRON)
        else "policy.dtensor_cfg.tensor_parallel_size"
    )
    size, trained, scored = s.count(key), s.count(TRAINED), s.count(SCORED)
    if size is None or size < LARGE or trained is None or scored is None or _is_on(s, FORCED):
        return
    if trained != scored:
        yield finding(
            f"{s.says(TRAINED)} and {s.says(SCORED)} with {s.says(key)}: the run stops",
            SCORED,
            TRAINED,
            key,
            fix=Put(SCORED, trained),
        )


@rule(
    605, ERROR, "more prompts a batch without dynamic sampling",
    bad=nemo_rl(f"{MORE}=2"), good=nemo_rl(f"{MORE}=2", f"{SAMPLES}=true"),
    advice="leave it at 1, or switch grpo.use_dynamic_sampling on", source=SETUP, since="0.4.0", fixable=True,
)  # fmt: skip
def _more_prompts(s: Subject) -> Findings:
    """A batch of more prompts than a step is for groups that are dropped."""
    more = _value(s, MORE)
    if isinstance(more, int | float) and more != 1 and _value(s, SAMPLES) is False:
        yield finding(f"{s.says(MORE)} and {s.says(SAMPLES)}: the run stops", MORE, SAMPLES, fix=Put(MORE, 1))


@rule(
    606, ERROR, "a ratio that is forced to 1 over several updates",
    bad=nemo_rl(f"{FORCED}=true"), good=nemo_rl(f"{FORCED}=true", f"{UPDATE}=1024"),
    advice="make one update of a step, or let the ratio be", source=SETUP, since="0.5.0",
)  # fmt: skip
def _forced_ratio(s: Subject) -> Findings:
    """The policy that answered and the one that learns are the same for the first update alone."""
    whole, update = sequences(s), s.count(UPDATE)
    if _is_on(s, FORCED) and whole is not None and update is not None and whole != update:
        yield finding(
            f"{s.says(FORCED)} and {whole} answers in updates of {update}: the run stops", FORCED, UPDATE, PROMPTS, N
        )


@rule(
    607, ERROR, "ratios of sequences in a mean over tokens",
    bad=nemo_rl(f"{BY_SEQUENCE}=true"), good=nemo_rl(f"{BY_SEQUENCE}=true", f"{BY_TOKEN}=false"),
    advice="switch loss_fn.token_level_loss off", source=LOSS, since="0.4.0", fixable=True,
)  # fmt: skip
def _ratios_of_sequences(s: Subject) -> Findings:
    """GSPO's ratio belongs to a mean over sequences, which the code asserts."""
    if _is_on(s, BY_SEQUENCE) and _is_on(s, BY_TOKEN):
        yield finding(
            f"{s.says(BY_SEQUENCE)} and {s.says(BY_TOKEN)}: the run stops",
            BY_TOKEN,
            BY_SEQUENCE,
            fix=Put(BY_TOKEN, False),
        )


@rule(
    608, ERROR, "bounds of weights that nothing weighs",
    bad=nemo_rl(f"{TREATS}=tis", f"{MOST}=2.0"), good=nemo_rl(f"{TREATS}=tis", f"{MOST}=2.0", f"{CORRECTS}=true"),
    advice="switch loss_fn.use_importance_sampling_correction on", source=LOSS, since="0.7.0", fixable=True,
)  # fmt: skip
def _unweighted(s: Subject) -> Findings:
    """A weight is cut or left out only where answers are weighed, and the code asserts it."""
    if isinstance(_value(s, TREATS), str) and _value(s, CORRECTS) is False:
        yield finding(
            f"{s.says(TREATS)} and {s.says(CORRECTS)}: the run stops", TREATS, CORRECTS, fix=Put(CORRECTS, True)
        )


@rule(
    609, ERROR, "a bound of weights without a word for it",
    bad=nemo_rl(f"{CORRECTS}=true", f"{MOST}=2.0"), good=nemo_rl(f"{CORRECTS}=true", f"{MOST}=2.0", f"{TREATS}=tis"),
    advice="name what becomes of weights: tis, icepop or seq-mask-tis", source=f"{LOSS}; H92", since="0.7.0", fixable=True,
)  # fmt: skip
def _bound_without_word(s: Subject) -> Findings:
    """Up to 0.6.0 the base config says tis; since 0.7.0 it says nothing, and the first loss stops."""
    if isinstance(_value(s, MOST), int | float) and _value(s, TREATS) is None:
        yield finding(
            f"{s.says(MOST)} and no {TREATS}: the run stops at its first loss", MOST, TREATS, fix=Put(TREATS, "tis")
        )


@rule(
    610, WARNING, "a KL penalty that nothing takes",
    bad=nemo_rl(f"{IN_REWARD}=true"), good=nemo_rl(f"{IN_REWARD}=true", f"{ESTIMATOR}=reinforce_plus_plus"),
    advice="leave the penalty in the loss, or take reinforce_plus_plus", since="0.6.0", fixable=True,
    source="NeMo-RL nemo_rl/algorithms/advantage_estimator.py: ReinforcePlusPlusAdvantageEstimator; H93",
)  # fmt: skip
def _lost_penalty(s: Subject) -> Findings:
    """The switch takes the penalty out of the loss, and only one estimator takes it off the rewards."""
    coef, name = _value(s, COEF), _value(s, ESTIMATOR)
    if _is_on(s, IN_REWARD) and isinstance(name, str) and name != "reinforce_plus_plus" and coef:
        yield finding(
            f"{s.says(IN_REWARD)} with {s.says(ESTIMATOR)}: {s.says(COEF)} acts nowhere",
            IN_REWARD,
            ESTIMATOR,
            COEF,
            fix=Drop(IN_REWARD),
        )


@rule(
    611, ERROR, "engines that run ahead on the trainer's GPUs",
    bad=nemo_rl(f"{AHEAD}=true"), good=nemo_rl(*RUNS_AHEAD),
    advice="give engines GPUs of their own, an async_engine, and weigh their answers", since="0.4.0",
    source="NeMo-RL nemo_rl/algorithms/grpo.py: async_grpo_train",
)  # fmt: skip
def _ahead_without(s: Subject) -> Findings:
    """Engines that run ahead need GPUs of their own, requests one by one, and weights for answers of an older policy."""
    needs = (
        (SHARED, False),
        (CORRECTS, True),
        *(((ANSWERS, True),) if _value(s, "policy.generation.backend") == "vllm" else ()),
    )
    for key, value in needs if _is_on(s, AHEAD) else ():
        if isinstance(_value(s, key), bool) and _value(s, key) is not value:
            yield finding(f"{s.says(AHEAD)} and {s.says(key)}: the run stops", key, AHEAD)


@rule(
    612, ERROR, "engines that run ahead of groups that are dropped",
    bad=nemo_rl(*RUNS_AHEAD, f"{SAMPLES}=true"), good=nemo_rl(*RUNS_AHEAD),
    advice="switch one of them off", source="NeMo-RL examples/run_grpo.py: main", since="0.4.0",
)  # fmt: skip
def _ahead_of_filters(s: Subject) -> Findings:
    """Dynamic sampling, and shaped or scaled rewards, are not there for engines that run ahead."""
    for key in (SAMPLES, "grpo.reward_shaping.enabled", "grpo.reward_scaling.enabled"):
        if _is_on(s, AHEAD) and _is_on(s, key):
            yield finding(f"{s.says(AHEAD)} and {s.says(key)}: the run stops", key, AHEAD)


@rule(
    613, ERROR, "engines apart without a number of GPUs",
    bad=nemo_rl(f"{SHARED}=false"), good=nemo_rl(f"{SHARED}=false", f"{PART}=4"),
    advice="say how many GPUs, or nodes, generate", source=SETUP,
)  # fmt: skip
def _no_part(s: Subject) -> Findings:
    """On one node engines get some of its GPUs; on several they get whole nodes."""
    if _value(s, SHARED) is not False:
        return
    nodes, part, own = s.count("cluster.num_nodes"), _value(s, PART), _value(s, NODES)
    lacks = [key for key, value in ((PART, part), (NODES, own if nodes and nodes > 1 else 1)) if value is None]
    if lacks:
        yield finding(f"{s.says(SHARED)} and no {' and no '.join(lacks)}: the run stops", *lacks, SHARED)


@rule(
    614, WARNING, "a validation of no batch",
    bad=nemo_rl(f"{VALIDATED}=100"), good=nemo_rl(f"{VALIDATED}=100", f"{BATCH}=50"),
    advice="make grpo.val_batch_size at most grpo.max_val_samples", fixable=True, source=f"NeMo-RL {GRPO}: validate; H98",
)  # fmt: skip
def _no_validation(s: Subject) -> Findings:
    """Whole batches validate, and less than one is none: the accuracy is 0.0 then, and checkpoints are ranked by it."""
    most, size, period = s.count(VALIDATED), s.count(BATCH), s.count(PERIOD)
    if most is not None and size is not None and period and most < size:
        yield finding(
            f"{s.says(VALIDATED)} is less than {s.says(BATCH)}: nothing is validated",
            BATCH,
            VALIDATED,
            fix=Put(BATCH, most),
        )


@rule(
    615, ERROR, "cispo beside what it excludes",
    bad=nemo_rl("loss_fn.use_cispo=true", "loss_fn.ratio_clip_c=3.0"), good=nemo_rl("loss_fn.use_cispo=true"),
    advice="leave the other out", source=LOSS, since="0.7.0",
)  # fmt: skip
def _cispo(s: Subject) -> Findings:
    """CISPO weighs tokens by a ratio that is cut: without a ratio, with one of sequences, or with a dual clip it is another loss."""
    if not _is_on(s, "loss_fn.use_cispo"):
        return
    for key in ("loss_fn.disable_ppo_ratio", FORCED, BY_SEQUENCE):
        if _is_on(s, key):
            yield finding(f"loss_fn.use_cispo=true and {s.says(key)}: the run stops", key, "loss_fn.use_cispo")
    if isinstance(_value(s, "loss_fn.ratio_clip_c"), int | float):
        yield finding(
            "loss_fn.use_cispo=true and a dual clip: the run stops", "loss_fn.ratio_clip_c", "loss_fn.use_cispo"
        )
    if _value(s, BY_TOKEN) is False:
        yield finding(f"loss_fn.use_cispo=true and {s.says(BY_TOKEN)}: the run stops", BY_TOKEN, "loss_fn.use_cispo")
