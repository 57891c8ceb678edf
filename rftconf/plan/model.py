"""The canonical plan: one RL post-training run in the field's own terms. No framework's word is in here.

Every count says in its name and in its `Unit` what it counts. `None` means that the source does not say and that no
default applies. Fields that do not change the mathematics are marked `Perf`, `Book` or `Seen`; `plan.identity` hashes the rest.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from rftconf.plan.data_parts import Data, Reward, Sampling, Turns
from rftconf.plan.field_roles import MEASUREMENT
from rftconf.plan.fields import Book, Bool, Float, Free, Int, Part, Perf, Ratio, Seen, Str, Symbol
from rftconf.plan.provenance import Source, Why
from rftconf.plan.units import Unit


class Identity(Part):
    """Names, output folder, resuming, logging."""

    project: Str | None = Book
    experiment: Str | None = Book
    group: Str | None = Book
    checkpoint_root: Str | None = Book
    resume: Literal["auto", "never", "path"] | Symbol | None = Book
    resume_path: Str | None = Book
    loggers: list[Str] | Str | None = Book
    logger_args: Free | None = Book
    log_level: Str | None = Book


class Cluster(Part):
    """All GPUs of the run, over all pools."""

    nodes: Annotated[Int | None, Unit.NODES] = Perf
    gpus_per_node: Annotated[Int | None, Unit.GPUS] = Perf


class Model(Part):
    """The policy's starting weights and how they are loaded."""

    path: Str | None = None
    tokenizer_path: Str | None = None
    critic_path: Str | None = None
    critic_tokenizer_path: Str | None = None
    trust_remote_code: Bool | None = Book
    chat_template: Str | None = None
    thinking: Literal["template", "on", "off"] | Symbol | None = None
    config_overrides: Free | None = None
    rope_scaling: Free | None = None
    rope_theta: Float | None = None


class Length(Part):
    """Longest prompt, answer and context."""

    prompt_max_tokens: Annotated[Int | None, Unit.TOKENS] = None
    response_max_tokens: Annotated[Int | None, Unit.TOKENS] = None
    response_min_tokens: Annotated[Int | None, Unit.TOKENS] = None
    model_max_tokens: Annotated[Int | None, Unit.TOKENS] = None
    overlong_prompt: Literal["keep", "drop_gt", "drop_ge", "mask_dummy"] | Symbol | None = None


class MicroBatch(Part):
    """The part of a batch in one forward/backward pass: a fixed size, or filled up to a number of tokens."""

    dynamic: Bool | None = Perf
    sequences_per_rank: Annotated[Ratio | None, Unit.SEQUENCES_PER_RANK] = Perf
    tokens_per_rank: Annotated[Ratio | None, Unit.TOKENS_PER_RANK] = Perf


class Batch(Part):
    """The arithmetic of a run. S = B*n sequences a rollout period, U = E*S/G updates.

    Demonstrations of somebody else come on top of G. A run that learns from pairs of answers (`dpo`) counts one pair wherever a field says sequence.
    """

    prompts_per_rollout: Annotated[Int | None, Unit.PROMPTS] = None
    prompts_per_fetch: Annotated[Int | None, Unit.PROMPTS] = Perf
    responses_per_prompt: Int | None = None
    sequences_per_update: Annotated[Int | None, Unit.SEQUENCES] = None
    demonstrations_per_update: Annotated[Int | None, Unit.SEQUENCES] = None
    passes: Int | None = None
    pass_order: Literal["sweep", "per_update"] | Symbol | None = None
    shuffle_sequences: Bool | None = None
    balance_ranks: Bool | None = Perf
    uneven_tail: Literal["forbid", "short", "pad", "copy", "drop"] | Symbol | None = None
    micro: MicroBatch = MicroBatch()
    log_prob: MicroBatch = MicroBatch()
    reference: MicroBatch = MicroBatch()
    critic: MicroBatch = MicroBatch()
    critic_infer: MicroBatch = MicroBatch()
    critic_sequences_per_update: Annotated[Int | None, Unit.SEQUENCES] = None
    critic_passes: Int | None = None
    critic_shuffle_sequences: Bool | None = None


class RunLength(Part):
    """The limits that end the run: whichever comes first."""

    rollouts: Annotated[Int | None, Unit.ROLLOUTS] = None
    epochs: Int | None = None
    last_partial: Literal["drop", "carry", "cycle"] | Symbol | None = None


