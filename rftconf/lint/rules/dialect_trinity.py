"""Rules for what only Trinity-RFT has: modes, synchronisation, tasksets, engines and buffers."""

from __future__ import annotations

from rftconf.lint.measures import UPDATE
from rftconf.lint.rule import ERROR, INFO, WARNING, Family, Findings, Put, finding, trinity
from rftconf.lint.subject import Subject

FAMILY = Family("DIA", ("trinity",))
rule = FAMILY.rule
SETS, ENGINE, SYNC = "buffer.explorer_input.", "explorer.rollout_model.", "synchronizer."
EVAL = (
    f"{SETS}eval_tasksets[0].name=t",
    f"{SETS}eval_tasksets[0].path=/data/t",
    f"{SETS}eval_tasksets[0].rollout_args.temperature=0.0",
)
NO_EXPLORER = ("sft", "cpt", "dpo")


def kind(s: Subject) -> str:
    """The algorithm class."""
    return str(s.native.value("algorithm.algorithm_type") or "ppo")


@rule(
    101, WARNING, "an explorer and a trainer that do not keep step",
    bad=trinity("buffer.batch_size=128", "buffer.train_batch_size=256", "synchronizer.sync_interval=1"),
    good=trinity("buffer.batch_size=32", "buffer.train_batch_size=256", "synchronizer.sync_interval=1"),
    advice="batch_size x repeat_times x explorer interval must equal train_batch_size x trainer interval",
    source="H3; agentscope-ai/Trinity-RFT#452",
)  # fmt: skip
def _unbalanced(s: Subject) -> Findings:
    """Both sides meet after their intervals. When the explorer makes more than the trainer takes, the backlog grows without
    bound and updates train on ever older answers; when it makes less, the trainer waits for answers that never come."""
    if (
        s.native.value("mode") not in ("both", None)
        or s.native.value(f"{SYNC}sync_style") != "fixed"
        or kind(s) in NO_EXPLORER
    ):
        return
    batch, n = s.count("buffer.batch_size"), s.count("algorithm.repeat_times")
    update, common = s.count(UPDATE), s.count(f"{SYNC}sync_interval") or 1
    explorer, trainer = (s.count(f"{SYNC}{who}_sync_interval") or common for who in ("explorer", "trainer"))
    if kind(s).startswith("multi_step") or any(
        "workflow" in k and "multi" in str(v.value) for k, v in s.leaves.items()
    ):
        return
    if batch and n and update and batch * n * explorer != update * trainer:
        yield finding(f"the explorer makes {batch * n * explorer} sequences between two syncs ({batch} x {n} x {explorer}), the trainer takes "
                    f"{update * trainer} ({update} x {trainer})", UPDATE, "buffer.batch_size", "algorithm.repeat_times")  # fmt: skip


@rule(
    107, INFO, "a number of answers that DPO overwrites",
    bad=trinity("mode=train", "algorithm.algorithm_type=dpo", "algorithm.repeat_times=8", "algorithm.kl_loss_fn=k2",
                "buffer.trainer_input.experience_buffer.path=/data/pairs"),
    good=trinity("mode=train", "algorithm.algorithm_type=dpo", "algorithm.repeat_times=2", "algorithm.kl_loss_fn=k2",
                 "buffer.trainer_input.experience_buffer.path=/data/pairs"),
    advice="leave it out", source="H16; Trinity algorithm/algorithm.py 300-301", fixable=True,
)  # fmt: skip
def _dpo_pairs(s: Subject) -> Findings:
    """DPO works on pairs and sets it to 2 whatever is written."""
    key = "algorithm.repeat_times"
    if kind(s) == "dpo" and s.written(key) and s.native.value(key) not in (2, None):
        yield finding(f"{s.says(key)} becomes 2 for dpo", key, fix=Put(key, 2), safe=True)


