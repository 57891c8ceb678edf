"""OpenRLHF's table, put together: what the keys of its PPO runs mean, and what it fixes."""

from __future__ import annotations

from rftconf.mappers.context import Context
from rftconf.mappers.openrlhf import folds_algorithm as algorithm
from rftconf.mappers.openrlhf import folds_batch as batch
from rftconf.mappers.openrlhf import folds_data as data
from rftconf.mappers.openrlhf import folds_loss as loss
from rftconf.mappers.openrlhf import folds_places as places
from rftconf.mappers.openrlhf import folds_roles as roles
from rftconf.mappers.openrlhf import folds_run as run
from rftconf.mappers.openrlhf import folds_sync as sync
from rftconf.mappers.openrlhf import questions
from rftconf.mappers.openrlhf.conditions import CRITIC, ESTIMATOR, KL, penalised, worth
from rftconf.mappers.openrlhf.folds_rollout import PROMPTS
from rftconf.mappers.openrlhf.reasons import REASONS
from rftconf.mappers.openrlhf.rows_run import ROWS
from rftconf.mappers.rates import critics_updates_per_tick, tail, updates_per_tick
from rftconf.mappers.rows import Fold, Table, cannot, fixed
from rftconf.mappers.shapes import Pair, together
from rftconf.plan.chat_templates import UNTOLD

A, B, D, P = "stage.algorithm.", "stage.batch.", "stage.data.", "stage.placement."

FOLDS = (
    together(Pair("ckpt.path", "identity.checkpoint_root"), why="ppo_actor: save_checkpoint below ckpt.path"),
    Fold((ESTIMATOR, algorithm.UNDIVIDED), (algorithm.ADVANTAGE, algorithm.DEVIATION, algorithm.DDOF, algorithm.GUARD, algorithm.WHITE, algorithm.CRITIC),
         algorithm.read_advantage, algorithm.write_advantage, "experience_maker: compute_advantages_and_returns (H76)"),
    Fold((KL, algorithm.IN_LOSS, algorithm.KIND, algorithm.TARGET, algorithm.HORIZON), (*algorithm.REWARD, *algorithm.LOSS),
         algorithm.read_kl, algorithm.write_kl, "experience_maker: make_experience; ppo_actor: training_step (H74, H75)"),
    Fold((algorithm.FILTERS, algorithm.RANGE), algorithm.FILTER, algorithm.read_filter, algorithm.write_filter, "samples_generator: _generate_vllm (H86)"),
    Fold((loss.KIND, loss.MODE), (loss.FAMILY, loss.AGG, loss.TOKENS, loss.SCOPE), loss.read_loss, loss.write_loss, "openrlhf/models/loss.py: PolicyLoss (H85)"),
    Fold((loss.CLIP, loss.PAIR), (loss.LOW, loss.HIGH), loss.read_clip, loss.write_clip, "train_ppo_ray: eps_clip_low_high"),
    Fold(loss.CORRECTION, (loss.WEIGHTS, loss.OLD), loss.read_correction, loss.write_correction, "openrlhf/models/loss.py: PolicyLoss.forward (H84)"),
    Fold((places.URL, places.AGENT, places.MODEL), (*roles.SCORER, roles.CODE, roles.LOOP), roles.read_rewards, roles.write_rewards,
         "train_ppo_ray: train; utils/agent.py"),
    Fold((places.ASYNC, sync.QUEUE, sync.PARTIAL), sync.SYNC, sync.read_sync, sync.write_sync, "ppo_trainer_async.py"),
    Fold(places.PLACES, places.PLANS, places.read_places, places.write_places, "train_ppo_ray: train, placement groups"),
    Fold((roles.SLEEP, roles.HOST), (roles.PARAM, roles.OPTIMIZER), roles.read_offload, roles.write_offload,
         "ppo_actor: offload_states; deepspeed_utils.py: offload_optimizer"),
    roles.STAGES,
    roles.PACKING,
    Fold((batch.TRAINED, batch.SCORED, batch.DYNAMIC, batch.TRAINED_TOKENS, batch.SCORED_TOKENS), batch.MICROS, batch.read_micros, batch.write_micros,
         "replay_buffer: setup_dynamic_batch; experience_maker: split_rollout_samples"),
    PROMPTS,
    Fold((batch.WHOLE, batch.LONGEST), batch.LENGTHS, batch.read_lengths, batch.write_lengths, "utils/agent.py: max_length (H83)"),
    Fold((batch.EPISODES, batch.ROWS), (batch.EPOCHS, batch.PERIODS, batch.LAST, batch.MOST), batch.read_length, batch.write_length,
         "ppo_trainer: fit, prepare_datasets"),
    run.schedule_fold("actor"),
    run.schedule_fold("critic"),
    together(run.LOGGERS, why="ppo_trainer: WandbLogger, TensorboardLogger"),
    Fold((run.DTYPE,), run.COMPUTED, run.read_dtypes, run.write_dtypes, "openrlhf/models/actor.py: torch_dtype; deepspeed_utils.py: bf16, fp16"),
    together(run.ADAPTERS, why="openrlhf/models/actor.py: LoraConfig"),
    data.TEMPLATES,
    Fold((*data.SETS, data.EVALUATED, data.EVAL_SPLIT), (*(f"{D}{group}[].{name}" for group in ("train", "eval") for name in data.ITEM), D + "mixing"),
         data.read_data, data.write_data, "openrlhf/datasets/utils.py: blending_datasets"),
)  # fmt: skip


