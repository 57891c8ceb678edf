"""NeMo-RL's table, put together: what the keys of its GRPO runs mean, and what it fixes."""

from __future__ import annotations

from typing import Any

from rftconf.mappers.context import Context
from rftconf.mappers.nemo_rl import folds_algorithm as algorithm
from rftconf.mappers.nemo_rl import folds_places as places
from rftconf.mappers.nemo_rl import folds_run as run
from rftconf.mappers.nemo_rl import questions
from rftconf.mappers.nemo_rl.conditions import worth
from rftconf.mappers.nemo_rl.reasons import REASONS
from rftconf.mappers.nemo_rl.rows_run import ROWS
from rftconf.mappers.rates import tail, updates_per_tick, where_divided
from rftconf.mappers.rows import Table, cannot, fixed

P = "stage.placement."
FOLDS = (*algorithm.FOLDS, *places.FOLDS, *run.FOLDS)


def _as_trained(name: str) -> Any:
    """Validation draws as training does (grpo.py: validate)."""
    return lambda c: c.plan(f"stage.sampling.train.{name}")


def _master(c: Context) -> str:
    """Return the type of the weights that are updated; either trainer keeps them in single precision."""
    del c
    return "fp32"


FIXED = (
    fixed(lambda p: p.stage.algorithm.std_guard, lambda c: where_divided(c, 1e-6 if c.since("0.4.0") else 0.0),
          why="the advantage estimator adds it to the deviation since 0.4, so that nothing is divided by zero"),
    fixed(lambda p: p.stage.kind, "rl", why="run_grpo.py learns from rewards"),
    fixed(lambda p: p.identity.resume, "auto", why="grpo.py: setup, get_latest_checkpoint_path below checkpoint_dir"),
    fixed(lambda p: p.stage.batch.passes, 1, why="grpo_train trains once on each step's batch"),
    fixed(lambda p: p.stage.batch.pass_order, "sweep", why="policy_worker: train goes over the batch once"),
    fixed(lambda p: p.stage.batch.shuffle_sequences, False, why="policy_worker: batches are cut in the order of prompts"),
    fixed(lambda p: p.stage.batch.balance_ranks, lambda c: c.plan("stage.batch.micro.dynamic") is True, why="batched_data_dict.py: shard_by_batch_size"),
    fixed(lambda p: p.stage.batch.uneven_tail, lambda c: tail(c, "forbid"), why="shard_by_batch_size asserts a whole number of updates"),
    fixed(lambda p: p.stage.run_length.last_partial, "drop", why="grpo.py: setup, StatefulDataLoader(drop_last=True)"),
    fixed(lambda p: p.stage.length.overlong_prompt, "mask_dummy", why="data/processors.py: a long prompt is cut to a few tokens and masked (H90)"),
    fixed(lambda p: p.stage.sync.every_rollouts, 1, why="grpo_train: refit_policy_generation before each generation"),
    fixed(lambda p: p.stage.algorithm.advantage_scope, "rollout", why="grpo_train: advantages of a whole step"),
    fixed(lambda p: p.stage.algorithm.entropy_coef, 0.0, why="ClippedPGLossFn has no entropy term"),
    fixed(lambda p: p.stage.algorithm.divide_logits_by_temperature, True, why="policy_worker: apply_temperature_scaling"),
    fixed(lambda p: p.stage.algorithm.critic.enabled, False, why="run_grpo.py has no value model"),
    fixed(lambda p: p.stage.optim.actor.updates_per_tick, updates_per_tick, why="policy_worker: scheduler.step() once a train call (H89)"),
    fixed(lambda p: p.stage.placement.actor.sp, 1, why="sequences are spread by context parallelism"),
    fixed(lambda p: p.stage.placement.actor.model_dtype, _master, why="policy_worker: master weights in single precision"),
    fixed(lambda p: p.stage.placement.rollout.dp, 1, why="more engines are more workers"),
    fixed(lambda p: p.stage.placement.rollout.load_format, "dummy", why="generation/__init__.py: configure_generation_config"),
    fixed(lambda p: p.stage.sampling.train.ignore_eos, False, why="answers end at the end token"),
    fixed(lambda p: p.stage.sampling.eval.temperature, _as_trained("temperature"), why="grpo.py: validate draws as training does"),
    fixed(lambda p: p.stage.sampling.eval.top_p, _as_trained("top_p"), why="grpo.py: validate draws as training does"),
    fixed(lambda p: p.stage.sampling.eval.top_k, _as_trained("top_k"), why="grpo.py: validate draws as training does"),
    fixed(lambda p: p.stage.sampling.eval.responses, 1, why="grpo.py: validate draws one answer a prompt"),
    fixed(lambda p: p.stage.model.trust_remote_code, True, why="from_pretrained(trust_remote_code=True)"),
    fixed(lambda p: p.stage.data.seed, lambda c: c.plan("stage.seeds.global_seed"), why="grpo.py: set_seed before the data loader"),
)  # fmt: skip

CANNOT = (
    cannot("identity.*", why="no key says it"),
    cannot("stage.model.*", why="models load as their files say"),
    cannot("stage.length.*", why="an answer has no shortest length"),
    cannot("stage.batch.*", why="no such option of its batches, and there is no critic"),
    cannot("stage.sync.*", why="weights go to the engines as NeMo-RL sends them"),
    cannot("stage.placement.auxiliary[].*", why="models that score are environments, which are code"),
    cannot("stage.placement.critic.*", why="run_grpo.py has no value model"),
    cannot("stage.placement.*", why="no such option of the trainer or of its engines"),
    cannot("stage.algorithm.loss_agg_tokens", why="a loss is divided by the tokens there are"),
    cannot("stage.algorithm.*", why="its loss has no such term"),
    cannot("stage.optim.*", why="one optimizer, over the ticks of the run"),
    cannot("stage.sampling.train.repetition_penalty", why="no such option of generation", behaves=1.0),
    cannot("stage.sampling.*", why="no such option of generation"),
    cannot("stage.model_options.*", why="no such option of the trainer"),
    cannot("stage.data.*", why="rows come as the data set has them"),
    cannot("stage.reward.*", why="rewards are environments: data.default.env_name names one"),
    cannot("stage.checkpoint.*", why="weights, optimizer and states are saved together"),
    cannot("stage.turns.*", why="turns are the environment's own code"),
    cannot("stage.seeds.*", why="one seed for all"),
    cannot("stage.name", why="a run of NeMo-RL has one stage"),
    cannot("stage.init_from", why="a run of NeMo-RL starts from policy.model_name"),
)  # fmt: skip

NEMO_RL = Table(
    framework="nemo_rl",
    rows=(*FOLDS, *ROWS, *FIXED),
    cannot=CANNOT,
    reasons=REASONS,
    worth=worth,
    target=questions.TARGET,
    questions=questions.questions,
    completes=questions.complete,
    exported="policy/weights",
    decides={
        "policy.megatron_cfg.enabled": "which trainer trains",
        "policy.generation.colocated.enabled": "whether engines and trainer share GPUs",
        "grpo.async_grpo.enabled": "whether engines run ahead",
        "grpo.adv_estimator.name": "how advantages are made",
        "loss_fn.reference_policy_kl_penalty": "whether there is a reference",
    },
)