@rule(
    108, WARNING, "old log-probabilities that are not old",
    bad=trinity("algorithm.bypass_old_logprobs=false", "synchronizer.sync_interval=4", "buffer.batch_size=32"),
    good=trinity("algorithm.bypass_old_logprobs=true", "synchronizer.sync_interval=4", "buffer.batch_size=32"),
    advice="leave bypass_old_logprobs true, or synchronise after every update", source="H24; Trinity trainer/verl/trainer.py 515-533",
    since="0.6.0", fixable=True,
)  # fmt: skip
def _not_old(s: Subject) -> Findings:
    """Recomputed log-probabilities come from the weights of the moment, after the earlier updates of the period. The ratio
    is then 1 in every update but the first, and clipping never acts."""
    key, every = "algorithm.bypass_old_logprobs", s.count(f"{SYNC}sync_interval")
    if s.native.value(key) is False and every and every > 1:
        yield finding(f"{s.says(key)} with {s.says(f'{SYNC}sync_interval')}: the ratio is always 1", key, f"{SYNC}sync_interval",
                    fix=Put(key, value=True))  # fmt: skip


@rule(
    110, ERROR, "colocation of more than one GPU",
    bad=trinity("mode=colocate"), good=trinity("mode=both"),
    advice="one node with one GPU, one engine of one GPU, no helpers", source="agentscope-ai/Trinity-RFT#602, PR#495", since="0.5.2", fixable=True,
)  # fmt: skip
def _colocate(s: Subject) -> Findings:
    """The mode puts one engine and the trainer on a single GPU, and the validator asserts exactly that."""
    if s.native.value("mode") != "colocate":
        return
    sizes = [
        s.number(name)
        for name in ("cluster.node_num", "cluster.gpu_per_node", f"{ENGINE}engine_num", f"{ENGINE}tensor_parallel_size")
    ]
    if any(size is not None and size > 1 for size in sizes):
        yield finding("mode colocate wants one GPU, one engine and no tensor parallelism", "mode", "cluster.gpu_per_node", f"{ENGINE}engine_num",
                    f"{ENGINE}tensor_parallel_size", fix=Put("mode", "both"))  # fmt: skip


@rule(
    111, ERROR, "exploring for an algorithm that does not explore",
    bad=trinity("mode=both", "algorithm.algorithm_type=sft"), good=trinity("mode=train", "algorithm.algorithm_type=sft",
                                                               "buffer.trainer_input.experience_buffer.path=/data/sft"),
    advice="set mode: train", source="Trinity algorithm/algorithm.py check_config", fixable=True,
)  # fmt: skip
def _no_explorer(s: Subject) -> Findings:
    """sft, cpt and dpo train on data that are there; modes both and explore are refused."""
    if kind(s) in NO_EXPLORER and s.native.value("mode") in ("both", "explore", None):
        yield finding(
            f"{kind(s)} does not explore, and {s.says('mode')}",
            "mode",
            "algorithm.algorithm_type",
            fix=Put("mode", "train"),
        )


@rule(
    112, ERROR, "training on nothing",
    bad=trinity("mode=train", "algorithm.algorithm_type=sft"), good=trinity("mode=train", "algorithm.algorithm_type=sft",
                                                                          "buffer.trainer_input.experience_buffer.path=/data/sft"),
    advice="give buffer.trainer_input.experience_buffer.path", source="Trinity algorithm/algorithm.py check_config",
)  # fmt: skip
def _no_experiences(s: Subject) -> Findings:
    """sft, cpt and dpo read the experience buffer's file."""
    key = "buffer.trainer_input.experience_buffer.path"
    if kind(s) in NO_EXPLORER and s.native.value("mode") == "train" and not s.native.value(key) and not s.unknown(key):
        yield finding(f"{kind(s)} has no data: {key} is not given", "algorithm.algorithm_type", "mode")


