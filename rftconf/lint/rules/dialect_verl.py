"""Rules for what only veRL has: the trainers of 0.9 and their modes, Hydra's ways, pools."""

from __future__ import annotations

from rftconf.base.symbols import is_symbolic
from rftconf.lint.measures import PROMPTS, UPDATE
from rftconf.lint.rule import ERROR, INFO, WARNING, Drop, Family, Findings, Put, finding, verl
from rftconf.lint.subject import Subject
from rftconf.mappers.verl.folds_pools import MODES
from rftconf.schemas.verl.prefill import PIECES

FAMILY = Family("DIA", ("verl",))
rule = FAMILY.rule
ACTOR, ROLLOUT, V1 = "actor_rollout_ref.actor.", "actor_rollout_ref.rollout.", "trainer.v1."
SEPARATE = (f"{V1}trainer_mode=separate_async", f"{ROLLOUT}nnodes=1", f"{ROLLOUT}checkpoint_engine.backend=nccl")


def mode(s: Subject) -> str:
    """The trainer mode that runs; empty with the older trainer."""
    return str(s.native.value(f"{V1}trainer_mode") or "sync") if s.native.value("trainer.use_v1") is not False else ""


@rule(
    1, ERROR, "a mode that does not exist",
    bad=verl(f"{V1}trainer_mode=async"), good=verl(f"{V1}trainer_mode=colocate_async"),
    advice=", ".join(MODES), source="veRL 0.9 main_ppo.py 97-190", since="0.9.0", fixable=True,
)  # fmt: skip
def _mode(s: Subject) -> Findings:
    """The trainer is looked up by this name when the run starts."""
    key = f"{V1}trainer_mode"
    if s.written(key) and not is_symbolic(s.native.value(key)) and s.native.value(key) not in (None, *MODES):
        yield finding(f"{s.says(key)}: there is no such trainer", key, fix=Put(key, "sync"))