def _shuffles(c: Context) -> bool:
    """A ring, tensor parallelism and batches by tokens keep the order (ppo_actor: should_shuffle)."""
    alone = all((c.plan(f"{P}actor.{size}") or 1) == 1 for size in ("sp", "mesh.tp"))
    return alone and c.effective(batch.DYNAMIC) is not True


FIXED = (
    fixed(lambda p: p.stage.kind, "rl", why="train_ppo_ray learns from rewards"),
    fixed(lambda p: p.stage.batch.pass_order, "sweep", why="ppo_actor: ppo_train goes over the whole buffer, then over it again"),
    fixed(lambda p: p.stage.batch.shuffle_sequences, _shuffles,
          why="ppo_actor: should_shuffle"),
    fixed(lambda p: p.stage.batch.critic_shuffle_sequences, lambda c: _shuffles(c) if CRITIC.test(c) else None, why="ppo_critic: should_shuffle"),
    fixed(lambda p: p.stage.batch.balance_ranks, lambda c: c.plan(B + "micro.dynamic") is True, why="ppo_trainer: balance_experiences"),
    fixed(lambda p: p.stage.batch.critic_sequences_per_update, lambda c: c.plan(B + "sequences_per_update") if CRITIC.test(c) else None, why="ppo_critic: train.batch_size"),
    fixed(lambda p: p.stage.batch.critic_passes, lambda c: c.plan(B + "passes") if CRITIC.test(c) else None, why="ppo_critic: train.max_epochs"),
    fixed(lambda p: p.stage.batch.uneven_tail, lambda c: tail(c, "drop"), why="ppo_actor: DataLoader(drop_last=True), whole windows of accumulation"),
    fixed(lambda p: p.stage.length.overlong_prompt, "keep", why="utils/agent.py cuts a long prompt and keeps its row"),
    fixed(lambda p: p.stage.sync.every_rollouts, 1, why="ppo_trainer: broadcast_to_vllm after each rollout's training"),
    fixed(lambda p: p.stage.algorithm.advantage_scope, "rollout", why="experience_maker: advantages of a whole rollout"),
    fixed(lambda p: p.stage.algorithm.divide_logits_by_temperature, True, why="openrlhf/models/actor.py: logits / temperature"),
    fixed(lambda p: p.stage.algorithm.critic.loss_agg, lambda c: "token-mean" if CRITIC.test(c) else None, why="openrlhf/models/loss.py: ValueLoss"),
    fixed(lambda p: p.stage.optim.actor.updates_per_tick, updates_per_tick, why="the scheduler ticks with every update of DeepSpeed"),
    fixed(lambda p: p.stage.optim.critic.updates_per_tick, critics_updates_per_tick, why="the scheduler ticks with every update of DeepSpeed"),
    fixed(lambda p: p.stage.placement.actor.backend, "deepspeed", why="openrlhf/utils/deepspeed: DeepspeedStrategy"),
    fixed(lambda p: p.stage.placement.reference.backend, lambda c: "deepspeed" if penalised(c) else None, why="launcher: ReferenceModelActor"),
    fixed(lambda p: p.stage.placement.critic.backend, lambda c: "deepspeed" if CRITIC.test(c) else None, why="ppo_critic: CriticModelActor"),
    fixed(lambda p: p.stage.placement.reference.sp, lambda c: c.plan(P + "actor.sp") if penalised(c) else None, why="one ring for every role"),
    fixed(lambda p: p.stage.placement.critic.sp, lambda c: c.plan(P + "actor.sp") if CRITIC.test(c) else None, why="one ring for every role"),
    fixed(lambda p: p.stage.placement.rollout.engine, "vllm", why="create_vllm_engines"),
    fixed(lambda p: p.stage.placement.rollout.dp, 1, why="more engines are more actors of Ray"),
    fixed(lambda p: p.stage.placement.rollout.pp, 1, why="an engine is tensor-parallel only"),
    fixed(lambda p: p.stage.placement.rollout.dtype, "bfloat16", why="vllm_engine.py: dtype=bfloat16"),
    fixed(lambda p: p.stage.sampling.train.top_k, -1, why="samples_generator: top_k=-1"),
    fixed(lambda p: p.stage.sampling.train.ignore_eos, False, why="answers end at the end token"),
    fixed(lambda p: p.stage.sampling.eval.top_p, lambda c: c.plan("stage.sampling.train.top_p"), why="ppo_trainer: evaluate draws with training's top_p"),
    fixed(lambda p: p.stage.sampling.eval.top_k, -1, why="samples_generator: top_k=-1"),
    fixed(lambda p: p.stage.model.thinking, lambda c: UNTOLD if c.effective(data.TEMPLATE) is True else None,
          why="prompts_dataset.py: apply_chat_template(tokenize=False, add_generation_prompt=True), which is told nothing more"),
    fixed(lambda p: p.stage.model.trust_remote_code, True, why="openrlhf/models/actor.py: trust_remote_code=True"),
    fixed(lambda p: p.stage.model_options.critic_gradient_checkpointing, lambda c: c.plan("stage.model_options.gradient_checkpointing") if CRITIC.test(c) else None,
          why="ppo_critic: actor.gradient_checkpointing_enable"),
    fixed(lambda p: p.stage.model_options.critic_remove_padding, lambda c: c.plan("stage.model_options.remove_padding") if CRITIC.test(c) else None,
          why="ppo_critic: ds.packing_samples"),
    fixed(lambda p: p.stage.data.shuffle, True, why="ppo_trainer: setup_dataloader(shuffle=True)"),
    fixed(lambda p: p.stage.data.seed, lambda c: c.plan("stage.seeds.global_seed"), why="deepspeed.py: DistributedSampler(seed=self.seed)"),
    fixed(lambda p: p.stage.cadence.eval_at_start, False, why="ppo_trainer: evaluates after steps that eval.steps divides"),
)  # fmt: skip