@rule(
    113, ERROR, "too many rollouts in a run that keeps step",
    bad=trinity("explorer.over_rollout.ratio=0.2"), good=trinity("explorer.over_rollout.ratio=0.2", "synchronizer.sync_style=explorer_driven"),
    advice="use another sync_style, or ratio 0", source="Trinity config_validator.py", since="0.5.2", fixable=True,
)  # fmt: skip
def _over_rollout(s: Subject) -> Findings:
    """Leaving the slowest tasks behind is refused with fixed synchronisation; the ratio itself must lie in [0, 1)."""
    key = "explorer.over_rollout.ratio"
    got = s.number(key)
    if got and (s.native.value(f"{SYNC}sync_style") == "fixed" or not 0 <= got < 1):
        yield finding(f"{s.says(key)} with {s.says(f'{SYNC}sync_style')}", key, f"{SYNC}sync_style", fix=Put(key, 0.0))


@rule(
    114, ERROR, "evaluation in a fully asynchronous run",
    bad=trinity("synchronizer.sync_style=fully_async", *EVAL), good=trinity("synchronizer.sync_style=fixed", *EVAL),
    advice="take the evaluation sets out, or choose another sync_style", source="Trinity config_validator.py 1040", since="0.6.0",
    fixable=True,
)  # fmt: skip
def _async_eval(s: Subject) -> Findings:
    """There is no moment at which all engines hold the same weights, and the validator refuses evaluation sets."""
    key = f"{SYNC}sync_style"
    if s.native.value(key) == "fully_async" and s.items("data.eval"):
        yield finding("fully_async excludes evaluation sets", key, "data.eval[0].uri", fix=Put(key, "explorer_driven"))


@rule(
    115, ERROR, "an interval of nothing",
    bad=trinity("synchronizer.sync_interval=0"), good=trinity("synchronizer.sync_interval=1"),
    advice="1 or more", source="Trinity config_validator.py", fixable=True,
)  # fmt: skip
def _interval(s: Subject) -> Findings:
    """The validator asserts a positive interval."""
    key = f"{SYNC}sync_interval"
    got = s.number(key)
    if got is not None and got <= 0:
        yield finding(f"{s.says(key)}", key, fix=Put(key, 1), safe=True)


@rule(
    116, ERROR, "no tasks to explore",
    bad=trinity(f"~{SETS}tasksets[0].name", f"~{SETS}tasksets[0].path", f"~{SETS}tasksets[0].storage_type", f"~{SETS}tasksets[0].format.prompt_key",
                f"~{SETS}tasksets[0].format.response_key", f"~{SETS}tasksets[0].data_selector.selector_type"),
    good=trinity(f"{SETS}tasksets[0].name=train"),
    advice="give buffer.explorer_input.tasksets", source="Trinity config_validator.py",
)  # fmt: skip
def _no_tasks(s: Subject) -> Findings:
    """Modes both, explore and colocate need at least one taskset."""
    explores = s.native.value("mode") in ("both", "explore", "colocate") and kind(s) not in NO_EXPLORER
    has_tasks = any(key.startswith((f"{SETS}taskset", "stages[")) for key in s.document.last())
    if explores and not has_tasks and not s.items("data.train"):
        yield finding("there is no taskset to explore", f"{SETS}tasksets", "mode")


@rule(
    117, ERROR, "a taskset without data",
    bad=trinity(f"~{SETS}tasksets[0].path"), good=trinity(f"{SETS}tasksets[0].path=/data/train"),
    advice="give its path", source="Trinity config_validator.py",
)  # fmt: skip
def _no_path(s: Subject) -> Findings:
    """Every taskset needs a path: a folder, a file or a name on the hub."""
    for which in ("tasksets", "eval_tasksets"):
        for index in range(s.native.count(f"{SETS}{which}")):
            path = f"{SETS}{which}[{index}]"
            keys = s.native.below(path)
            if keys and not s.native.value(f"{path}.path"):
                yield finding(f"{path} has no path", *keys[:1])


