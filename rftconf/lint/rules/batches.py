"""Batch arithmetic. Rules speak of sequences and prompts per period; the words are the user's framework's."""

from __future__ import annotations

from math import gcd

from rftconf.lint.measures import (
    GROUPED,
    PROMPTS,
    RESPONSES,
    TRAINERS,
    UPDATE,
    divisors_near,
    largest_divisor,
    multiple_near,
    rank_gpus,
    ranks,
    sequences,
)
from rftconf.lint.rule import ERROR, INFO, WARNING, Drop, Family, Findings, Put, Rename, finding, trinity, verl
from rftconf.lint.subject import Subject

FAMILY = Family("BAT")
rule = FAMILY.rule
ACTOR, ROLLOUT = "actor_rollout_ref.actor.", "actor_rollout_ref.rollout."
MICRO = "batch.micro.sequences_per_rank"
DYNAMIC = "batch.micro.dynamic"
STATIC = (f"{ACTOR}use_dynamic_bsz=False", f"{ROLLOUT}log_prob_use_dynamic_bsz=False",
          f"{ROLLOUT}log_prob_micro_batch_size_per_gpu=8")  # fmt: skip


@rule(
    1, ERROR, "an update of more sequences than one rollout period yields",
    bad=verl("data.train_batch_size=32", f"{ACTOR}ppo_mini_batch_size=64", *STATIC, f"{ACTOR}ppo_micro_batch_size_per_gpu=8"),
    good=verl("data.train_batch_size=64", f"{ACTOR}ppo_mini_batch_size=64", *STATIC, f"{ACTOR}ppo_micro_batch_size_per_gpu=8"),
    advice="make the update at most as large as the period", source="veRL utils/config.py validate_config; H63",
    frameworks=("verl", "roll", "chatlearn"), fixable=True,
)  # fmt: skip
def _larger_update(s: Subject) -> Findings:
    """The trainer would need more sequences for one optimizer update than the rollout produces. With fixed micro-batches
    veRL's check stops the run (0.2.0 has none and updates on what there is); with dynamic ones it is skipped, and 0.9
    fills the batch with synthetic sequences that weaken the loss. ROLL's agentic pipeline copies random sequences until
    the update is full."""
    total, update, n = sequences(s), s.count(UPDATE), s.count(RESPONSES)
    if total is None or update is None or n is None or update <= total:
        return
    # a file of overrides may leave its batch to a fork's own default
    if not (s.written(UPDATE) or s.written(PROMPTS)):
        return
    unchecked = s.value(DYNAMIC) or (s.native.framework == "verl" and not s.since("0.3.0"))
    copies = s.native.trainer == "agentic"  # AgenticPipeline.adjust_batch, also where a base file is not here
    yield finding(
        f"one update takes {update} sequences, a rollout period yields {total} ({s.says(PROMPTS)}, {s.says(RESPONSES)})"
        f"{'; it is filled up with copies' if copies else ''}",
        UPDATE, PROMPTS, fix=Put(UPDATE, total // n), safe=False, severity=WARNING if unchecked or copies else ERROR,
    )  # fmt: skip


@rule(
    2, ERROR, "a rollout period that updates do not divide",
    bad=verl("data.train_batch_size=100", f"{ACTOR}ppo_mini_batch_size=64"),
    good=verl("data.train_batch_size=128", f"{ACTOR}ppo_mini_batch_size=64"),
    advice="choose an update that divides the period", source="H7; veRL 0.9 trainer_base.py 1589-1632; ROLL, ChatLearn assert it",
    frameworks=("verl", "roll", "chatlearn"),
)  # fmt: skip
def _uneven_period(s: Subject) -> Findings:
    """The last update of every period is short (veRL up to 0.7), padded with synthetic sequences (0.9), or the run stops
    with an assertion (0.8, ROLL, ChatLearn). Either way the run is not what the numbers say."""
    total, update, n = sequences(s), s.count(UPDATE), s.count(RESPONSES)
    if total is None or update is None or n is None or update > total or total % update == 0:
        return
    tail = s.behaviour("batch.uneven_tail")
    what = {
        "short": "the last update is short",
        "pad": "it is filled up with synthetic sequences",
        "copy": "it is filled up with copies",
        "drop": "random ones are left out",
    }.get(str(tail), "the run stops there")
    near = divisors_near(total // n, max(1, update // n)) if total % n == 0 and update % n == 0 else []
    yield finding(
        f"{total} sequences a period leave {total % update} over after updates of {update}; {what}",
        UPDATE, PROMPTS, help=f"values of {s.key(UPDATE)} that divide it: {', '.join(map(str, near))}" if near else "",
        severity=ERROR if tail in ("forbid", None) else WARNING,
    )  # fmt: skip


@rule(
    3, ERROR, "an update that the trainer's ranks do not divide",
    bad=verl(f"{ACTOR}ppo_mini_batch_size=10", "data.train_batch_size=250", f"{ROLLOUT}n=3"),
    good=verl(f"{ACTOR}ppo_mini_batch_size=32", "data.train_batch_size=256", f"{ROLLOUT}n=4"),
    advice="choose a multiple of the data-parallel ranks",
    source="H8, H9; veRL 0.9 workers/engine_workers.py 258; Trinity legacy verl_config.py 430-436",
    fixable=True,
)  # fmt: skip
def _uneven_ranks(s: Subject) -> Findings:
    """Each data-parallel rank takes an equal share of an update. veRL up to 0.7 rounds the share down in silence, so the
    update is smaller than written; all others stop, veRL and Trinity-RFT only after the models are loaded and the first
    batch is rolled out."""
    update, d, n = s.count(UPDATE), ranks(s), s.count(RESPONSES)
    if update is None or d is None or n is None or update % d == 0:
        return
    floors = s.behaviour("batch.uneven_tail") == "short"
    change: tuple[Put, ...] = ()
    if s.framework == "verl" and update % n == 0:
        step = d // gcd(d, n)
        change = (Put(UPDATE, -(-(update // n) // step) * step),)
    elif s.written(UPDATE) and s.framework == "trinity":
        change = (Put(UPDATE, multiple_near(d, update)),)
    says = f"rounded down to {update // d * d}" if floors and update >= d else "the run stops at its first update"
    yield finding(
        f"{update} sequences per update ({s.says(UPDATE)}) do not divide by {d} data-parallel ranks; {says}",
        UPDATE, RESPONSES, TRAINERS, fix=change, severity=WARNING if floors and update >= d else ERROR,
    )  # fmt: skip


@rule(
    4, ERROR, "a rank's share of an update that micro-batches do not divide",
    bad=verl(*STATIC, f"{ACTOR}ppo_micro_batch_size_per_gpu=7"),
    good=verl(*STATIC, f"{ACTOR}ppo_micro_batch_size_per_gpu=8"),
    advice="choose a divisor of a rank's share", source="verl-project/verl#1524; fsdp_workers.py 241; veRL 0.9 engine/utils.py 121-130",
    fixable=True,
)  # fmt: skip
def _uneven_micro(s: Subject) -> Findings:
    """Fixed micro-batches cut a rank's share of the update into equal parts, which the workers assert. It fails when
    the workers start, after the cluster was taken.
    """
    update, d, micro = s.count(UPDATE), ranks(s), s.count(MICRO)
    if s.value(DYNAMIC) is not False or update is None or d is None or micro is None or update % d:
        return
    if s.native.trainer == "megatron" and not s.since("0.8.0"):
        return  # veRL 0.7.1 workers/actor/megatron_actor.py forward_backward_batch: split() takes a smaller last part
    share = update // d
    if share % micro:
        best = max(x for x in divisors_near(share, micro, share) if x <= micro)
        yield finding(
            f"a rank's {share} sequences per update do not divide into micro-batches of {micro}",
            MICRO, UPDATE, help=f"{best} divides {share}", fix=Put(MICRO, best), safe=True,
        )  # fmt: skip


@rule(
    5, ERROR, "a rollout period that the GPUs do not divide",
    bad=verl("data.train_batch_size=33", f"{ACTOR}ppo_mini_batch_size=33", f"{ROLLOUT}n=1", *STATIC,
             f"{ACTOR}ppo_micro_batch_size_per_gpu=1", "algorithm.adv_estimator=reinforce_plus_plus"),
    good=verl("data.train_batch_size=32", f"{ACTOR}ppo_mini_batch_size=32", f"{ROLLOUT}n=1", *STATIC,
              f"{ACTOR}ppo_micro_batch_size_per_gpu=1", "algorithm.adv_estimator=reinforce_plus_plus"),
    advice="choose prompts and answers whose product is a multiple of the GPUs",
    source="veRL utils/config.py validate_config 103-113; verl-project/verl#473", frameworks=("verl",),
)  # fmt: skip
def _uneven_gpus(s: Subject) -> Findings:
    """veRL asserts that the sequences of a period divide by the GPUs (FSDP; up to 0.3 Megatron too), or by ranks times
    micro-batch (Megatron), when micro-batches are fixed; up to 0.5 always."""
    total, gpus = sequences(s), s.count(TRAINERS)
    if total is None or gpus is None or (s.value(DYNAMIC) is not False and s.since("0.6.1")):
        return
    least = gpus
    if s.value("placement.actor.backend") == "megatron" and s.since("0.4.1"):
        d, micro = ranks(s), s.count(MICRO)
        if d is None or micro is None:
            return
        least = d * micro
    if total % least:
        why = f"{total} sequences a period ({s.says(PROMPTS)}, {s.says(RESPONSES)}) do not divide by {least}"
        yield finding(why, PROMPTS, RESPONSES, TRAINERS)


def _missing(s: Subject, name: str, old: str, new: str, dynamic: str) -> Findings:
    if "main_generation" in str(s.reading.facts.program):  # it only serves engines, and checks no trainer
        return
    if not s.native.knows(dynamic):  # Megatron's trainer of old releases has one switch for all
        dynamic = f"{ACTOR}use_dynamic_bsz"
    if s.value(dynamic) is False and s.native.value(new) is None and s.native.value(old) is None:
        # a config in which it stands as null leaves it to the command that starts the run
        left_open = s.document.launch is None and new in s.leaves
        yield finding(
            f"{name} has neither a micro-batch size nor dynamic batches: {new} and {dynamic} are both unset",
            new, dynamic, UPDATE, help=f"set {dynamic}=True, or give {new}{', here or where the run is started' * left_open}",
            fix=() if left_open else Put(new, 1), safe=True, severity=WARNING if left_open else ERROR,
        )  # fmt: skip


@rule(
    6, ERROR, "neither a micro-batch size nor dynamic batches",
    bad=verl(f"{ACTOR}use_dynamic_bsz=False", f"{ROLLOUT}log_prob_use_dynamic_bsz=False"),
    good=verl(*STATIC, f"{ACTOR}ppo_micro_batch_size_per_gpu=8"),
    advice="set one of them", source="veRL utils/config.py check_mutually_exclusive", frameworks=("verl",), fixable=True,
)  # fmt: skip
def _no_micro(s: Subject) -> Findings:
    """Both defaults leave the size of a forward and backward pass open, and veRL's check stops the run."""
    yield from _missing(
        s,
        "the actor",
        f"{ACTOR}ppo_micro_batch_size",
        f"{ACTOR}ppo_micro_batch_size_per_gpu",
        f"{ACTOR}use_dynamic_bsz",
    )
    if s.value("algorithm.critic.enabled"):
        yield from _missing(
            s,
            "the critic",
            "critic.ppo_micro_batch_size",
            "critic.ppo_micro_batch_size_per_gpu",
            "critic.use_dynamic_bsz",
        )


@rule(
    7, ERROR, "two sizes for one micro-batch",
    bad=verl(*STATIC, f"{ACTOR}ppo_micro_batch_size_per_gpu=8", f"{ACTOR}ppo_micro_batch_size=64", release="0.7.1"),
    good=verl(*STATIC, f"{ACTOR}ppo_micro_batch_size_per_gpu=8", release="0.7.1"),
    advice="keep the one per GPU", source="veRL utils/config.py check_mutually_exclusive", frameworks=("verl",), fixable=True,
)  # fmt: skip
def _two_micros(s: Subject) -> Findings:
    """The old key counts over all GPUs, the new one per GPU. veRL refuses both together."""
    for path, name in ((ACTOR, "ppo_micro_batch_size"), ("critic.", "ppo_micro_batch_size"),
                     (ROLLOUT, "log_prob_micro_batch_size"), ("actor_rollout_ref.ref.", "log_prob_micro_batch_size")):  # fmt: skip
        old, new = path + name, f"{path}{name}_per_gpu"
        if s.native.value(old) is not None and s.native.value(new) is not None and s.written(old):
            yield finding(f"{s.says(old)} and {s.says(new)} are both given", old, new, fix=Drop(old), safe=True)


@rule(
    8, WARNING, "a micro-batch counted over all GPUs",
    bad=verl(f"{ACTOR}use_dynamic_bsz=False", f"{ROLLOUT}log_prob_use_dynamic_bsz=False",
             f"{ROLLOUT}log_prob_micro_batch_size=64", f"{ACTOR}ppo_micro_batch_size=64", release="0.6.1"),
    good=verl(*STATIC, f"{ACTOR}ppo_micro_batch_size_per_gpu=8", release="0.6.1"),
    advice="divide it by the GPUs and use the key that ends in _per_gpu",
    source="verl-project/verl PR#136; veRL 0.9 workers/config/actor.py 162-185", frameworks=("verl",), fixable=True,
)  # fmt: skip
def _global_micro(s: Subject) -> Findings:
    """The key without _per_gpu is deprecated: it counts over all GPUs, so it must change with the cluster. The engine
    workers of 0.8 and later accept it and then stop, because they look for the other one."""
    for path, name in ((ACTOR, "ppo_micro_batch_size"), ("critic.", "ppo_micro_batch_size"),
                     (ROLLOUT, "log_prob_micro_batch_size"), ("actor_rollout_ref.ref.", "log_prob_micro_batch_size")):  # fmt: skip
        old, new, gpus = path + name, f"{path}{name}_per_gpu", s.count(TRAINERS)
        size = s.count(old)
        if s.written(old) and s.native.value(old) is not None and s.native.value(new) is None:
            change = (Rename(old, new), Put(old, size // gpus)) if size and gpus and size % gpus == 0 else ()
            yield finding(
                f"{s.says(old)} counts over all GPUs and is deprecated", old, fix=change,
                help=f"write {new}={size // gpus if size and gpus else '…'}",
                severity=ERROR if s.since("0.8.0") and path != "critic." and s.value(DYNAMIC) is False else WARNING,
            )  # fmt: skip


@rule(
    9, ERROR, "dynamic batches in training but not in scoring",
    bad=verl(f"{ACTOR}use_dynamic_bsz=True", f"{ROLLOUT}log_prob_use_dynamic_bsz=False"),
    good=verl(f"{ACTOR}use_dynamic_bsz=True", f"{ROLLOUT}log_prob_use_dynamic_bsz=True"),
    advice="give both the same value, or leave the second out: it follows the first",
    source="veRL 0.9 workers/engine_workers.py 616", frameworks=("verl",), since="0.8.0", fixable=True,
)  # fmt: skip
def _two_modes(s: Subject) -> Findings:
    """The engine workers hold one engine for both and assert that the two switches agree."""
    key, key_b = f"{ACTOR}use_dynamic_bsz", f"{ROLLOUT}log_prob_use_dynamic_bsz"
    train, score = s.value(key), s.value(key_b)
    if isinstance(train, bool) and isinstance(score, bool) and train != score:
        yield finding(f"{s.says(key)}, but {s.says(key_b)}", key_b, key, fix=Put(key_b, train), safe=True)


@rule(
    10, ERROR, "no micro-batch size for scoring",
    bad=verl(f"{ACTOR}use_dynamic_bsz=False", f"{ROLLOUT}log_prob_use_dynamic_bsz=False", f"{ACTOR}ppo_micro_batch_size_per_gpu=8"),
    good=verl(*STATIC, f"{ACTOR}ppo_micro_batch_size_per_gpu=8"),
    advice="give it, or use dynamic batches", source="veRL utils/config.py validate_config", frameworks=("verl",), fixable=True,
)  # fmt: skip
def _no_log_prob_micro(s: Subject) -> Findings:
    """Without dynamic batches veRL wants to know how many sequences it may score at once, for the old policy and, where
    there is one, for the reference."""
    yield from _missing(
        s, "scoring", f"{ROLLOUT}log_prob_micro_batch_size", f"{ROLLOUT}log_prob_micro_batch_size_per_gpu",
        f"{ROLLOUT}log_prob_use_dynamic_bsz",
    )  # fmt: skip
    if s.value("algorithm.kl_loss.enabled") or s.value("algorithm.kl_reward.enabled"):
        ref = "actor_rollout_ref.ref."
        yield from _missing(
            s, "the reference", f"{ref}log_prob_micro_batch_size", f"{ref}log_prob_micro_batch_size_per_gpu",
            f"{ref}log_prob_use_dynamic_bsz",
        )  # fmt: skip


@rule(
    11, WARNING, "a group of one",
    bad=verl(f"{ROLLOUT}n=1", "algorithm.adv_estimator=grpo"),
    good=verl(f"{ROLLOUT}n=8", "algorithm.adv_estimator=grpo"),
    advice="ask for several answers per prompt", source="H16, H39; veRL core_algos.py 311-317", fixable=True,
)  # fmt: skip
def _group_of_one(s: Subject) -> Findings:
    """Group estimators compare the answers to one prompt. With one answer veRL and Trinity-RFT use the bare reward
    without a baseline, ROLL gets NaN, ChatLearn zero, and OpenRLHF stops. Trinity-RFT's default is one in any case."""
    if s.value("algorithm.advantage") in GROUPED and s.value(RESPONSES) == 1 and s.value("stage.kind") in ("rl", None):
        name = s.value("algorithm.advantage")
        stops = s.framework == "openrlhf" and (name != "grpo_mean_only" or s.since("0.11.0"))  # train_ppo_ray asserts
        yield finding(f"{name} compares the answers to a prompt, and there is one: {s.says(RESPONSES)}", RESPONSES,
                    "algorithm.advantage", fix=Put(RESPONSES, 8), severity=ERROR if stops else None)  # fmt: skip


@rule(
    12, INFO, "very many updates on one period's data",
    bad=verl("data.train_batch_size=1024", f"{ACTOR}ppo_mini_batch_size=8"),
    good=verl("data.train_batch_size=1024", f"{ACTOR}ppo_mini_batch_size=256"),
    advice="larger updates, or smaller periods", source="PRIME-RL/Entropy-Mechanism-of-RL#6",
)  # fmt: skip
def _many_updates(s: Subject) -> Findings:
    """After many updates the policy has moved far from the one that answered: the ratio is clipped for most tokens and
    the data teach little. More than 64 updates a period is nearly always a slip between prompts and sequences."""
    total, update, passes = sequences(s), s.count(UPDATE), s.count("batch.passes") or 1
    if total and update and passes * total // update > 64:
        yield finding(f"{passes * total // update} updates per rollout period ({total} sequences, {update} an update)",
                    UPDATE, PROMPTS)  # fmt: skip


@rule(
    13, ERROR, "a fetch that does not divide the period",
    bad=verl("data.gen_batch_size=100", "data.train_batch_size=256"),
    good=verl("data.gen_batch_size=64", "data.train_batch_size=256"),
    advice="choose a divisor", source="veRL 0.9 trainer_base.py 725-752", frameworks=("verl",), since="0.9.0", fixable=True,
)  # fmt: skip
def _uneven_fetch(s: Subject) -> Findings:
    """The data loader hands out this many prompts at a time until a period is full, so it must divide the period."""
    fetch, prompts = s.count("data.gen_batch_size"), s.count(PROMPTS)
    if fetch and prompts and prompts % fetch:
        best = max(x for x in divisors_near(prompts, fetch, prompts) if x <= fetch)
        yield finding(f"{s.says('data.gen_batch_size')} does not divide {s.says(PROMPTS)}", "data.gen_batch_size", PROMPTS,
                    fix=Put("data.gen_batch_size", best), safe=True)  # fmt: skip


@rule(
    14, WARNING, "a validation batch size",
    bad=verl("data.val_batch_size=512"), good=verl(),
    advice="leave it out", source="verl-project/verl PR#353; veRL 0.9 trainer_base.py 754", frameworks=("verl",), fixable=True,
)  # fmt: skip
def _val_batch(s: Subject) -> Findings:
    """The key is deprecated with a warning: validation goes to the engines as a whole, and they schedule it themselves."""
    if s.written("data.val_batch_size") and s.native.value("data.val_batch_size") is not None:
        yield finding(
            f"{s.says('data.val_batch_size')} is deprecated", "data.val_batch_size", fix=Drop("data.val_batch_size")
        )


@rule(
    15, ERROR, "a batch of nothing",
    bad=verl(f"{ROLLOUT}n=0"), good=verl(f"{ROLLOUT}n=8"),
    advice="give a positive number", source="rftconf: a period without sequences", fixable=False,
)  # fmt: skip
def _nothing(s: Subject) -> Findings:
    """A period without prompts, a prompt without answers or an update without sequences is no training."""
    for name in (PROMPTS, RESPONSES, UPDATE, "batch.passes"):
        got = s.number(name)
        if got is not None and got <= 0 and s.written(name):
            yield finding(f"{s.says(name)} leaves nothing to train on", name)


@rule(
    16, ERROR, "a critic's share of an update that its micro-batches do not divide",
    bad=verl("algorithm.adv_estimator=gae", "critic.model.path=Qwen/Qwen2.5-7B-Instruct", "+critic.fsdp.use_dynamic_bsz=False",
             "+critic.fsdp.micro_batch_size_per_gpu=7", "+critic.fsdp.infer_micro_batch_size_per_gpu=8"),
    good=verl("algorithm.adv_estimator=gae", "critic.model.path=Qwen/Qwen2.5-7B-Instruct", "+critic.fsdp.use_dynamic_bsz=False",
              "+critic.fsdp.micro_batch_size_per_gpu=8", "+critic.fsdp.infer_micro_batch_size_per_gpu=8"),
    advice="choose a divisor of a rank's share",
    source="veRL 0.7.1 fsdp_workers.py 1232; 0.9.1 workers/engine/utils.py prepare_micro_batches", fixable=True,
)  # fmt: skip
def _critic_micro(s: Subject) -> Findings:
    """Fixed micro-batches cut a rank's share of the critic's update into equal parts, as they do for the actor."""
    micro, update, d = (
        s.count("batch.critic.sequences_per_rank"),
        s.count("batch.critic_sequences_per_update"),
        ranks(s, "critic"),
    )
    if s.value("batch.critic.dynamic") is not False or not micro or not update or not d or update % d:
        return
    share = update // d
    if share % micro:
        best = max(x for x in divisors_near(share, micro, share) if x <= micro)
        yield finding(f"the critic's {share} sequences per rank do not divide into micro-batches of {micro}",
                    "batch.critic.sequences_per_rank", fix=Put("batch.critic.sequences_per_rank", best), safe=True)  # fmt: skip


@rule(
    17, INFO, "answers that are never compared",
    bad=verl(f"{ROLLOUT}n=4", "algorithm.adv_estimator=gae", "critic.model.path=Qwen/Qwen2.5-7B-Instruct"),
    good=verl(f"{ROLLOUT}n=1", "algorithm.adv_estimator=gae", "critic.model.path=Qwen/Qwen2.5-7B-Instruct"),
    advice="one answer per prompt and more prompts give the same batch with more variety",
    source="veRL core_algos.py compute_grpo_outcome_advantage", fixable=False,
)  # fmt: skip
def _never_compared(s: Subject) -> Findings:
    """An estimator with a critic looks at each answer alone. Several answers to a prompt are allowed, and only make the
    batch less varied."""
    if s.value("algorithm.advantage") == "gae" and (s.count(RESPONSES) or 1) > 1 and s.written(RESPONSES):
        yield finding(f"{s.says(RESPONSES)}, but gae does not compare answers", RESPONSES, "algorithm.advantage")


@rule(
    18, WARNING, "mini-batches counted in sequences",
    bad=verl("data.train_batch_size=256", f"{ACTOR}ppo_mini_batch_size=2048", f"{ROLLOUT}n=8"),
    good=verl("data.train_batch_size=256", f"{ACTOR}ppo_mini_batch_size=256", f"{ROLLOUT}n=8"),
    advice="divide it by the answers per prompt", source="H1; GAIR-NLP/DeepResearcher#27, Unakar/Logic-RL#56", frameworks=("verl",),
    fixable=True,
)  # fmt: skip
def _in_sequences(s: Subject) -> Findings:
    """veRL multiplies ppo_mini_batch_size by rollout.n itself. A value that is n times too large was probably counted in
    sequences, as forks and very old releases did."""
    prompts, n, update = s.count(PROMPTS), s.count(RESPONSES), s.count(UPDATE)
    if prompts and n and update and n > 1 and update // n == prompts * n:
        yield finding(f"{s.says(UPDATE)} is {s.key(PROMPTS)} times {n}: veRL multiplies by {s.key(RESPONSES)} itself",
                    UPDATE, PROMPTS, RESPONSES, fix=Put(UPDATE, update // n // n))  # fmt: skip


@rule(
    19, WARNING, "several passes over the same update in a row",
    bad=trinity("trainer.trainer_config.actor_rollout_ref.actor.ppo_epochs=4", "buffer.batch_size=8", "buffer.train_batch_size=64",
                "synchronizer.sync_interval=4"),
    good=trinity("trainer.trainer_config.actor_rollout_ref.actor.ppo_epochs=1", "buffer.batch_size=8",
                 "buffer.train_batch_size=64", "synchronizer.sync_interval=4"),
    advice="one pass, or one update per period", source="veRL dp_actor.py 541-547, 0.9 engine_workers.py 272-289",
)  # fmt: skip
def _passes_in_a_row(s: Subject) -> Findings:
    """Passes repeat one update's sequences instead of sweeping over the whole period, so the policy runs away on each
    small batch before it sees the next.
    """
    total, update, passes = sequences(s), s.count(UPDATE), s.count("batch.passes")
    if s.value("batch.pass_order") == "per_update" and passes and passes > 1 and total and update and total > update:
        yield finding(f"{s.says('batch.passes')} repeats each update of {update} sequences {passes} times before the next",
                    "batch.passes", UPDATE)  # fmt: skip


@rule(
    20, ERROR, "GPUs that a rank's parallel size does not divide",
    bad=verl(f"{ACTOR}ulysses_sequence_parallel_size=3"), good=verl(f"{ACTOR}ulysses_sequence_parallel_size=2"),
    advice="choose a divisor of the trainer's GPUs",
    source="Megatron initialize_model_parallel; veRL fsdp_workers.py, engine_workers.py; ChatLearn configs _validate_impl", fixable=True,
)  # fmt: skip
def _uneven_rank_gpus(s: Subject) -> Findings:
    """The GPUs that work on one sequence together must fill the trainer's GPUs without rest."""
    gpus, each = s.count(TRAINERS), rank_gpus(s)
    if gpus is None or each is None or gpus % each == 0:
        return
    megatron = s.value("placement.actor.backend") == "megatron"
    names = [f"placement.actor.megatron.{n}" for n in ("tp", "pp", "cp")] if megatron else ["placement.actor.sp"]
    change = () if megatron else (Put(names[0], largest_divisor(gpus, each)),)
    yield finding(f"{gpus} trainer GPUs do not divide by {each} GPUs per rank", *names, TRAINERS, fix=change, safe=True)


@rule(
    21, ERROR, "a critic's engine with fixed micro-batches and no size of one",
    bad=trinity("algorithm.algorithm_type=ppo", "model.critic_model_path=/models/c", "trainer.use_dynamic_bsz=false",
                "trainer.trainer_config.critic.ppo_micro_batch_size_per_gpu=4"),
    good=trinity("algorithm.algorithm_type=ppo", "model.critic_model_path=/models/c", "trainer.use_dynamic_bsz=false",
                 "trainer.trainer_config.critic.ppo_micro_batch_size_per_gpu=4",
                 "trainer.trainer_config.critic.fsdp.micro_batch_size_per_gpu=4",
                 "trainer.trainer_config.critic.fsdp.infer_micro_batch_size_per_gpu=4"),
    advice="give the critic's engine micro_batch_size_per_gpu and infer_micro_batch_size_per_gpu in its own block",
    source="Trinity-RFT 0.6.0 trainer/verl/trainer.py; veRL 0.8.0 workers/engine/utils.py prepare_micro_batches",
    frameworks=("verl", "trinity"),
)  # fmt: skip
def _critic_engine(s: Subject) -> Findings:
    """The trainer hands the critic's engine caps in tokens and no size. With fixed micro-batches the engine needs one, and the
    run stops in its first pass. Only the check of the config reads ppo_micro_batch_size_per_gpu."""
    section = "trainer.trainer_config.critic." if s.framework == "trinity" else "critic."
    fixed = s.value("algorithm.critic.enabled") is True and s.value("batch.critic.dynamic") is False
    if not fixed or not s.since("0.6.0" if s.framework == "trinity" else "0.8.0"):
        return
    backend = s.value("placement.critic.backend")
    block = f"{section}{'fsdp' if backend == 'fsdp2' else backend}."
    for name in ("micro_batch_size_per_gpu", "infer_micro_batch_size_per_gpu"):
        if isinstance(backend, str) and s.native.value(block + name) is None:
            yield finding(f"{s.says('batch.critic.dynamic')}, and {block}{name} is not set: the engine has no size to cut by",
                        "batch.critic.dynamic", block + name)  # fmt: skip


TRAINED = "trainer.trainer_config.actor_rollout_ref."
FIXED = ("trainer.use_dynamic_bsz=false", f"{TRAINED}rollout.log_prob_micro_batch_size_per_gpu=8")


@rule(
    22, WARNING, "fixed micro-batches and no size of one",
    bad=trinity(*FIXED, "algorithm.kl_loss_fn=none"),
    good=trinity(*FIXED, "algorithm.kl_loss_fn=none", f"{TRAINED}actor.ppo_micro_batch_size_per_gpu=4"),
    advice="set trainer.use_dynamic_bsz=true, or give the size",
    source="Trinity-RFT 0.6.0 trainer/trainer.py is_verl_legacy, trainer/verl/config.py; veRL 0.8.0 workers/engine_workers.py init_model",
    frameworks=("trinity",), since="0.6.0", fixable=True,
)  # fmt: skip
def _no_size(s: Subject) -> Findings:
    """Trinity-RFT 0.6 stops without a size when its worker starts, where veRL 0.8 or newer is installed: actor, scoring and
    reference each want theirs. Beside veRL 0.7.1, actor and reference take one sequence at once."""
    if s.value(DYNAMIC) is not False or s.native.value("mode") not in ("both", "train", "colocate", None):
        return
    sizes = {"the actor": "actor.ppo_micro_batch_size_per_gpu", "scoring": "rollout.log_prob_micro_batch_size_per_gpu"}
    if s.value("algorithm.kl_loss.enabled") or s.value("algorithm.kl_reward.enabled"):
        sizes["the reference"] = "ref.log_prob_micro_batch_size_per_gpu"
    for name, key in sizes.items():
        if not s.written(TRAINED + key):
            yield finding(
                f"{name} has neither a micro-batch size nor dynamic batches: {TRAINED}{key} is not set",
                TRAINED + key,
                DYNAMIC,
                help="set trainer.use_dynamic_bsz=true, or give the size; veRL 0.8 and newer stop without it",
                fix=Put(TRAINED + key, 1),
                safe=True,
            )
