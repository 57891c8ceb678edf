"""Hazards: errors of a conversion that looks right, numbered, one line each, with the plan fields and keys concerned.

The numbers are those that rows, rules and golden notes name as their source. Plan fields stand without `stage.`; native
keys as `framework:key`, in the newest release's names. Either may be a glob.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from rftconf.mappers.paths import fits

_NUMBER = re.compile(r"\bH([1-9]\d?)\b")


@dataclass(frozen=True, slots=True)
class Hazard:
    """One hazard. `concerns` are globs over plan fields (without `stage.`) and `framework:key`."""

    number: int
    says: str
    concerns: tuple[str, ...]

    @property
    def name(self) -> str:
        """The hazard's name, as `H12`."""
        return f"H{self.number}"


def _hazard(number: int, says: str, *concerns: str) -> Hazard:
    return Hazard(number, says, concerns)


_B, _N, _G = "batch.prompts_per_rollout", "batch.responses_per_prompt", "batch.sequences_per_update"
_EVALS, _EVERY = "cadence.eval_rollouts", "sync.every_rollouts"
_RUN = ("run_length.rollouts", "run_length.epochs")
_GPUS = ("placement.actor.gpus", "placement.rollout.gpus", "cluster.nodes", "cluster.gpus_per_node")
_LOSS, _AGG = "algorithm.policy_loss", "algorithm.loss_agg"