@rule(
    118, ERROR, "one taskset and several",
    bad=trinity(f"{SETS}taskset.path=/data/other"), good=trinity(),
    advice="keep tasksets", source="Trinity config_validator.py",
)  # fmt: skip
def _both_tasksets(s: Subject) -> Findings:
    """taskset and tasksets are two spellings of one thing, and the validator refuses both together."""
    leaves = s.document.last()
    key = next((k for k in leaves if k.startswith(f"{SETS}taskset.")), None)
    if key and any(k.startswith(f"{SETS}tasksets[") for k in leaves):
        yield finding("taskset and tasksets are both given", f"{SETS}tasksets[0].path")


@rule(
    119, INFO, "serving without training",
    bad=trinity("mode=serve"), good=trinity("mode=both"),
    advice="start a second process with mode: train that shares buffer and checkpoints", source="agentscope-ai/Trinity-RFT#600",
)  # fmt: skip
def _serve(s: Subject) -> Findings:
    """mode serve only generates; training needs another process."""
    if s.native.value("mode") == "serve":
        yield finding("mode serve does not train", "mode")


@rule(
    120, ERROR, "two adapters",
    bad=trinity("model.lora_configs[0].name=a", "model.lora_configs[0].lora_rank=32", "model.lora_configs[1].name=b",
                "model.lora_configs[1].lora_rank=32", "algorithm.optimizer.lr=1e-5"),
    good=trinity("model.lora_configs[0].name=a", "model.lora_configs[0].lora_rank=32", "algorithm.optimizer.lr=1e-5"),
    advice="keep one", source="Trinity config_validator.py",
)  # fmt: skip
def _adapters(s: Subject) -> Findings:
    """One LoRA at most is trained; the validator refuses more."""
    if s.native.count("model.lora_configs") > 1:
        yield finding(f"{s.native.count('model.lora_configs')} LoRA configs, and one is the most", "model.lora_configs[1].name",
                    "model.lora_configs[1].lora_rank")  # fmt: skip


@rule(
    121, ERROR, "a helper without a model",
    bad=trinity("explorer.auxiliary_models[0].engine_num=1"), good=trinity("explorer.auxiliary_models[0].engine_num=1",
                                                                           "explorer.auxiliary_models[0].model_path=org/judge"),
    advice="give its model_path", source="Trinity config_validator.py",
)  # fmt: skip
def _helper(s: Subject) -> Findings:
    """Auxiliary models do not follow the policy's."""
    for index in range(s.native.count("explorer.auxiliary_models")):
        path = f"explorer.auxiliary_models[{index}]"
        if not s.native.value(f"{path}.model_path"):
            yield finding(f"{path} has no model_path", f"{path}.engine_num", f"{path}.tensor_parallel_size")


@rule(
    122, INFO, "answers from older weights",
    bad=trinity("synchronizer.sync_offset=1"), good=trinity("synchronizer.sync_offset=0"),
    advice="0 keeps rollout and training in step", source="H17; agentscope-ai/Trinity-RFT PR#433", fixable=True,
)  # fmt: skip
def _offset(s: Subject) -> Findings:
    """Batches that straddle a period are generated with weights one version older. The guide to align with veRL says 0 in
    its text and 1 in its examples."""
    key = f"{SYNC}sync_offset"
    if (s.number(key) or 0) > 0 and s.native.value(f"{SYNC}sync_style") == "fixed":
        yield finding(f"{s.says(key)}: some batches come from older weights", key, fix=Put(key, 0))


@rule(
    123, WARNING, "a buffer on disk that becomes a queue",
    bad=trinity("buffer.trainer_input.experience_buffer.storage_type=file", "buffer.trainer_input.experience_buffer.path=/data/x"),
    good=trinity("buffer.trainer_input.experience_buffer.storage_type=queue"),
    advice="queue, or sql to keep experiences", source="Trinity config_validator.py", fixable=True,
)  # fmt: skip
def _file_buffer(s: Subject) -> Findings:
    """An experience buffer of type file is silently made a queue in modes both and colocate, and nothing is written."""
    key = "buffer.trainer_input.experience_buffer.storage_type"
    if s.native.value("mode") in ("both", "colocate") and str(s.native.value(key)).lower() == "file" and s.written(key):
        yield finding(f"{s.says(key)} becomes a queue", key, fix=Put(key, "queue"))