class Sync(Part):
    """The times when the rollout engines get new weights, and the policy that the ratio is taken against."""

    every_rollouts: Annotated[Int | None, Unit.ROLLOUTS] = None
    run_ahead_rollouts: Annotated[Float | None, Unit.ROLLOUTS] = None
    in_flight: Literal["finish", "interrupt"] | Symbol | None = None
    driver: Literal["lockstep", "trainer", "explorer", "free"] | Symbol | None = None
    old_logprob: Literal["recompute_at_rollout", "recompute_at_update", "rollout_engine", "current"] | Symbol | None = (
        None
    )
    transport: Str | None = Perf
    bucket_megabytes: Int | None = Perf
    timeout_seconds: Int | None = Perf


class Offload(Part):
    """Parts of the training state that wait in host memory."""

    param: Bool | None = Perf
    grad: Bool | None = Perf
    optimizer: Bool | None = Perf


class Megatron(Part):
    """Megatron's parallel sizes and switches."""

    tp: Int | None = Perf
    pp: Int | None = Perf
    vpp: Int | None = Perf
    cp: Int | None = Perf
    ep: Int | None = Perf
    etp: Int | None = Perf
    sequence_parallel: Bool | None = Perf
    distributed_optimizer: Bool | None = Perf
    use_mbridge: Bool | None = Perf
    use_dist_checkpointing: Bool | None = Perf
    dist_checkpointing_path: Str | None = Perf
    transformer_overrides: Free | None = Perf
    ddp_overrides: Free | None = Perf
    model_overrides: Free | None = None
    dtype: Str | None = None
    seed: Int | None = None


class Mesh(Part):
    """Further splits by a trainer that is built on FSDP2, beside data and sequences: over so many GPUs each.

    Experts are split within the data-parallel GPUs, so that they take no GPUs of their own.
    """

    tp: Int | None = Perf
    pp: Int | None = Perf
    cp: Int | None = Perf
    ep: Int | None = Perf


class Worker(Part):
    """A role that holds a trainable or scoring model."""

    gpus: Annotated[Int | None, Unit.GPUS] = Perf
    backend: Str | None = Perf
    sp: Int | None = Perf
    fsdp_shard_gpus: Annotated[Int | None, Unit.GPUS] = Perf
    zero_stage: Int | None = Perf
    """The states that DeepSpeed shards over the GPUs: 1 the optimizer's, 2 gradients too, 3 weights too; 0 none."""
    reshard_after_forward: Bool | None = Perf
    forward_prefetch: Bool | None = Perf
    offload_policy: Bool | None = Perf
    min_wrap_params: Int | None = Perf
    model_dtype: Str | None = None
    compute_dtype: Str | None = None
    use_orig_params: Bool | None = Perf
    torch_compile: Bool | None = Perf
    entropy_chunking: Bool | None = Perf
    entropy_checkpointing: Bool | None = Perf
    seed: Int | None = None
    full_determinism: Bool | None = None
    offload: Offload = Offload()
    mesh: Mesh = Mesh()
    megatron: Megatron = Megatron()


class Rollout(Part):
    """The engines that generate."""

    gpus: Annotated[Int | None, Unit.GPUS] = Perf
    tp: Int | None = Perf
    dp: Int | None = Perf
    pp: Int | None = Perf
    ep: Int | None = Perf
    engine: Str | None = Perf
    gpu_memory_fraction: Float | None = Perf
    max_num_seqs: Int | None = Perf
    max_batched_tokens: Annotated[Int | None, Unit.TOKENS] = Perf
    dtype: Str | None = None
    enforce_eager: Bool | None = Perf
    prefix_cache: Bool | None = Perf
    chunked_prefill: Bool | None = Perf
    load_format: Str | None = Perf
    seed: Int | None = None
    extra: Free | None = Perf
    runners_per_engine: Int | None = Perf
    max_timeout_seconds: Int | None = Perf
    max_retries: Int | None = Perf


class Auxiliary(Part):
    """A further model that answers during rollout: reward model, judge, teacher.

    `domain` is the one whose answers it scores, where it does not score all of them. A model that a service outside the
    run holds has the engine `external` and no GPUs; `path` is then the service's name for it, and `url` its address.
    """

    name: Str | None = None
    role: Literal["reward", "judge", "teacher", "helper"] | Symbol | None = None
    domain: Str | None = None
    path: Str | None = None
    url: Str | None = Book
    prompt: Str | None = None
    """How a judge is asked, by the name that its code gives the text."""
    gpus: Annotated[Int | None, Unit.GPUS] = Perf
    tp: Int | None = Perf
    dp: Int | None = Perf
    pp: Int | None = Perf
    engine: Str | None = Perf
    gpu_memory_fraction: Float | None = Perf
    max_num_seqs: Int | None = Perf
    dtype: Str | None = None
    enforce_eager: Bool | None = Perf
    prompt_max_tokens: Annotated[Int | None, Unit.TOKENS] = None
    response_max_tokens: Annotated[Int | None, Unit.TOKENS] = None
    model_max_tokens: Annotated[Int | None, Unit.TOKENS] = None
    load_format: Str | None = Perf
    sequences_per_pass: Int | None = Perf
    """Answers that one worker scores at a time."""
    sampling: Sampling = Sampling()
    own_pool: Bool | None = Perf
    colocate_with: list[Str] | Str | None = Perf
    """Who else runs on its GPUs: roles of the placement, or names of auxiliary models before it."""