@rule(
    2, ERROR, "local updates that do not make up the batch",
    bad=verl(*SEPARATE, f"{V1}separate_async.parameter_sync_step=3"), good=verl(*SEPARATE, f"{V1}separate_async.parameter_sync_step=4"),
    advice="train_batch_size must be parameter_sync_step times ppo_mini_batch_size", source="veRL 0.9 trainer_separate_async.py 56-63",
    since="0.9.0", fixable=True,
)  # fmt: skip
def _local_updates(s: Subject) -> Findings:
    """separate_async trains one mini-batch per local update and passes weights on after parameter_sync_step of them; the
    trainer asserts that this is exactly one batch."""
    key, prompts = f"{V1}separate_async.parameter_sync_step", s.count(PROMPTS)
    steps, mini = s.count(key), s.count(f"{ACTOR}ppo_mini_batch_size")
    if mode(s) == "separate_async" and prompts and steps and mini and prompts != steps * mini:
        change = (Put(key, prompts // mini),) if prompts % mini == 0 else ()
        yield finding(f"{s.says(PROMPTS)} is not {key}={steps} times {s.says(f'{ACTOR}ppo_mini_batch_size')}", key, PROMPTS, UPDATE,
                    fix=change, safe=True)  # fmt: skip


@rule(
    3, WARNING, "local updates in a mode that recomputes",
    bad=verl(f"+{V1}sync.parameter_sync_step=4"), good=verl(),
    advice="leave it at 1, or use separate_async", source="veRL 0.9 trainer_base.py 131, 533-560", since="0.9.0", fixable=True,
)  # fmt: skip
def _sync_steps(s: Subject) -> Findings:
    """The modes sync and colocate_async recompute old log-probabilities with the weights of the moment, so the ratio is
    1 at each first visit and clipping never acts.
    """
    key = f"{V1}{mode(s)}.parameter_sync_step"
    got = s.native.value(key)
    if mode(s) in ("sync", "colocate_async") and isinstance(got, int) and got > 1:
        yield finding(f"{s.says(key)}: the ratio is 1 at every first visit", key, fix=Drop(key))


@rule(
    4, WARNING, "options of a trainer that does not run",
    bad=verl("trainer.use_v1=False", f"{V1}trainer_mode=colocate_async"), good=verl("trainer.use_v1=True", f"{V1}trainer_mode=colocate_async"),
    advice="set trainer.use_v1 to true", source="veRL 0.9 main_ppo.py", since="0.9.0", fixable=True,
)  # fmt: skip
def _unused_v1(s: Subject) -> Findings:
    """The older trainer runs with use_v1=false, and reads none of trainer.v1."""
    if s.native.value("trainer.use_v1") is False:
        for key, leaf in s.written_keys():
            if key.startswith(V1) and leaf.value is not None:
                yield finding(f"{leaf.key} has no effect with trainer.use_v1=False", key, "trainer.use_v1",
                            fix=Put("trainer.use_v1", value=True))  # fmt: skip


@rule(
    5, INFO, "a limit of staleness in a run that has none",
    bad=verl(f"{V1}sampler.max_off_policy_threshold=2"), good=verl(*SEPARATE, f"{V1}separate_async.parameter_sync_step=4",
                                                                   f"{V1}sampler.max_off_policy_threshold=2"),
    advice="leave it out", source="H69; veRL 0.9 replay_buffer.py 520-560", since="0.9.0", fixable=True,
)  # fmt: skip
def _staleness(s: Subject) -> Findings:
    """Every answer comes from the newest weights in sync mode, and the sampler does not look at its age."""
    for name in ("max_off_policy_threshold", "max_off_policy_strategy"):
        key = f"{V1}sampler.{name}"
        if mode(s) == "sync" and s.written(key):
            yield finding(f"{s.says(key)} has no effect in sync mode", key, fix=Drop(key), safe=True)


@rule(
    6, ERROR, "a way to deal with stale answers that does not exist",
    bad=verl(f"{V1}trainer_mode=colocate_async", f"{V1}sampler.max_off_policy_strategy=skip"),
    good=verl(f"{V1}trainer_mode=colocate_async", f"{V1}sampler.max_off_policy_strategy=wait"),
    advice="drop or wait", source="veRL utils/config.py validate_config", since="0.9.0", fixable=True,
)  # fmt: skip
def _strategy(s: Subject) -> Findings:
    """The trainer knows two: drop replaces groups that are too old, wait stops sampling."""
    key = f"{V1}sampler.max_off_policy_strategy"
    got = s.native.value(key)
    if s.written(key) and isinstance(got, str) and got not in ("drop", "wait"):
        yield finding(f"{s.says(key)}", key, fix=Put(key, "drop"), safe=True)


@rule(
    7, WARNING, "balancing that cannot be switched off",
    bad=verl("trainer.balance_batch=False"), good=verl("trainer.balance_batch=True"),
    advice="leave it out", source="H64; veRL 0.9 trainer_base.py 582, 1608-1632", since="0.9.0", fixable=True,
)  # fmt: skip
def _balance(s: Subject) -> Findings:
    """The trainer of 0.9 always balances ranks; switching it off for reproducible batches does nothing."""
    if s.native.value("trainer.balance_batch") is False and s.native.value("trainer.use_v1") is not False:
        yield finding(f"{s.says('trainer.balance_batch')} has no effect in {s.title}", "trainer.balance_batch",
                    fix=Drop("trainer.balance_batch"), safe=True)  # fmt: skip


@rule(
    8, ERROR, "several turns without tools",
    bad=verl(f"{ROLLOUT}multi_turn.enable=True", release="0.4.1"),
    good=verl(f"{ROLLOUT}multi_turn.enable=True", f"{ROLLOUT}multi_turn.tool_config_path=/code/tools.yaml", release="0.4.1"),
    advice="give tool_config_path or interaction_config_path", source="veRL utils/config.py validate_config", until="0.4.1",
)  # fmt: skip
def _no_tools(s: Subject) -> Findings:
    """0.4 asserts that a run of several turns has tools or interactions."""
    path = f"{ROLLOUT}multi_turn."
    paths = [s.native.value(path + n) for n in ("tool_config_path", "interaction_config_path")]
    if s.native.value(f"{path}enable") is True and not any(paths):
        yield finding("multi_turn.enable without tools or interactions", f"{path}enable")


@rule(
    9, ERROR, "a reward model without a pool of its own",
    bad=verl(*SEPARATE, f"{V1}separate_async.parameter_sync_step=4", "reward.reward_model.enable=True", "reward.reward_model.model_path=org/rm"),
    good=verl(*SEPARATE, f"{V1}separate_async.parameter_sync_step=4", "reward.reward_model.enable=True", "reward.reward_model.model_path=org/rm",
              "reward.reward_model.enable_resource_pool=True", "reward.reward_model.n_gpus_per_node=2", "reward.reward_model.nnodes=1"),
    advice="set reward.reward_model.enable_resource_pool", source="veRL utils/config.py validate_config", since="0.9.0", fixable=True,
)  # fmt: skip
def _shared_reward(s: Subject) -> Findings:
    """separate_async and the group filter score while others work, so a reward model on shared GPUs would have to wait; the
    trainer asserts a pool."""
    path = "reward.reward_model."
    wants = mode(s) == "separate_async" or s.native.value("algorithm.filter_groups.enable") is True
    if wants and s.native.value(f"{path}enable") is True and s.native.value(f"{path}enable_resource_pool") is False:
        key = f"{path}enable_resource_pool"
        yield finding(
            "the reward model needs a pool of its own here",
            key,
            f"{path}enable",
            f"{V1}trainer_mode",
            fix=Put(key, value=True),
        )


@rule(
    10, ERROR, "a teacher without GPUs",
    bad=verl("distillation.enabled=True", "distillation.n_gpus_per_node=0"), good=verl("distillation.enabled=True", "distillation.n_gpus_per_node=8",
                                                                                     "distillation.nnodes=1"),
    advice="give distillation.n_gpus_per_node and nnodes", source="veRL utils/config.py validate_config", since="0.8.0",
)  # fmt: skip
def _teacher(s: Subject) -> Findings:
    """Teachers are served from a pool of their own."""
    if s.native.value("distillation.enabled") is not True:
        return
    for name in ("n_gpus_per_node", "nnodes"):
        key = f"distillation.{name}"
        got = s.native.value(key)
        if isinstance(got, int) and got <= 0:
            yield finding(f"{s.says(key)} leaves the teacher without GPUs", key, "distillation.enabled")


@rule(
    11, INFO, "warm-up counted in local updates",
    bad=verl(*SEPARATE, f"{V1}separate_async.parameter_sync_step=4", f"{ACTOR}optim.lr_warmup_steps=10"),
    good=verl(*SEPARATE, f"{V1}separate_async.parameter_sync_step=4", f"{ACTOR}optim.lr_warmup_steps_ratio=0.1"),
    advice="give a ratio: it is safe in every mode", source="H62; veRL 0.9 engine_workers.py 287-308", since="0.9.0",
)  # fmt: skip
def _local_warmup(s: Subject) -> Findings:
    """The schedule moves once per local update here, and once per period in the other modes. Changing the mode alone makes
    the warm-up parameter_sync_step times shorter."""
    key = f"{ACTOR}optim.lr_warmup_steps"
    if mode(s) == "separate_async" and (s.number(key) or 0) > 0 and s.written(key):
        yield finding(f"{s.says(key)} counts local updates in separate_async", key, f"{V1}trainer_mode")


@rule(
    12, INFO, "the deprecated trainer",
    bad=verl("trainer.use_v1=False"), good=verl("trainer.use_v1=True"),
    advice="use the trainer of 0.9", source="veRL 0.9 main_ppo.py 97-190", since="0.9.0", fixable=True,
)  # fmt: skip
def _old_trainer(s: Subject) -> Findings:
    """use_v1=false starts the trainer of 0.8, which is deprecated and knows none of the new modes and filters."""
    if s.native.value("trainer.use_v1") is False:
        yield finding(
            f"{s.says('trainer.use_v1')} starts the deprecated trainer",
            "trainer.use_v1",
            fix=Put("trainer.use_v1", value=True),
        )


@rule(
    13, ERROR, "lending GPUs in a run without hybrid engines",
    bad=verl(*SEPARATE, f"{V1}separate_async.parameter_sync_step=4", "actor_rollout_ref.hybrid_engine=False",
             f"{V1}separate_async.hybrid_rollout.enable_switch=True"),
    good=verl(*SEPARATE, f"{V1}separate_async.parameter_sync_step=4", f"{V1}separate_async.hybrid_rollout.enable_switch=True"),
    advice="leave hybrid_engine true", source="veRL 0.9 trainer_separate_async.py 156-185", since="0.9.1", fixable=True,
)  # fmt: skip
def _lending(s: Subject) -> Findings:
    """Idle trainer GPUs can only generate when they hold engines, which hybrid_engine=false rules out."""
    key = f"{V1}separate_async.hybrid_rollout.enable_switch"
    if (
        mode(s) == "separate_async"
        and s.native.value(key) is True
        and s.native.value("actor_rollout_ref.hybrid_engine") is False
    ):
        yield finding(f"{s.says(key)} with actor_rollout_ref.hybrid_engine=False", key, "actor_rollout_ref.hybrid_engine",
                    fix=Put("actor_rollout_ref.hybrid_engine", value=True))  # fmt: skip


@rule(
    14, ERROR, "chunked prefill with steps shorter than a sequence",
    bad=verl(f"{ROLLOUT}enable_chunked_prefill=True", f"{ROLLOUT}max_num_batched_tokens=1024", release="0.6.1"),
    good=verl(f"{ROLLOUT}enable_chunked_prefill=True", f"{ROLLOUT}max_num_batched_tokens=8192", release="0.6.1"),
    advice="raise max_num_batched_tokens", source="veRL vllm_rollout_spmd.py (ValueError)", until="0.6.1", fixable=True,
)  # fmt: skip
def _short_steps(s: Subject) -> Findings:
    """The engine's worker refuses to start where a step takes fewer tokens than prompt and answer may have together."""
    step, keys = (
        s.native.value(f"{ROLLOUT}max_num_batched_tokens"),
        ("data.max_prompt_length", "data.max_response_length"),
    )
    whole = s.native.value(f"{ROLLOUT}max_model_len")
    if not isinstance(whole, int):
        parts = [s.native.value(key) for key in keys]
        whole = sum(n for n in parts if isinstance(n, int)) if all(isinstance(n, int) for n in parts) else None
    chunked = s.native.value(PIECES) is True and s.native.value(f"{ROLLOUT}name") == "vllm"
    # where the file says false the worker hears that
    chunked = chunked and not any(change.key == PIECES for change in s.changes)
    key = f"{ROLLOUT}max_num_batched_tokens"
    # with the default step it is left alone: upstream's own examples do so, some of them with the server that does not ask
    if chunked and s.written(key) and isinstance(step, int) and isinstance(whole, int) and step < whole:
        yield finding(f"{s.says(key)} is less than the {whole} tokens of a sequence", key, *keys, fix=Put(key, whole))


@rule(
    15, ERROR, "an update of the critic larger than the batch",
    bad=verl("algorithm.adv_estimator=gae", "critic.use_dynamic_bsz=False", "critic.ppo_micro_batch_size_per_gpu=4", "critic.ppo_mini_batch_size=512"),
    good=verl("algorithm.adv_estimator=gae", "critic.use_dynamic_bsz=False", "critic.ppo_micro_batch_size_per_gpu=4", "critic.ppo_mini_batch_size=64"),
    advice="at most data.train_batch_size", source="veRL utils/config.py validate_config", fixable=True,
)  # fmt: skip
def _critic_update(s: Subject) -> Findings:
    """The same as for the actor: the check of the run stops it, because the critic would need more prompts than come."""
    mini, batch = s.native.value("critic.ppo_mini_batch_size"), s.native.value("data.train_batch_size")
    fixed = s.native.value("critic.use_dynamic_bsz") is False and s.value("algorithm.critic.enabled") is not False
    if (
        fixed
        and s.written("critic.ppo_mini_batch_size")
        and isinstance(mini, int)
        and isinstance(batch, int)
        and mini > batch
    ):
        keys = ("critic.ppo_mini_batch_size", "data.train_batch_size")
        yield finding(f"{s.says(keys[0])} is more than {s.says(keys[1])}", *keys, fix=Put(keys[0], batch))


@rule(
    16, ERROR, "routes replayed from a pass that is not made",
    bad=verl(f"{ACTOR}megatron.router_replay.mode=R2", "algorithm.rollout_correction.bypass_mode=True"),
    good=verl(f"{ACTOR}megatron.router_replay.mode=R3", "algorithm.rollout_correction.bypass_mode=True"),
    advice="R3 replays the rollout's own routes", source="veRL utils/config.py _validate_router_replay_config",
    since="0.9.1", fixable=True,
)  # fmt: skip
def _replay_of_nothing(s: Subject) -> Findings:
    """R2 replays what the pass for old log-probabilities routed; in bypass mode there is no such pass."""
    bypass = "algorithm.rollout_correction.bypass_mode"
    key = f"{ACTOR}megatron.router_replay.mode"
    if s.native.value(key) == "R2" and s.native.value(bypass) is True:
        yield finding(f"{s.says(key)} with {s.says(bypass)}", key, bypass, fix=Put(key, "R3"))


TEACHERS, USUAL = "distillation.teacher_models.", "teacher_model"
TAUGHT = ("distillation.enabled=True", "distillation.nnodes=1", f"{TEACHERS}{USUAL}.model_path=Qwen/Qwen3-4B")


def named(name: str) -> tuple[str, ...]:
    """A teacher of four GPUs for the rows of its name."""
    teacher = {"key": name, "model_path": "Qwen/Qwen3-4B", "num_replicas": 2, "inference.name": "vllm"}
    return tuple(f"+{TEACHERS}{name}.{key}={value}" for key, value in teacher.items())


SIZES = (("tensor_model_parallel_size", 2), ("data_parallel_size", 1), ("pipeline_model_parallel_size", 1))
"""Of a teacher's replica, and RolloutConfig's own where they are not given."""
LENGTH = 512
"""RolloutConfig's own, of prompt and answer: only the usual teacher is given the run's."""


def teachers(s: Subject) -> list[str]:
    """Names of those that are asked: the usual one only where no other is named. None in a run without a teacher, and in a
    part of a config, whose other parts may say more."""
    if not s.alone or s.native.value("distillation.enabled") is not True:
        return []
    written = {key.removeprefix(TEACHERS).partition(".")[0] for key, _ in s.written_keys() if key.startswith(TEACHERS)}
    return sorted(written - {USUAL}) or [USUAL]


def replica(s: Subject, name: str) -> int | None:
    """GPUs of one replica; None where a size is not known."""
    gpus = 1
    for size, usual in SIZES:
        got = s.native.value(f"{TEACHERS}{name}.inference.{size}")
        got = usual if got is None else got
        if not isinstance(got, int) or got < 1:
            return None
        gpus *= got
    return gpus


@rule(
    17, WARNING, "a teacher that is left out",
    bad=verl(*TAUGHT, "distillation.n_gpus_per_node=4", *named("math")),
    good=verl("distillation.enabled=True", "distillation.nnodes=1", *named("math"), *named("code")),
    advice="give every teacher a name of its own", source="veRL 0.9 workers/config/distillation.py 290-298", since="0.8.0",
)  # fmt: skip
def _left_out(s: Subject) -> Findings:
    """`teacher_model` is taken out, without a word, as soon as another teacher is named: its rows have no teacher then."""
    key, names = f"{TEACHERS}{USUAL}.model_path", teachers(s)
    if names and names != [USUAL] and s.written(key):
        yield finding(f"{s.says(key)} is left out beside {', '.join(names)}", key)


@rule(
    18, ERROR, "teachers that do not fill their GPUs",
    bad=verl(*TAUGHT, f"{TEACHERS}{USUAL}.inference.tensor_model_parallel_size=3"),
    good=verl(*TAUGHT, f"{TEACHERS}{USUAL}.inference.tensor_model_parallel_size=4"),
    advice="let num_replicas times the sizes of a replica add up to nnodes times n_gpus_per_node; a teacher that is alone takes as "
    "many replicas as there is room for", source="veRL 0.9 workers/config/distillation.py 259-289", since="0.8.0",
)  # fmt: skip
def _teachers_gpus(s: Subject) -> Findings:
    """The config refuses a pool of which the teachers would leave a GPU idle, or that they have no room in."""
    names, sizes = teachers(s), [s.native.value(f"distillation.{name}") for name in ("nnodes", "n_gpus_per_node")]
    if not names or not all(isinstance(size, int) and size > 0 for size in sizes):
        return
    pool, each = sizes[0] * sizes[1], [replica(s, name) for name in names]
    if names == [USUAL]:
        key = f"{TEACHERS}{USUAL}.inference.tensor_model_parallel_size"
        if each[0] and pool % each[0]:
            yield finding(f"a replica of {each[0]} GPUs does not divide the teacher's {pool}", key, "distillation.n_gpus_per_node",
                        "distillation.nnodes")  # fmt: skip
        return
    counts = [s.native.value(f"{TEACHERS}{name}.num_replicas") or 0 for name in names]
    if all(isinstance(count, int) for count in counts) and all(each):
        needed = sum(count * (gpus or 0) for count, gpus in zip(counts, each, strict=True))
        if needed != pool:
            yield finding(f"{', '.join(names)}: {needed} GPUs together, and their pool has {pool}",
                        *(f"{TEACHERS}{name}.num_replicas" for name in names), "distillation.n_gpus_per_node")  # fmt: skip


@rule(
    19, ERROR, "a teacher without a model, a key or an engine",
    bad=verl("distillation.enabled=True", "distillation.nnodes=1"), good=verl(*TAUGHT),
    advice="give model_path and, where it has a name of its own, inference.name and the key of the rows that it scores, each once",
    source="veRL 0.9 workers/config/distillation.py 163-170, 300-308", since="0.8.0",
)  # fmt: skip
def _nameless(s: Subject) -> Findings:
    """The config refuses it when the run starts; so it does two teachers for the same rows."""
    keys = dict[str, str]()
    for name in teachers(s):
        for part in ("model_path",) if name == USUAL else ("model_path", "key", "inference.name"):
            key = f"{TEACHERS}{name}.{part}"
            if s.native.value(key) is None:
                yield finding(f"the teacher {name} has no {part}", key, "distillation.enabled")
        rows = s.native.value(f"{TEACHERS}{name}.key")
        if rows is not None and repr(rows) in keys:
            yield finding(f"{keys[repr(rows)]} and {name} are both for the rows of {rows}", f"{TEACHERS}{name}.key")
        keys[repr(rows)] = name


@rule(
    20, ERROR, "a teacher's loss that is refused",
    bad=verl(*TAUGHT, "distillation.distillation_loss.loss_mode=k1", "distillation.distillation_loss.use_policy_gradient=False"),
    good=verl(*TAUGHT, "distillation.distillation_loss.loss_mode=k1", "distillation.distillation_loss.use_policy_gradient=True"),
    advice="use k1 with use_policy_gradient=True, and policy_loss_mode=vanilla", source="veRL 0.9 workers/config/distillation.py 106-123",
    since="0.8.0", fixable=True,
)  # fmt: skip
def _teachers_loss(s: Subject) -> Findings:
    """k1's own gradient does not depend on the teacher at all; and only the vanilla policy loss is written for it."""
    if not teachers(s):
        return
    path = "distillation.distillation_loss."
    mode, policy, gradient = (f"{path}{name}" for name in ("loss_mode", "policy_loss_mode", "use_policy_gradient"))
    if s.native.value(mode) == "k1" and s.native.value(gradient) is False:
        yield finding(
            f"{s.says(mode)} with {s.says(gradient)} teaches nothing", mode, gradient, fix=Put(gradient, value=True)
        )
    if isinstance(s.native.value(policy), str) and s.native.value(policy) != "vanilla":
        yield finding(f"{s.says(policy)}: only vanilla is known here", policy, fix=Put(policy, "vanilla"))


@rule(
    21, ERROR, "a teacher that cannot read the answers",
    bad=verl(*TAUGHT, f"{TEACHERS}{USUAL}.inference.max_model_len=1024"), good=verl(*TAUGHT, f"{TEACHERS}{USUAL}.inference.max_model_len=8192"),
    advice="let max_model_len be at least prompt and answer and one token more", source="veRL 0.9 workers/config/distillation.py 172-183",
    since="0.8.0", fixable=True,
)  # fmt: skip
def _teachers_length(s: Subject) -> Findings:
    """It reads the prompt and the whole answer, and draws one token."""
    for name in teachers(s):
        path = f"{TEACHERS}{name}.inference."
        keys = [
            f"data.max_{part}_length" if name == USUAL else f"{path}{part}_length" for part in ("prompt", "response")
        ]
        lengths = [s.native.value(key) for key in keys]
        if name != USUAL:
            lengths = [LENGTH if length is None else length for length in lengths]
        longest, whole = (
            s.native.value(f"{path}max_model_len"),
            sum(length for length in lengths if isinstance(length, int)),
        )
        if isinstance(longest, int) and all(isinstance(length, int) for length in lengths) and longest <= whole:
            yield finding(f"{s.says(f'{path}max_model_len')}: prompt and answer have {whole} tokens", f"{path}max_model_len", *keys,
                        fix=Put(f"{path}max_model_len", whole + 1))  # fmt: skip


@rule(
    22, ERROR, "a teacher whose engine gives fewer log-probabilities than the loss reads",
    bad=verl(*TAUGHT, "distillation.distillation_loss.loss_mode=forward_kl_topk", "distillation.distillation_loss.topk=64",
             f"+{TEACHERS}{USUAL}.inference.engine_kwargs.vllm.max_logprobs=20"),
    good=verl(*TAUGHT, "distillation.distillation_loss.loss_mode=forward_kl_topk", "distillation.distillation_loss.topk=64"),
    advice="leave max_logprobs out: it is topk then", source="veRL 0.9 workers/config/distillation.py 188-208", since="0.8.0",
    fixable=True,
)  # fmt: skip
def _teachers_top(s: Subject) -> Findings:
    """vLLM gives at most max_logprobs for a token, and the config refuses fewer than topk."""
    top, mode_key = "distillation.distillation_loss.topk", "distillation.distillation_loss.loss_mode"
    for name in teachers(s) if s.native.value(mode_key) == "forward_kl_topk" else ():
        key, needed = f"{TEACHERS}{name}.inference.engine_kwargs.vllm.max_logprobs", s.native.value(top)
        most = s.native.value(key)
        if isinstance(most, int) and isinstance(needed, int) and most < needed:
            yield finding(f"{s.says(key)} is less than {s.says(top)}", key, top, fix=Put(key, needed))
