"""GPUs: whether what is asked for exists, fits together and goes to somebody."""

from __future__ import annotations

from rftconf.lint.measures import TRAINERS, largest_divisor
from rftconf.lint.rule import ERROR, INFO, WARNING, Family, Findings, Put, finding, trinity, verl
from rftconf.lint.subject import Subject
from rftconf.schemas import registry

FAMILY = Family("GPU")
rule = FAMILY.rule
ROLLOUT = "actor_rollout_ref.rollout."
NODES, PER_NODE, ENGINES = "cluster.nodes", "cluster.gpus_per_node", "placement.rollout.gpus"
TP, DP, PP = (f"placement.rollout.{size}" for size in ("tp", "dp", "pp"))
SEPARATE = ("trainer.v1.trainer_mode=separate_async", "trainer.v1.separate_async.parameter_sync_step=4",
            f"{ROLLOUT}checkpoint_engine.backend=nccl")  # fmt: skip


def total(s: Subject) -> int | None:
    """All GPUs of the run."""
    nodes, each = s.count(NODES), s.count(PER_NODE)
    return None if nodes is None or each is None else nodes * each


def engine(s: Subject) -> int | None:
    """GPUs of one rollout engine."""
    if any(s.unknown(name) for name in (TP, DP, PP)):
        return None
    return (s.count(TP) or 1) * (s.count(DP) or 1) * (s.count(PP) or 1)


@rule(
    1, ERROR, "no GPU left to train on",
    bad=trinity("explorer.rollout_model.engine_num=4", "explorer.rollout_model.tensor_parallel_size=2"),
    good=trinity("explorer.rollout_model.engine_num=2", "explorer.rollout_model.tensor_parallel_size=2"),
    advice="fewer or smaller engines, or more GPUs",
    source="Trinity config_validator.py GPU allocation 212-300; agentscope-ai/Trinity-RFT#235",
)  # fmt: skip
def _none_left(s: Subject) -> Findings:
    """Engines with GPUs of their own, helpers included, must leave some for the trainer."""
    all_of_them, rollout = total(s), s.count(ENGINES)
    if s.value("placement.layout") != "disaggregated" or all_of_them is None or rollout is None:
        return
    if s.native.value("mode") in ("explore", "bench", "serve", "train") or s.framework == "verl":
        return
    models = [f"placement.auxiliary[{i}]." for i in s.items("placement.auxiliary")]
    helpers = [s.count(f"{path}gpus") or 0 for path in models if s.value(f"{path}own_pool") is not False]
    used = rollout + sum(helpers)
    if used >= all_of_them:
        yield finding(
            f"engines take {used} of {all_of_them} GPUs ({s.says(ENGINES)}, {s.says(TP)})", ENGINES, TP, PER_NODE
        )


@rule(
    2, ERROR, "trainer GPUs that are no whole nodes",
    bad=trinity("cluster.node_num=2", "explorer.rollout_model.engine_num=3", "explorer.rollout_model.tensor_parallel_size=2",
                "buffer.train_batch_size=640", "buffer.batch_size=80"),
    good=trinity("cluster.node_num=2", "explorer.rollout_model.engine_num=4", "explorer.rollout_model.tensor_parallel_size=2"),
    advice="give the engines whole nodes, or all but part of one", source="H22; Trinity config_validator.py 285-300",
    frameworks=("trinity", "chatlearn"),
)  # fmt: skip
def _part_of_a_node(s: Subject) -> Findings:
    """A trainer that is larger than one node must fill its nodes completely."""
    gpus, each = s.count(TRAINERS), s.count(PER_NODE)
    if s.value("placement.layout") == "disaggregated" and gpus and each and gpus > each and gpus % each:
        yield finding(f"{gpus} GPUs are left for the trainer, which is {gpus // each} nodes of {each} and {gpus % each} more",
                    ENGINES, TP, NODES, PER_NODE)  # fmt: skip