HAZARDS: tuple[Hazard, ...] = (
    _hazard(1, "one framework counts prompts where another counts sequences: a copied number is n times off", _B, _N, _G),
    _hazard(2, "Trinity's train_batch_size is in sequences already: nothing multiplies it by n again", _G),
    _hazard(3, "a Trinity explorer that makes more than its trainer takes: updates lag further behind with each step", _B, _G, _EVERY),
    _hazard(4, "in ROLL the sequences of an update are a product with the data-parallel size: other GPUs, other updates", _G, "placement.actor.gpus"),
    _hazard(5, "ROLL's dynamic batching redefines an update: the accumulation counts micro-batches of any size", "batch.micro.*", _G),
    _hazard(6, "ROLL decides by static batch sizes whether old log-probs are computed again", "sync.old_logprob", "batch.micro.dynamic"),
    _hazard(7, "an incomplete last mini-batch is short, padded, dropped or refused, by framework and release", "batch.uneven_tail", _B, _G),
    _hazard(8, "veRL's legacy workers round an update down to whole sequences a rank; later ones refuse", _G),
    _hazard(9, "Trinity on veRL 0.8 does not check that an update divides over the trainer's GPUs until its first step", _G, *_GPUS),
    _hazard(10, "ROLL with Megatron wants prompts, not sequences, to divide over the ranks", _B, "placement.actor.megatron.*"),
    _hazard(11, "step counters count periods in one framework and updates in another: copied intervals are off by a factor",
            "cadence.*", _RUN[0], "optim.*.warmup_updates", "optim.*.decay_updates"),
    _hazard(12, "an epoch drops, carries or cycles its last rows: the same epochs are another number of updates", *_RUN, "run_length.last_partial"),
    _hazard(13, "ChatLearn has the responses per prompt twice, nothing compares them, and both default to 32", _N),
    _hazard(14, "ChatLearn's max_replay_episode of 0, its default, leaves GRPO without advantages", "chatlearn:runtime_args.max_replay_episode"),
    _hazard(15, "ROLL's rollout_batch_size is prompts in one pipeline and trajectories in the agentic one", _B),
    _hazard(16, "Trinity's repeat_times is 1 unless written: the algorithm's own default never takes effect", _N),
    _hazard(17, "a sync_offset delays each sync: part of every period is rolled out with older weights", "sync.run_ahead_rollouts"),
    _hazard(18, "veRL validates with the new weights, Trinity with those of before the sync", _EVALS, "cadence.eval_at_start"),
    _hazard(19, "Trinity evaluates at multiples of its sync interval only: other intervals are rounded", _EVALS, _EVERY),
    _hazard(20, "critic warm-up is off by one between frameworks, and freezes the actor even where there is no critic", "algorithm.critic.warmup_rollouts"),
    _hazard(21, "a shared GPU count is the whole run's in one framework and the trainer's in another", *_GPUS,
            "placement.layout", "placement.rollout.gpu_memory_fraction"),
    _hazard(22, "Trinity's trainer takes whole nodes, or part of one", *_GPUS[:2]),
    _hazard(23, "ways of running ahead count in other units, and ROLL has none below one period", "sync.run_ahead_rollouts", "sync.driver"),
    _hazard(24, "which policy the ratio is taken against differs: with Trinity's own recomputation the clip never acts", "sync.old_logprob", f"{_LOSS}.clip_*"),
    _hazard(25, "on Trinity's new back end the gradient depends on the size of micro-batches", "batch.micro.*", _AGG),
    _hazard(26, "token-mean is over a micro-batch, a rank's or the global mini-batch", _AGG, "algorithm.loss_norm_scope", "batch.micro.*"),
    _hazard(27, "the KL in the reward is taken before or after the group's normalisation", "algorithm.kl_reward.*"),
    _hazard(28, "veRL and Trinity divide logits by the sampling temperature in log-probs, ROLL and ChatLearn do not",
            "sampling.train.temperature", "algorithm.divide_logits_by_temperature"),
    _hazard(29, "ROLL's own sampling cuts the distribution (top-p 0.95, top-k 50), and its loss does not know",
            "sampling.train.top_*", "sampling.train.temperature"),
    _hazard(30, "veRL's clip_ratio yields to clip_ratio_low and clip_ratio_high, which have defaults of their own", f"{_LOSS}.clip_*",
            "verl:actor_rollout_ref.actor.clip_ratio"),
    _hazard(31, "ROLL's pg_clip_low and pg_clip_high do nothing without use_pg_clip_range", f"{_LOSS}.clip_*"),
    _hazard(32, "dual clip is on in veRL with 3.0, and a switch with another bound in ROLL", f"{_LOSS}.dual_clip_c", f"{_LOSS}.value_cap"),
    _hazard(33, "Trinity takes all arguments of a policy loss from the file or none", f"{_LOSS}.*"),
    _hazard(34, "Trinity's loss_agg_mode reaches the loss only where its arguments have that key already", _AGG),
    _hazard(35, "a KL loss and a reference model are on unless switched off in Trinity, and loaded unused in ROLL", "algorithm.kl_loss.*"),
    _hazard(36, "estimators of one name are clamped in one framework and not in another", "algorithm.kl_loss.estimator", "algorithm.kl_reward.estimator"),
    _hazard(37, "only some of Trinity's algorithms read kl_penalty_fn", "algorithm.kl_reward.*"),
    _hazard(38, "the group's standard deviation is divided by n or by n-1", "algorithm.std_ddof", "algorithm.std_scope"),
    _hazard(39, "a group of one answer: raw reward, NaN or zero advantage", _N, "algorithm.std_scope"),
    _hazard(40, "groups that are filtered out leave an update short, and both sides may wait for ever", "algorithm.filters[].*"),
    _hazard(41, "ChatLearn's Megatron trainer has no gradient from the KL and entropy terms", "algorithm.kl_loss.coef", "algorithm.entropy_coef"),
    _hazard(42, "whitening and values are over the whole period or over one update", "algorithm.whiten_advantage", "algorithm.advantage_scope"),
    _hazard(43, "ROLL gives rows of unknown tags to a domain that may not exist", "data.domains[].*"),
    _hazard(44, "one tick of the learning rate is a period in veRL and an update elsewhere", "optim.*.warmup_updates", "optim.*.decay_updates",
            "optim.*.updates_per_tick"),
    _hazard(45, "a warm-up share of a run whose length nobody told: the learning rate stays near zero", "optim.*.warmup_updates"),
    _hazard(46, "ROLL's schedule is linear to zero unless written", "optim.*.schedule"),
    _hazard(47, "ChatLearn's Megatron trainer falls to min_lr after its first update", "optim.*.min_lr", "optim.*.min_lr_ratio", "optim.*.lr"),
    _hazard(48, "two keys clip the gradient, and which one is read depends on release and back end", "optim.*.grad_clip"),
    _hazard(49, "the end of a cosine is 0 in veRL and a hundredth of the rate in Trinity", "optim.*.min_lr_ratio"),
    _hazard(50, "overlong prompts leave the data in veRL, and take up places with empty answers in Trinity", "length.overlong_prompt"),
    _hazard(51, "a prompt of exactly the longest length is kept or dropped", "length.prompt_max_tokens", "length.overlong_prompt"),
    _hazard(52, "rows are shuffled in one framework and read in order in another", "data.shuffle", "data.seed", "data.*[].selector"),
    _hazard(53, "Trinity's one offload flag replaces what is written for single roles", "placement.*.offload.*"),
    _hazard(54, "LoRA's scale is alpha over rank, and the default alpha differs", "model_options.lora.*"),
    _hazard(55, "evaluation decodes greedily in one framework and samples in another", "sampling.eval.*"),
    _hazard(56, "ChatLearn saves under the number of updates and resumes by that of periods", "cadence.save_rollouts", "identity.resume*"),
    _hazard(57, "ROLL's loader ignores keys that it does not know"),
    _hazard(58, "a section of a Trinity stage replaces the common one as a whole", "trinity:stages[].*"),
    _hazard(59, "the reward keys of before veRL 0.7.1 still pass the schema of 0.9.1, and nobody reads them",
            "reward.*", "verl:custom_reward_function.*", "verl:reward_model.*"),
    _hazard(60, "in ROLL's token-mean, tokens that were filtered later keep their loss", _AGG),
    _hazard(61, "seq-mean-token-sum-norm is divided by other numbers in each framework and release", _AGG, "algorithm.loss_agg_tokens", "optim.*.grad_clip"),
    _hazard(62, "in veRL 0.9 the trainer mode decides what one tick of the learning rate is", "optim.*.warmup_updates", "verl:trainer.v1.*"),
    _hazard(63, "veRL 0.9 pads a batch below one mini-batch with synthetic rows, which weaken sequence means", "batch.uneven_tail", _B, _G),
    _hazard(64, "veRL 0.9's trainer balances ranks whatever balance_batch says", "batch.balance_ranks"),
    _hazard(65, "since veRL 0.8 the critic's own Ulysses size is checked and never used", "placement.critic.sp"),
    _hazard(66, "gspo aggregates by sequence up to veRL 0.8 and by token in 0.9, unless written", _AGG, f"{_LOSS}.family"),
    _hazard(67, "Trinity's adaptive KL passes validation and fails at its first use", "algorithm.kl_reward.controller", "algorithm.kl_reward.target",
            "algorithm.kl_reward.horizon"),
    _hazard(68, "veRL stops at whichever limit comes first, and at epochs without a last save", *_RUN),
    _hazard(69, "veRL 0.9's asynchronous modes drop groups that are too old; others have no such rule", "verl:trainer.v1.sampler.*", "sync.run_ahead_rollouts"),
    _hazard(70, "veRL's SFT learning rate and schedule changed their defaults a hundredfold", "optim.actor.lr", "optim.actor.schedule"),
    _hazard(71, "hybrid_engine=false acts in one trainer mode alone", "placement.layout", "verl:actor_rollout_ref.hybrid_engine"),
    _hazard(72, "in veRL 0.9 a period may hold fewer real answers than B*n", _N, _B),
    _hazard(73, "OpenRLHF's rollout.batch_size counts prompts, and its train.batch_size answers", _B, _G),
    _hazard(74, "OpenRLHF has one KL coefficient: on rewards, or with use_loss in the loss, and at 0 there is no reference",
            "openrlhf:algo.kl.init_coef", "openrlhf:algo.kl.use_loss"),
    _hazard(75, "OpenRLHF takes a KL penalty off rewards after the answers to a prompt are compared, and others before", "algorithm.kl_reward.order",
            "openrlhf:algo.kl.init_coef"),
    _hazard(76, "three of OpenRLHF's estimators whiten advantages over a rollout, the others do not, and no flag says it", "algorithm.whiten_advantage",
            "openrlhf:algo.advantage.estimator"),
    _hazard(77, "OpenRLHF's critic.freezing_steps names the last step from 0 on that does not train the policy: 10 are 11 steps",
            "algorithm.critic.warmup_rollouts", "openrlhf:critic.freezing_steps"),
    _hazard(78, "OpenRLHF's rates fall to a tenth after 3 in 100 of the updates unless written, where others stay constant",
            "openrlhf:*.lr_scheduler", "openrlhf:*.lr_warmup_ratio", "openrlhf:*.min_lr_ratio"),
    _hazard(79, "up to OpenRLHF 0.10.0 one flag sets clipping, decay, betas and schedule of the policy and the critic",
            "openrlhf:*.max_norm", "openrlhf:*.adam.weight_decay", "openrlhf:*.adam.betas", "openrlhf:*.lr_scheduler"),
    _hazard(80, "answers that OpenRLHF's updates leave over go into the next rollout's first update, or with batches by tokens into none",
            "openrlhf:train.batch_size", "openrlhf:train.dynamic_batch_enable"),
    _hazard(81, "OpenRLHF's vllm_generate_batch_size was the size of a rollout, then nothing, and is an upper bound of it since 0.10",
            "openrlhf:rollout.vllm_generate_batch_size"),
    _hazard(82, "a gradient norm of 0 clips nothing in DeepSpeed and in transformers, and leaves nothing in torch's own function",
            "optim.*.grad_clip", "openrlhf:*.max_norm", "trl:max_grad_norm"),
    _hazard(83, "without rollout.max_new_tokens an answer in OpenRLHF takes what its prompt leaves of data.max_len",
            "openrlhf:data.max_len", "openrlhf:rollout.max_new_tokens"),
    _hazard(84, "gspo with OpenRLHF's correction takes ratios to the engine's log-probs, and weighs and drops nothing",
            "openrlhf:algo.advantage.is_correction_*", "openrlhf:actor.policy_loss_type"),
    _hazard(85, "OpenRLHF's token-mean is a mean of micro-batches' means up to 0.10.2, and one over the update since 0.10.4", "algorithm.loss_norm_scope",
            "openrlhf:actor.loss_agg_mode"),
    _hazard(86, "OpenRLHF filters groups by their mean score, not by equal scores: eight answers of 0.5 stay", "algorithm.filters*",
            "openrlhf:algo.dynamic_filtering_*"),
    _hazard(87, "up to OpenRLHF 0.9.1 disable_ds_ckpt is not read: checkpoints have the optimizer's states all the same",
            "openrlhf:ckpt.disable_ds"),
    _hazard(88, "NeMo-RL's base config compares an answer with the others alone: one right answer of eight gets 1.0, undivided, and elsewhere 2.47",
            "algorithm.advantage", "nemo_rl:grpo.use_leave_one_out_baseline"),
    _hazard(89, "NeMo-RL's rates tick once a step, not an update: 50 ticks of warm-up are 200 updates where a step has four",
            "optim.actor.warmup_updates", "optim.actor.decay_updates", "optim.actor.updates_per_tick",
            "nemo_rl:policy.scheduler*", "nemo_rl:policy.megatron_cfg.scheduler.lr_*_iters"),
    _hazard(90, "NeMo-RL cuts a prompt of data.max_input_seq_length tokens, or more, to four a message and masks it: 1025 lets 1024 pass",
            "length.overlong_prompt", "length.prompt_max_tokens", "nemo_rl:data.max_input_seq_length"),
    _hazard(91, "since NeMo-RL 0.7.0 the KL term's gradient also follows the probability of the drawn token; up to 0.6.0 it does not",
            "algorithm.kl_loss.estimator", "nemo_rl:loss_fn.reference_policy_kl_type"),
    _hazard(92, "a bound of weights without a type is a cut up to NeMo-RL 0.6.0, whose base config says tis, and stops 0.7.0 at its first loss",
            "algorithm.rollout_correction", "nemo_rl:loss_fn.truncated_importance_sampling_*"),
    _hazard(93, "NeMo-RL's use_kl_in_reward takes the penalty out of the loss, and only reinforce_plus_plus puts it on rewards: with grpo there is none",
            "algorithm.kl_reward.enabled", "algorithm.kl_loss.enabled", "nemo_rl:loss_fn.use_kl_in_reward"),
    _hazard(94, "NeMo-RL's lengths all follow policy.max_total_sequence_length, 512 in its base config: an answer has what its prompt leaves",
            "length.response_max_tokens", "length.model_max_tokens", "nemo_rl:policy.max_total_sequence_length"),
    _hazard(95, "NeMo-RL's base config ends after one epoch: 7473 rows at 32 a step are 233 steps, whatever max_num_steps says above",
            "run_length.epochs", "run_length.rollouts", "nemo_rl:grpo.max_num_epochs"),
    _hazard(96, "from tensor parallelism of 4 on NeMo-RL stops unless training and scoring have micro-batches of one size",
            "batch.log_prob.sequences_per_rank", "nemo_rl:policy.logprob_batch_size"),
    _hazard(97, "NeMo-RL keeps the best keep_top_k checkpoints by a metric, three by val:accuracy, and not the newest",
            "checkpoint.keep", "nemo_rl:checkpointing.keep_top_k"),
    _hazard(98, "NeMo-RL validates max_val_samples // val_batch_size whole batches: 256 of 300 are none, and the accuracy is 0.0",
            "data.eval_max_samples", "nemo_rl:grpo.max_val_samples", "nemo_rl:grpo.val_batch_size"),
)  # fmt: skip
"""In the order of their numbers, which are never used again for something else."""


@cache
def by_number() -> dict[int, Hazard]:
    """Every hazard by its number."""
    return {hazard.number: hazard for hazard in HAZARDS}


def named_in(texts: Iterable[str]) -> set[int]:
    """The numbers that texts such as a row's `why` name: `(H28)`."""
    return {int(number) for text in texts for number in _NUMBER.findall(text) if int(number) in by_number()}


def concerning(fields: Iterable[str], natives: Iterable[str] = (), texts: Iterable[str] = ()) -> tuple[Hazard, ...]:
    """The hazards of plan fields (without `stage.`), of native keys (`framework:key`), and those that `texts` name."""
    subjects = (*fields, *natives)
    numbers = named_in(texts)
    return tuple(
        hazard
        for hazard in HAZARDS
        if hazard.number in numbers or any(fits(subject, glob) for subject in subjects for glob in hazard.concerns)
    )