class Placement(Part):
    """The GPUs of every role, and whether the roles share them."""

    layout: Literal["colocated", "disaggregated", "lendable"] | Symbol | None = Perf
    actor: Worker = Worker()
    reference: Worker = Worker()
    critic: Worker = Worker()
    rollout: Rollout = Rollout()
    auxiliary: list[Auxiliary] = Field(default_factory=list)


class KlReward(Part):
    """KL penalty subtracted from the reward."""

    enabled: Bool | None = None
    estimator: Str | None = None
    coef: Float | None = None
    controller: Literal["fixed", "adaptive"] | Symbol | None = None
    target: Float | None = None
    horizon: Int | None = None
    order: Literal["before_norm", "after_norm"] | Symbol | None = None


class KlLoss(Part):
    """KL penalty added to the loss."""

    enabled: Bool | None = None
    estimator: Str | None = None
    coef: Float | None = None


class PolicyLoss(Part):
    """The surrogate objective of the policy: its family, and how ratios are clipped."""

    family: Str | None = None
    clip_low: Float | None = None
    clip_high: Float | None = None
    dual_clip_c: Float | None = None
    value_cap: Float | None = None
    """The largest loss of one token."""
    tau_pos: Float | None = None
    tau_neg: Float | None = None


class Preference(Part):
    """The loss of a run that learns from pairs: a chosen and a rejected answer to one prompt."""

    loss: Literal["sigmoid", "ipo"] | Symbol | None = None
    beta: Float | None = None
    label_smoothing: Float | None = None


class Distillation(Part):
    """The loss of a run that follows a teacher's distribution; the teacher is an auxiliary model.

    On given texts (`offline_distill`) the loss has two shares. On the policy's own answers (`distill`) each token's
    divergence, times `teacher_coef`, is its advantage with the sign turned, or the loss itself.
    """

    objective: Str | None = None
    loss_weight: Float | None = None
    """Its share of the loss; the rest is the likelihood of the given answer."""
    student_temperature: Float | None = None
    teacher_temperature: Float | None = None
    teacher_top_k: Int | None = None
    """So many of the teacher's logits count for a token."""
    on_prompt: Bool | None = None
    adaptive_alpha: Float | None = None
    skew_lambda: Float | None = None
    teacher_coef: Float | None = None
    estimator: Str | None = None
    """How a divergence is estimated from the tokens that were drawn: the names of KL estimators."""
    mixture: Float | None = None
    """The teacher's share of the mixture that a Jensen-Shannon divergence is taken against."""
    as_advantage: Bool | None = None
    """Whether the divergence makes advantages for the policy loss, or is itself the loss."""


class CriticOptions(Part):
    """The value model; `warmup_rollouts` counts the periods in which the actor is not updated."""

    enabled: Bool | None = None
    warmup_rollouts: Annotated[Ratio | None, Unit.ROLLOUTS] = None
    value_clip: Float | None = None
    loss_agg: Str | None = None


class Filter(Part):
    """A rule by which whole groups leave the batch."""

    kind: Str | None = None
    metric: Str | None = None
    action: Literal["drop", "refill", "duplicate"] | Symbol | None = None
    threshold: Float | None = None
    max_in_flight_rollouts: Annotated[Float | None, Unit.ROLLOUTS] = None


class Algorithm(Part):
    """Advantage, losses and their coefficients."""

    advantage: Str | None = None
    advantage_scope: Literal["rollout", "update"] | Symbol | None = None
    std_scope: Literal["none", "group", "batch", "running"] | Symbol | None = None
    std_ddof: Int | None = None
    """0: the standard deviation of the population, 1: of a sample (H38)."""
    std_guard: Float | None = None
    """Is added to the deviation, so that nothing is divided by zero."""
    gamma: Float | None = None
    lam: Float | None = None
    whiten_advantage: Bool | None = None
    kl_reward: KlReward = KlReward()
    kl_loss: KlLoss = KlLoss()
    entropy_coef: Float | None = None
    policy_loss: PolicyLoss = PolicyLoss()
    preference: Preference = Preference()
    distillation: Distillation = Distillation()
    loss_agg: Str | None = None
    loss_agg_tokens: Annotated[Int | None, Unit.TOKENS] = None
    loss_norm_scope: Literal["micro_batch_mean", "micro_batch_sum", "update"] | Symbol | None = None
    divide_logits_by_temperature: Bool | None = None
    rollout_correction: Free | None = None
    critic: CriticOptions = CriticOptions()
    filters: list[Filter] = Field(default_factory=list)