@rule(
    3, ERROR, "GPUs that engines do not divide",
    bad=verl(f"{ROLLOUT}tensor_model_parallel_size=3"), good=verl(f"{ROLLOUT}tensor_model_parallel_size=4"),
    advice="choose a tensor-parallel size that divides the GPUs", fixable=True,
    source="verl-project/verl#1785, #1191; veRL fsdp_workers.py _build_rollout",
)  # fmt: skip
def _uneven_engines(s: Subject) -> Findings:
    """The rollout GPUs are cut into engines of TP x DP x PP. veRL's default tensor-parallel size is 2, so a run on one
    GPU fails without the key."""
    gpus, each = s.count(ENGINES), engine(s)
    if gpus and each and gpus % each:
        size = largest_divisor(gpus, min(each, s.count(TP) or each))
        change = (Put(TP, size),) if each == (s.count(TP) or 1) else ()
        yield finding(f"{gpus} rollout GPUs do not divide into engines of {each} ({s.says(TP)})", TP, ENGINES, PER_NODE,
                    fix=change, safe=True)  # fmt: skip


@rule(
    4, INFO, "engines of two GPUs by default",
    bad=verl(f"~{ROLLOUT}tensor_model_parallel_size"), good=verl(f"{ROLLOUT}tensor_model_parallel_size=1"),
    advice="say what you want", source="veRL rollout.yaml", frameworks=("verl",), fixable=True,
)  # fmt: skip
def _default_engine(s: Subject) -> Findings:
    """veRL's default tensor-parallel size of the rollout is 2. A small model runs faster with 1, and an odd number of GPUs
    does not run at all."""
    if not s.written(TP) and s.value(TP) == 2:
        yield finding(f"{s.key(TP)} is not given, and its default is 2", TP, fix=Put(TP, 2))


@rule(
    5, ERROR, "a reward model's own pool without GPUs",
    bad=verl("reward.reward_model.enable=True", "reward.reward_model.model_path=org/rm",
             "reward.reward_model.enable_resource_pool=True", "reward.reward_model.n_gpus_per_node=0"),
    good=verl("reward.reward_model.enable=True", "reward.reward_model.model_path=org/rm",
              "reward.reward_model.enable_resource_pool=True", "reward.reward_model.n_gpus_per_node=2",
              "reward.reward_model.nnodes=1"),
    advice="give n_gpus_per_node and nnodes", source="veRL main_ppo.py init_resource_pool_mgr",
    frameworks=("verl",), since="0.7.1",
)  # fmt: skip
def _empty_pool(s: Subject) -> Findings:
    """A pool of its own must have nodes and GPUs; the trainer asserts both when it starts."""
    path = "reward.reward_model."
    if not (s.value(f"{path}enable") and s.value(f"{path}enable_resource_pool")):
        return
    for name in ("n_gpus_per_node", "nnodes"):
        if s.number(path + name) == 0:
            yield finding(
                f"the reward model's pool has {s.says(path + name)}", path + name, f"{path}enable_resource_pool"
            )


@rule(
    6, ERROR, "separate engines without GPUs",
    bad=verl(*SEPARATE, f"{ROLLOUT}nnodes=0"), good=verl(*SEPARATE, f"{ROLLOUT}nnodes=1", f"{ROLLOUT}n_gpus_per_node=8"),
    advice="give the rollout its own nodes: they come on top of the trainer's",
    source="veRL 0.9 trainer_separate_async.py 59-97; H21", frameworks=("verl",), since="0.9.0", fixable=True,
)  # fmt: skip
def _no_rollout_nodes(s: Subject) -> Findings:
    """separate_async trains on trainer.nnodes and generates on rollout.nnodes, whose default is 0."""
    if s.value("trainer.v1.trainer_mode") == "separate_async" and s.number(f"{ROLLOUT}nnodes") == 0:
        yield finding(f"separate_async needs engines of its own, and {s.says(f'{ROLLOUT}nnodes')}", f"{ROLLOUT}nnodes",
                    "trainer.v1.trainer_mode", fix=Put(f"{ROLLOUT}nnodes", 1))  # fmt: skip