@rule(
    124, INFO, "a cluster to be asked for",
    bad=trinity("~cluster.node_num", "~cluster.gpu_per_node"), good=trinity("cluster.node_num=1", "cluster.gpu_per_node=8"),
    advice="give node_num and gpu_per_node", source="agentscope-ai/Trinity-RFT#406", since="0.5.2",
)  # fmt: skip
def _no_cluster(s: Subject) -> Findings:
    """Left out, both are asked of the running Ray cluster when the run starts, so no GPU count can be checked before."""
    if not s.written("cluster.node_num") and not s.written("cluster.gpu_per_node"):
        yield finding("the size of the cluster is not given", "cluster.gpu_per_node")


@rule(
    125, ERROR, "bench in a release that cannot",
    bad=trinity("mode=bench", release="0.5.2"), good=trinity("mode=bench", "trainer.trainer_strategy=megatron", release="0.5.2"),
    advice="use another release, or trainer_strategy: megatron, whose sizes are not checked there",
    source="Trinity verl_config.py _check_parallel_config (both verified by running it)", since="0.5.2", until="0.5.2",
)  # fmt: skip
def _bench(s: Subject) -> Findings:
    """Under FSDP 0.5.2 divides by the trainer's GPUs, which are none, and stops with ZeroDivisionError."""
    sharded = str(s.native.value("trainer.trainer_strategy", "fsdp")).startswith("fsdp")
    if s.native.value("mode") == "bench" and sharded and s.native.value("trainer.trainer_type", "verl") == "verl":
        yield finding(f"mode bench fails under FSDP in {s.title}", "mode")


@rule(
    126, ERROR, "an engine that is not whole nodes",
    bad=trinity("cluster.node_num=4", f"{ENGINE}engine_num=1", f"{ENGINE}tensor_parallel_size=12"),
    good=trinity("cluster.node_num=4", f"{ENGINE}engine_num=1", f"{ENGINE}tensor_parallel_size=16"),
    advice="a multiple of the node's GPUs", source="Trinity config_validator.py 302-350", since="0.6.0",
)  # fmt: skip
def _engine_nodes(s: Subject) -> Findings:
    """An engine larger than a node must fill its nodes."""
    each = s.count("cluster.gpu_per_node")
    size = 1
    for name in ("tensor", "pipeline", "data"):
        size *= s.count(f"{ENGINE}{name}_parallel_size") or 1
    if each and size > each and size % each:
        yield finding(f"an engine of {size} GPUs is {size // each} nodes of {each} and {size % each} more", f"{ENGINE}tensor_parallel_size",
                    "cluster.gpu_per_node")  # fmt: skip


@rule(
    127, INFO, "a gradient that grows with the number of micro-batches",
    bad=trinity("trainer.max_token_len_per_gpu=2048"), good=trinity("trainer.max_token_len_per_gpu=131072"),
    advice="raise max_token_len_per_gpu until a rank's share is one micro-batch", source="H25; Trinity trainer/verl/losses.py 46-102", since="0.6.0",
)  # fmt: skip
def _scaled_gradient(s: Subject) -> Findings:
    """Each micro-batch contributes its own mean, and they are added up: with k micro-batches the gradient is k times the
    mean, so the clip bites k times sooner."""
    cap, update, gpus = s.number("batch.micro.tokens_per_rank"), s.count(UPDATE), s.count("placement.actor.gpus")
    need = (s.count("length.prompt_max_tokens") or 0) + (s.count("length.response_max_tokens") or 0)
    if (
        s.value("algorithm.loss_norm_scope") == "micro_batch_sum"
        and s.written("trainer.max_token_len_per_gpu")
        and cap
        and update
        and gpus
        and need
    ):
        most = update / gpus * need / cap
        if most >= 4:
            yield finding(
                f"up to {most:.0f} micro-batches an update, whose gradients add up",
                "trainer.max_token_len_per_gpu",
                UPDATE,
            )