class Optimizer(Part):
    """One optimizer and its schedule; everything is counted in optimizer updates."""

    kind: Str | None = None
    lr: Float | None = None
    betas: list[Float] | Str | None = None
    weight_decay: Float | None = None
    grad_clip: Float | None = None
    schedule: Str | None = None
    warmup_updates: Annotated[Ratio | None, Unit.UPDATES] = None
    decay_updates: Annotated[Ratio | None, Unit.UPDATES] = None
    min_lr_ratio: Float | None = None
    min_lr: Float | None = None
    updates_per_tick: Annotated[Ratio | None, Unit.UPDATES] = None
    extra: Free | None = None


class Optim(Part):
    """The optimizers of policy and critic."""

    actor: Optimizer = Optimizer()
    critic: Optimizer = Optimizer()


class SamplingSet(Part):
    """Sampling for training and for validation."""

    train: Sampling = Sampling()
    eval: Sampling = Field(default=Sampling(), json_schema_extra={"role": MEASUREMENT})


class Lora(Part):
    """Low-rank adapters; `rank` 0 means none."""

    rank: Int | None = None
    alpha: Int | None = None
    targets: list[Str] | Str | None = None
    excluded: list[Str] | Str | None = None
    path: Str | None = None
    dtype: Str | None = None


class ModelOptions(Part):
    """Settings of the trained model's computation: adapters, recomputation, padding and kernels."""

    lora: Lora = Lora()
    gradient_checkpointing: Bool | None = Perf
    activation_offload: Bool | None = Perf
    remove_padding: Bool | None = Perf
    liger: Bool | None = Perf
    fused_kernels: Bool | None = Perf
    critic_gradient_checkpointing: Bool | None = Perf
    critic_activation_offload: Bool | None = Perf
    critic_remove_padding: Bool | None = Perf


class Checkpoint(Part):
    """The parts of a checkpoint that are saved and loaded, and how many checkpoints are kept."""

    contents: list[Str] | Str | None = Book
    load_contents: list[Str] | Str | None = Book
    hf_export: Literal["last", "always", "never"] | Symbol | None = Book
    asynchronous: Bool | None = Book
    keep: Int | None = Book
    critic_keep: Int | None = Book


class Cadence(Part):
    """The rollout periods between two saves, and between two validations."""

    save_rollouts: Annotated[Ratio | None, Unit.ROLLOUTS] = Seen
    eval_rollouts: Annotated[Ratio | None, Unit.ROLLOUTS] = Seen
    eval_at_start: Bool | None = Seen


class Seeds(Part):
    """Seeds that are not a data set's or a worker's."""

    global_seed: Int | None = None
    minibatch: Int | None = None


class Stage(Part):
    """One stage of a run. Single-stage runs have one."""

    name: Str | None = Book
    kind: Literal["rl", "sft", "dpo", "distill", "offline_distill", "eval", "generate"] | None = None
    init_from: Literal["base", "previous_stage_hf"] | None = None
    model: Model = Model()
    length: Length = Length()
    batch: Batch = Batch()
    run_length: RunLength = RunLength()
    sync: Sync = Sync()
    placement: Placement = Placement()
    algorithm: Algorithm = Algorithm()
    optim: Optim = Optim()
    sampling: SamplingSet = SamplingSet()
    turns: Turns = Turns()
    model_options: ModelOptions = ModelOptions()
    data: Data = Data()
    reward: Reward = Reward()
    checkpoint: Checkpoint = Checkpoint()
    cadence: Cadence = Cadence()
    seeds: Seeds = Seeds()


class Run(Part):
    """One stage with what all stages share: what a mapping table reads and writes."""

    identity: Identity = Identity()
    cluster: Cluster = Cluster()
    stage: Stage = Stage()


class Plan(Part):
    """A whole run. `extensions` carries, verbatim, what only its source framework understands; `beyond` names those of them
    that change the mathematics, for which there is no field, and `idle` those that do nothing as they stand; `origins` says of
    a value (`stages[0].batch.passes`) why it is there."""

    plan_version: Literal[3] = 3
    source: Source = Source()
    identity: Identity = Identity()
    cluster: Cluster = Cluster()
    stages: list[Stage] = Field(default_factory=list)
    extensions: dict[str, Free] = Field(default_factory=dict)
    beyond: list[str] = Field(default_factory=list)
    idle: list[str] = Field(default_factory=list)
    origins: dict[str, Why] = Field(default_factory=dict)