@rule(
    7, ERROR, "separate engines that weights cannot reach",
    bad=verl("trainer.v1.trainer_mode=separate_async", "trainer.v1.separate_async.parameter_sync_step=4", f"{ROLLOUT}nnodes=1"),
    good=verl(*SEPARATE, f"{ROLLOUT}nnodes=1"),
    advice="choose nccl, or another transport between processes", source="veRL 0.9 trainer_base.py 380-387",
    frameworks=("verl",), since="0.9.0", fixable=True,
)  # fmt: skip
def _naive_transport(s: Subject) -> Findings:
    """The transport `naive` hands weights over within a process. separate_async refuses it."""
    key = f"{ROLLOUT}checkpoint_engine.backend"
    if s.value("trainer.v1.trainer_mode") == "separate_async" and s.native.value(key) == "naive":
        yield finding(
            f"separate_async refuses {s.says(key)}", key, "trainer.v1.trainer_mode", fix=Put(key, "nccl"), safe=True
        )


@rule(
    8, ERROR, "hybrid_engine switched off",
    bad=verl("actor_rollout_ref.hybrid_engine=False", release="0.8.0"), good=verl("actor_rollout_ref.hybrid_engine=True", release="0.8.0"),
    advice="leave it true, but False where engines have GPUs of their own", source="H71; veRL utils/config.py", frameworks=("verl",), fixable=True,
)  # fmt: skip
def _no_hybrid(s: Subject) -> Findings:
    """Up to 0.8 the trainer asserts that it is true, and the programs with engines of their own that it is false. In 0.9
    main_ppo ignores it except in separate_async."""
    key = "actor_rollout_ref.hybrid_engine"
    if s.best.trainer in registry.VERL.recipes:
        if s.value(key) is True:
            yield finding(
                f"{s.says(key)} stops this program: its engines have GPUs of their own",
                key,
                help="set it to False",
                fix=Put(key, value=False),
            )
        return
    if s.value(key) is not False or s.value("trainer.v1.trainer_mode") == "separate_async":
        return
    v1 = s.since("0.9.0") and s.value("trainer.use_v1") is not False
    yield finding(f"{s.says(key)} {'is ignored here' if v1 else 'stops the run'}", key, fix=Put(key, value=True), safe=True,
                severity=INFO if v1 else ERROR)  # fmt: skip


@rule(
    9, WARNING, "more GPUs than the script lets the run see",
    bad=verl("trainer.n_gpus_per_node=8", script="export CUDA_VISIBLE_DEVICES=0,1\n"),
    good=verl("trainer.n_gpus_per_node=8", script="export CUDA_VISIBLE_DEVICES=0,1,2,3,4,5,6,7\n"),
    advice="make the two agree", source="verl-project/verl#2515, #3358, #746",
)  # fmt: skip
def _hidden(s: Subject) -> Findings:
    """Ray counts the devices that CUDA_VISIBLE_DEVICES shows, and a run that asks for more waits or stops."""
    launch, gpus = s.document.launch, s.count(PER_NODE)
    devices = launch.env.get("CUDA_VISIBLE_DEVICES") if launch else None
    if not isinstance(devices, str) or not devices.strip() or gpus is None:
        return
    visible = len([part for part in devices.split(",") if part.strip()])
    if visible < gpus and all(part.strip().isdigit() for part in devices.split(",")):
        yield finding(f"{s.says(PER_NODE)}, but CUDA_VISIBLE_DEVICES={devices} shows {visible}", PER_NODE)


@rule(
    10, WARNING, "an engine that spans nodes",
    bad=verl("trainer.nnodes=2", f"{ROLLOUT}tensor_model_parallel_size=16"), good=verl("trainer.nnodes=2", f"{ROLLOUT}tensor_model_parallel_size=8"),
    advice="keep tensor parallelism within a node", source="Trinity config_validator.py 302-350", fixable=True,
)  # fmt: skip
def _across_nodes(s: Subject) -> Findings:
    """Tensor parallelism talks after every layer; between nodes that is slow, and some launchers refuse it."""
    size, each = s.count(TP), s.count(PER_NODE)
    if size and each and size > each:
        yield finding(f"{s.says(TP)} is larger than a node of {each} GPUs", TP, PER_NODE, fix=Put(TP, each))