@rule(
    128, ERROR, "a trainer config in a file of its own",
    bad=trinity("trainer.trainer_config_path=/code/verl.yaml"), good=trinity("trainer.total_steps=500"),
    advice="move its content to trainer.trainer_config", source="Trinity config_validator.py DeprecatedConfigValidator", fixable=False,
)  # fmt: skip
def _config_path(s: Subject) -> Findings:
    """The key is deprecated; without trainer_config it is an error, with it the file is not read."""
    key = "trainer.trainer_config_path"
    if s.written(key) and s.native.value(key):
        has = any("trainer_config." in k for k in s.leaves)
        yield finding(f"{s.says(key)} is {'not read' if has else 'refused'}", key, severity=WARNING if has else ERROR)


@rule(
    129, ERROR, "engines above the cluster, with no trainer beside them",
    bad=trinity("mode=bench", "explorer.rollout_model.engine_num=8"), good=trinity("mode=bench", "explorer.rollout_model.engine_num=4"),
    advice="fewer or smaller engines, or more GPUs", source="Trinity config_validator.py 248-253", since="0.4.1",
)  # fmt: skip
def _above_the_cluster(s: Subject) -> Findings:
    """Engines may take every GPU in the modes explore, bench and serve, but not more than there are."""
    keys = ("explorer.rollout_model.engine_num", "explorer.rollout_model.tensor_parallel_size")
    engines, size, nodes, each = (s.native.value(key) for key in (*keys, "cluster.node_num", "cluster.gpu_per_node"))
    if s.native.value("mode") not in ("explore", "bench", "serve"):
        return
    if not all(isinstance(n, int) and n > 0 for n in (engines, size, nodes, each)):
        return
    if engines * size > nodes * each:
        yield finding(f"{engines} engines of {size} GPUs are more than {nodes} nodes of {each}", *keys)


@rule(
    130, ERROR, "a further buffer without a path",
    bad=trinity("buffer.trainer_input.auxiliary_buffers.expert.storage_type=file"),
    good=trinity("buffer.trainer_input.auxiliary_buffers.expert.storage_type=file", "buffer.trainer_input.auxiliary_buffers.expert.path=/data/expert"),
    advice="give it one", source="Trinity config_validator.py 1141-1147",
)  # fmt: skip
def _buffer_without_path(s: Subject) -> Findings:
    """Only the buffer of experiences gets a path of its own; the others name data that must be there."""
    above = "buffer.trainer_input.auxiliary_buffers."
    written = [key for key, _ in s.written_keys() if key.startswith(above)]
    for name in dict.fromkeys(key[len(above) :].partition(".")[0] for key in written):
        if not s.native.value(f"{above}{name}.path"):
            first = next(key for key in written if key.startswith(f"{above}{name}."))
            yield finding(f"{above}{name} has no path", first)


@rule(
    131, WARNING, "logits divided by another temperature than answers are drawn at",
    bad=trinity("model.temperature=0.6", f"{SETS}tasksets[0].rollout_args.temperature=1.0"), good=trinity("model.temperature=0.6"),
    advice="give the training temperature in model.temperature alone", source="H28; Trinity trainer/verl/trainer.py 491", since="0.6.0",
)  # fmt: skip
def _another_divisor(s: Subject) -> Findings:
    """Since 0.6 the trainer divides logits by model.temperature, which a taskset's own temperature does not change: its
    log-probabilities are those of another policy than the one that answered. Evaluation sets have rollout_args of their own."""
    divisor = s.native.value("model.temperature")
    for i in s.items("data.train"):
        key = f"{SETS}tasksets[{i}].rollout_args.temperature"
        got = s.native.value(key) if s.written(key) and kind(s) not in NO_EXPLORER else None
        if got is not None and got != divisor:
            text = f"{key} is {got}, and the trainer divides logits by {divisor}"
            yield finding(text, key, "model.temperature")