CANNOT = (
    cannot("identity.*", why="no flag says it"),
    cannot("stage.model.*", why="models load as their files say"),
    cannot("stage.length.*", why="an answer has no shortest length"),
    cannot("stage.batch.*", why="no such option of its batches"),
    cannot("stage.sync.*", why="weights go to the engines parameter by parameter"),
    cannot("stage.placement.auxiliary[].*", why="OpenRLHF loads one model that scores, or asks one service"),
    cannot("stage.placement.*", why="no such option of DeepSpeed's trainer or of its engines"),
    cannot("stage.algorithm.*", why="its loss has no such term"),
    cannot("stage.optim.*", why="one optimizer of DeepSpeed a model, over the updates of the run"),
    cannot("stage.sampling.train.repetition_penalty", why="no such option of generation", behaves=1.0),
    cannot("stage.sampling.*", why="no such option of generation"),
    cannot("stage.model_options.*", why="no such option of the trainer"),
    cannot("stage.data.*", why="rows come as the data set has them"),
    cannot("stage.reward.*", why="rewards are Python code, a service or a model"),
    cannot("stage.checkpoint.*", why="weights, optimizer and states are saved together"),
    cannot("stage.turns.*", why="turns are the agent's own code"),
    cannot("stage.seeds.*", why="one seed for all"),
    cannot("stage.name", why="a run of OpenRLHF has one stage"),
    cannot("stage.init_from", why="a run of OpenRLHF starts from actor.model_name_or_path"),
)  # fmt: skip

OPENRLHF = Table(
    framework="openrlhf",
    rows=(*FOLDS, *ROWS, *FIXED),
    cannot=CANNOT,
    reasons=REASONS,
    worth=worth,
    target=questions.TARGET,
    questions=questions.questions,
    completes=questions.complete,
    decides={
        "train.colocate_all": "whether engines and trainer share GPUs",
        "train.async_enable": "whether engines run ahead",
        "algo.advantage.estimator": "how advantages are made, and whether there is a critic",
        "algo.kl.init_coef": "whether there is a reference",
    },
)
