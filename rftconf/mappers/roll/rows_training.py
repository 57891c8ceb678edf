"""ROLL rows: algorithm and optimizers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rftconf.mappers.codecs import counts, same, words
from rftconf.mappers.roll import conditions as on
from rftconf.mappers.rows import rows_of
from rftconf.plan.units import Unit

if TYPE_CHECKING:
    from rftconf.plan.model import Run
    from rftconf.schemas.roll.model import Roll

row = rows_of["Roll", "Run"]()

KL_ESTIMATORS = words({"kl": "k1", "abs": "abs", "mse": "k2", "full": "full"})

ALGORITHM_ROWS = (
    row(lambda c: c.lambd, lambda p: p.stage.algorithm.lam, same, when=on.GAE, always=True,
        why="functionals: compute_gae_advantage_return, default 0.95"),
    row(lambda c: c.whiten_advantages, lambda p: p.stage.algorithm.whiten_advantage, same, when=on.RL,
        why="functionals: compute_advantage, domain by domain"),
    row(lambda c: c.kl_penalty, lambda p: p.stage.algorithm.kl_reward.estimator, on.NotOfTeacher(KL_ESTIMATORS), when=on.KL_TAKEN,
        why="functionals: compute_approx_kl"),
    row(lambda c: c.kl_horizon, lambda p: p.stage.algorithm.kl_reward.horizon, same, when=on.ADAPTIVE, why="AdaptiveKLController"),
    row(lambda c: c.kl_loss_coef, lambda p: p.stage.algorithm.kl_loss.coef, same, when=on.KL_LOSS, always=True,
        why="actor_worker: loss_func, default 0"),
    row(lambda c: c.entropy_loss_coef, lambda p: p.stage.algorithm.entropy_coef, same, when=on.RL, why="actor_worker: loss_func"),
    row(lambda c: c.critic_warmup, lambda p: p.stage.algorithm.critic.warmup_rollouts, counts(Unit.ROLLOUTS), when=on.RL,
        why="rlvr_pipeline: the actor trains when critic_warmup <= step, counted from 0 (H20)"),
    row(lambda c: c.value_clip, lambda p: p.stage.algorithm.critic.value_clip, same, when=on.CRITIC, always=True,
        why="base_worker: CriticWorker.loss_func, default none"),
)  # fmt: skip

OPTIMIZER_ROWS = (
    row(lambda c: c.actor_train.training_args.learning_rate, lambda p: p.stage.optim.actor.lr, same, when=on.ACTOR, always=True,
        why="strategies: AdamW, default 5e-5"),
    row(lambda c: c.actor_train.training_args.weight_decay, lambda p: p.stage.optim.actor.weight_decay, same, when=on.ACTOR,
        why="strategies: AdamW, default 0"),
    row(lambda c: c.sft_train.training_args.learning_rate, lambda p: p.stage.optim.actor.lr, same, when=on.SFT, always=True, alias=True,
        why="strategies: AdamW, default 5e-5"),
    row(lambda c: c.sft_train.training_args.weight_decay, lambda p: p.stage.optim.actor.weight_decay, same, when=on.SFT, alias=True,
        why="strategies: AdamW, default 0"),
    row(lambda c: c.student.training_args.learning_rate, lambda p: p.stage.optim.actor.lr, same, when=on.STUDENT, always=True, alias=True,
        why="strategies: AdamW, default 5e-5"),
    row(lambda c: c.student.training_args.weight_decay, lambda p: p.stage.optim.actor.weight_decay, same, when=on.STUDENT, alias=True,
        why="strategies: AdamW, default 0"),
    row(lambda c: c.critic.training_args.learning_rate, lambda p: p.stage.optim.critic.lr, same, when=on.CRITIC, always=True,
        why="strategies: AdamW, default 5e-5"),
    row(lambda c: c.critic.training_args.weight_decay, lambda p: p.stage.optim.critic.weight_decay, same, when=on.CRITIC,
        why="strategies: AdamW, default 0"),
)  # fmt: skip

DISTILLATION_ROWS = (
    row(lambda c: c.kd_objective, lambda p: p.stage.algorithm.distillation.objective, same, when=on.STUDENT, alias=True, why="various_divergence"),
    row(lambda c: c.distill_loss_weight, lambda p: p.stage.algorithm.distillation.loss_weight, same, when=on.STUDENT,
        why="distill_worker: the likelihood of the answer has the rest"),
    row(lambda c: c.kd_temperature, lambda p: p.stage.algorithm.distillation.student_temperature, same, when=on.STUDENT, why="various_divergence"),
    row(lambda c: c.teacher_temperature, lambda p: p.stage.algorithm.distillation.teacher_temperature, same, when=on.STUDENT, why="various_divergence"),
    row(lambda c: c.logits_topk, lambda p: p.stage.algorithm.distillation.teacher_top_k, same, when=on.STUDENT, why="distill_worker: TeacherWorker"),
    row(lambda c: c.distill_on_prompt, lambda p: p.stage.algorithm.distillation.on_prompt, same, when=on.STUDENT, why="distill_pipeline: labels"),
    row(lambda c: c.adaptive_kl_alpha, lambda p: p.stage.algorithm.distillation.adaptive_alpha, same, when=on.STUDENT, why="various_divergence"),
    row(lambda c: c.skew_lambda, lambda p: p.stage.algorithm.distillation.skew_lambda, same, when=on.STUDENT, why="various_divergence"),
)  # fmt: skip