@rule(
    11, ERROR, "a shard group that the trainer's GPUs do not hold",
    bad=verl("actor_rollout_ref.actor.fsdp_config.fsdp_size=3"), good=verl("actor_rollout_ref.actor.fsdp_config.fsdp_size=4"),
    advice="choose a divisor of the trainer's GPUs, or -1 for all of them", source="veRL fsdp_workers.py; Trinity config_validator.py", fixable=True,
)  # fmt: skip
def _uneven_shards(s: Subject) -> Findings:
    """Hybrid sharding puts the GPUs into groups of fsdp_size. With a rest, veRL's mesh leaves GPUs out and Trinity-RFT
    stops.
    """
    name = "placement.actor.fsdp_shard_gpus"
    size, gpus = s.count(name), s.count(TRAINERS)
    # a size of the whole world or more is one group of all
    if size and gpus and size < gpus and gpus % size:
        yield finding(f"{gpus} trainer GPUs do not divide into shard groups of {size}", name, TRAINERS,
                    fix=Put(name, largest_divisor(gpus, size)))  # fmt: skip


@rule(
    12, ERROR, "a cluster of nothing",
    bad=verl("trainer.n_gpus_per_node=0"), good=verl("trainer.n_gpus_per_node=8"),
    advice="give the GPUs of one node", source="Ray placement groups: bundles must not be empty",
)  # fmt: skip
def _no_gpus(s: Subject) -> Findings:
    """A run without nodes or GPUs has no workers."""
    for name in (NODES, PER_NODE):
        got = s.number(name)
        if got is not None and got <= 0 and s.written(name) and not (got == 0 and s.framework == "trinity"):
            yield finding(f"{s.says(name)} leaves no GPU", name)


@rule(
    13, ERROR, "more GPUs than the project has",
    bad=verl("trainer.nnodes=64"), good=verl("trainer.nnodes=1"),
    advice="see cluster in rftconf.toml", source="verl-project/verl#2515, AgentR1/Agent-R1#4; the project's own configuration",
)  # fmt: skip
def _too_many(s: Subject) -> Findings:
    """The project's configuration says what its cluster has, and the run asks for more."""
    have = s.cluster
    nodes, each = s.count(NODES), s.count(PER_NODE)
    if have.nodes and nodes and nodes > have.nodes:
        yield finding(f"{s.says(NODES)}, but the project's cluster has {have.nodes}", NODES)
    if have.gpus_per_node and each and each > have.gpus_per_node:
        yield finding(f"{s.says(PER_NODE)}, but a node of the project has {have.gpus_per_node}", PER_NODE)


@rule(
    14, INFO, "engines that share their GPUs leave little to the trainer",
    bad=verl(f"{ROLLOUT}gpu_memory_utilization=0.9"), good=verl(f"{ROLLOUT}gpu_memory_utilization=0.6"),
    advice="0.4 to 0.7 is usual where engine and trainer share GPUs, or offload parameters and optimizer",
    source="verl-project/verl#302, hiyouga/EasyR1#409", fixable=True,
)  # fmt: skip
def _greedy_engine(s: Subject) -> Findings:
    """Trainer and engine take turns on the same GPUs, so memory that the trainer keeps is not there for the engine;
    without offloading, a large share runs out of memory.
    """
    name = "placement.rollout.gpu_memory_fraction"
    share = s.number(name)
    offloads = s.value("placement.actor.offload.param") and s.value("placement.actor.offload.optimizer")
    if s.value("placement.layout") == "colocated" and share and 0.8 < share <= 1 and not offloads:
        yield finding(
            f"{s.says(name)} while the trainer shares the GPUs and offloads nothing", name, fix=Put(name, 0.6)
        )


@rule(
    15, INFO, "engines that leave their own GPUs idle",
    bad=trinity("explorer.rollout_model.gpu_memory_utilization=0.3"), good=trinity("explorer.rollout_model.gpu_memory_utilization=0.9"),
    advice="0.85 to 0.9 where nothing else runs on those GPUs", source="H21", fixable=True,
)  # fmt: skip
def _idle_engine(s: Subject) -> Findings:
    """An engine with GPUs of its own can take nearly all of their memory for its cache. A small share is often a number
    copied from a run that shares GPUs."""
    name = "placement.rollout.gpu_memory_fraction"
    share = s.number(name)
    if s.value("placement.layout") == "disaggregated" and share and 0 < share < 0.7 and s.written(name):
        yield finding(f"{s.says(name)}, and nothing else runs on the engines' GPUs", name, fix=Put(name, 0.9))
