"""Random runs that their own framework would start: the keys that its totals depend on, over one of the laws' bases."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import gcd
from typing import Any

from tests.laws.flip_bases import BASES
from tests.laws.totals import nemo_rl, openrlhf, trl
from tests.laws.totals.case import Case, Pick

ROWS = (500, 1319, 7473, 40000)
RATES = (1e-6, 2e-6, 5e-7, 1e-5)
GROUPS = (2, 3, 4, 5, 6, 8, 8, 12, 16)
CLUSTERS = ((1, 8), (1, 8), (2, 8), (4, 8), (1, 4), (1, 2), (3, 8))
UPDATES = (1, 1, 2, 3, 4, 4, 6, 8)
LENGTHS = (1, 7, 30, 100, 105, 500)
INTERVALS = (-1, 1, 3, 5, 10, 20, 50)
ARR = "actor_rollout_ref."


def _multiple(value: int, of: int) -> int:
    """The smallest factor that makes `value` a multiple of `of`."""
    return of // gcd(value, of)


def verl(pick: Pick) -> Case:
    """Colocated, asynchronous and separate trainers, both recipes, FSDP and Megatron, three releases."""
    recipe = pick(("", "", "", "", "", "fully_async", "one_step_off"))
    megatron = pick((False, False, True))
    trainer = "_".join(part for part in (recipe, "megatron" if megatron else "" if recipe else "fsdp") if part)
    release = pick(("0.9.1", "0.9.1", "0.8.0", "0.7.1") if recipe else ("0.9.1", "0.9.1", "0.8.0", "0.7.1", "0.5.0"))
    mode = "sync" if recipe or release != "0.9.1" else pick(("sync", "sync", "colocate_async", "separate_async"))
    nodes, size = pick(CLUSTERS)
    parts, rank = _verl_rank(pick, megatron, size)
    n, ranks, local = pick(GROUPS), nodes * size // rank, pick(UPDATES)
    mini = _multiple(n, ranks) * pick((1, 2, 3, 4, 8))
    prompts = mini * local
    if mode == "sync" and not recipe and release == "0.9.1" and pick((False,) * 9 + (True,)):
        prompts += pick(range(1, 4))  # padded there (H7)
    flat = {
        "data.train_batch_size": prompts,
        ARR + "rollout.n": n,
        ARR + "actor.ppo_mini_batch_size": mini,
        ARR + "actor.ppo_epochs": pick((1, 1, 1, 2, 3)),
        ARR + "rollout.tensor_model_parallel_size": pick([tp for tp in (1, 2, 4) if tp <= size]),
        "trainer.nnodes": nodes,
        "trainer.n_gpus_per_node": size,
        "trainer.total_epochs": pick((1, 3, 15, 1000)),
        "trainer.total_training_steps": pick((*LENGTHS, None)),
        "trainer.save_freq": pick(INTERVALS),
        "trainer.test_freq": pick(INTERVALS),
        **parts,
        **_verl_rate(pick, megatron, recipe),
        **_verl_mode(pick, mode, local, size),
        **_verl_recipe(pick, recipe, local, size),
    }
    base = next(b for b in BASES["verl"] if b.trainer == trainer).flat
    return Case("verl", release, trainer, flat, base, max(pick(ROWS), prompts))


def _verl_rank(pick: Pick, megatron: bool, size: int) -> tuple[dict[str, Any], int]:
    if megatron:
        tp, pp = pick([(1, 1), (2, 1), (2, 1), (1, 2)])
        block = ARR + "actor.megatron."
        return {block + "tensor_model_parallel_size": tp, block + "pipeline_model_parallel_size": pp}, tp * pp
    sp = pick((1, 1, 2))
    return {ARR + "actor.ulysses_sequence_parallel_size": sp}, sp


def _verl_rate(pick: Pick, megatron: bool, recipe: str) -> dict[str, Any]:
    path = ARR + "actor.optim."
    top = pick(RATES)
    values = {path + "lr": top, path + "lr_warmup_steps": pick((-1, -1, 0, 5, 10, 17, 40))}
    if pick((False, False, True)):
        values = {path + "lr": top, path + "lr_warmup_steps_ratio": pick((0.03, 0.1, 0.5))}
    kinds = ("constant", "constant", "cosine", *(("linear",) if megatron else ()))
    kind = "constant" if recipe == "fully_async" else pick(kinds)
    if megatron:
        return values | {path + "lr_decay_style": kind, path + "min_lr": pick((0.0, top / 10))}
    return values | {path + "lr_scheduler_type": kind, path + "min_lr_ratio": pick((0.0, 0.1))}


def _verl_mode(pick: Pick, mode: str, local: int, size: int) -> dict[str, Any]:
    if mode == "sync":
        return {}
    block = f"trainer.v1.{mode}."
    values = {"trainer.v1.trainer_mode": mode, block + "num_warmup_batches": pick((0, 1, 1, 2, 0.5))}
    if mode == "separate_async":
        values |= {
            block + "parameter_sync_step": local,
            ARR + "hybrid_engine": pick((False, False, True)),
            ARR + "rollout.nnodes": 1,
            ARR + "rollout.n_gpus_per_node": size,
            ARR + "rollout.checkpoint_engine.backend": "nccl",
        }
    return values


def _verl_recipe(pick: Pick, recipe: str, local: int, size: int) -> dict[str, Any]:
    if not recipe:
        return {}
    values = {"rollout.nnodes": 1, "rollout.n_gpus_per_node": size}
    if recipe == "fully_async":
        values |= {
            "async_training.trigger_parameter_sync_step": local,
            "async_training.require_batches": pick((1, 1, 2)),
            "async_training.staleness_threshold": pick((0, 0.1, 0.5, 1)),
            "rollout.total_rollout_steps": pick((5120, 51200)),
        }
    return values


def trinity(pick: Pick) -> Case:
    """Forms A and B, offsets, all sync styles, limits by explore steps, train steps and epochs."""
    nodes, size = pick(CLUSTERS)
    megatron = pick((False, False, True))
    rank = pick((1, 1, 2))
    tp = pick((1, 1, 2))
    total = nodes * size
    trainers = [w for w in range(rank, total, rank) if (total - w) % tp == 0 and (w <= size or w % size == 0)]
    if not trainers:
        rank, tp, trainers = 1, 1, [1]
    gpus = pick(trainers)
    n, local, ranks = pick(GROUPS), pick(UPDATES), gpus // rank
    form_b = pick((False, True))
    if form_b and pick((False, True)):  # updates need not hold whole prompts
        update = ranks * pick((2, 3, 4, 8, 16))
        prompts = update * local // gcd(update * local, n)
        local = prompts * n // update
    else:
        mini = _multiple(n, ranks) * pick((1, 2, 3, 4, 8))
        update, prompts = mini * n, mini * local
    flat = {
        "algorithm.repeat_times": n,
        "buffer.train_batch_size": update,
        "cluster.node_num": nodes,
        "cluster.gpu_per_node": size,
        "explorer.rollout_model.engine_num": (total - gpus) // tp,
        "explorer.rollout_model.tensor_parallel_size": tp,
        "trainer.trainer_strategy": "megatron" if megatron else "fsdp2",
        ("trainer.megatron.tensor_model_parallel_size" if megatron else "trainer.ulysses_sequence_parallel_size"): rank,
        "trainer.trainer_config.actor_rollout_ref.actor.ppo_epochs": pick((1, 1, 1, 2)),
        **_trinity_batch(form_b, prompts, local),
        **_trinity_sync(pick, 1 if form_b else local, local),
        **_trinity_length(pick, 1 if form_b else local, local),
        **_trinity_rate(pick, megatron, local),
    }
    flat["explorer.eval_interval"] = pick((1, 5, 20, 100, *(k * (1 if form_b else local) for k in (1, 3, 10))))
    flat["trainer.save_interval"] = pick((0, 1, 40, 100, *(k * local for k in (1, 5, 20))))
    dropped = ("buffer.total_steps", "trainer.total_steps", "synchronizer.sync_interval")
    base = {key: value for key, value in BASES["trinity"][0].flat.items() if key not in dropped}
    return Case("trinity", "0.6.0", "", flat, base, max(pick(ROWS), prompts))


def _trinity_batch(form_b: bool, prompts: int, local: int) -> dict[str, Any]:
    if form_b:
        pair = {"synchronizer.explorer_sync_interval": 1, "synchronizer.trainer_sync_interval": local}
        return {"buffer.batch_size": prompts, **pair}
    return {"buffer.batch_size": prompts // local, "synchronizer.sync_interval": local}


def _trinity_sync(pick: Pick, explores: int, trains: int) -> dict[str, Any]:
    style = pick(("fixed",) * 6 + ("explorer_driven", "trainer_driven", "fully_async"))
    values: dict[str, Any] = {"synchronizer.sync_style": style}
    if style == "fully_async" and pick((True, True, False)):
        oldest = {"algorithm.sample_strategy_args.max_staleness": pick((0, 1, 3, trains - 1, 2 * trains - 1))}
        return values | {"algorithm.sample_strategy": "staleness_control"} | oldest
    return values | {"synchronizer.sync_offset": pick((0, 0, 0, 1, explores, 2 * explores))}


def _trinity_length(pick: Pick, explores: int, trains: int) -> dict[str, Any]:
    periods, report = pick(LENGTHS), pick(("both", "both", "explore", "train", "epochs"))
    values: dict[str, Any] = {"buffer.total_epochs": pick((1, 3, 15))}
    if report in ("both", "explore"):
        values["buffer.total_steps"] = periods * explores
    if report in ("both", "train"):
        values["trainer.total_steps"] = periods * trains + pick((0,) * 9 + (1,))
    return values


def _trinity_rate(pick: Pick, megatron: bool, trains: int) -> dict[str, Any]:
    prefix = "algorithm.optimizer."
    values: dict[str, Any] = {
        prefix + "lr": pick(RATES),
        prefix + "lr_warmup_steps": pick((-1, -1, 5, 10, 40, trains, 10 * trains)),
    }
    if pick((False, False, True)):
        values = {prefix + "lr": pick(RATES), prefix + "lr_warmup_steps_ratio": pick((0.03, 0.1, 0.5))}
    kinds = ("constant", "constant", "cosine", *(("linear",) if megatron else ()))
    return values | {prefix + "lr_scheduler_type": pick(kinds), prefix + "min_lr_ratio": pick((0.0, 0.01, 0.1))}


def roll(pick: Pick) -> Case:
    """FSDP2 and Megatron, shared and disjoint devices, ratios, slower weight updates."""
    megatron = pick((False, False, True))
    rank, gpus = pick((1, 1, 2)), pick((2, 4, 8, 8, 16, 24))
    ranks, n = gpus // rank, pick(GROUPS)
    micro, steps, local = pick((1, 2, 4)), pick((1, 2, 4, 5, 16)), pick(UPDATES)
    update = micro * steps * ranks
    prompts = update * local // gcd(update * local, n)
    prompts *= _multiple(prompts, ranks) if megatron else 1  # ROLL's Megatron counts prompts (H10)
    train, separate = "actor_train.", pick((False, False, True))
    engines = pick((2, 4, 8)) if separate else gpus
    config, ref = train + "strategy_args.", "reference.strategy_args."
    start = gpus if separate else 0
    flat = {
        "rollout_batch_size": prompts,
        "num_return_sequences_in_group": n,
        "ppo_epochs": pick((1, 1, 1, 2)),
        "max_steps": pick(LENGTHS),
        "save_steps": pick((1, 3, 5, 10, 20, 50, 1_000_000)),
        "eval_steps": pick((1, 3, 5, 10, 20, 50, 1_000_000)),
        "async_generation_ratio": pick((0, 0, 0, 1, 2, 1.5)),
        train + "model_update_frequency": pick((1, 1, 1, 1, 2, 3)),
        train + "training_args.per_device_train_batch_size": micro,
        train + "training_args.gradient_accumulation_steps": steps,
        train + "device_mapping": f"list(range(0,{gpus}))",
        "reference.device_mapping": f"list(range(0,{gpus}))",
        "actor_infer.device_mapping": f"list(range({start},{start + engines}))",
        "actor_infer.strategy_args.strategy_config.tensor_parallel_size": pick((1, 2)),
        config + "strategy_name": "megatron_train" if megatron else "fsdp2_train",
        ref + "strategy_name": "megatron_infer" if megatron else "fsdp2_infer",
        **_roll_rate(pick),
    }
    sizes = "strategy_config.tensor_model_parallel_size"
    flat |= {config + sizes: rank, ref + sizes: rank} if megatron else {train + "model_args.ulysses_size": rank}
    return Case("roll", pick(("0.3.0", "0.3.0", "0.2.1")), "rlvr", flat, BASES["roll"][0].flat, pick(ROWS))


def _roll_rate(pick: Pick) -> dict[str, Any]:
    prefix = "actor_train.training_args."
    kind = pick(("constant", "constant_with_warmup", "constant_with_warmup", "cosine", "linear"))
    warm = {prefix + "warmup_steps": pick((0, 0, 5, 10, 40)), prefix + "warmup_ratio": pick((0.0, 0.0, 0.03, 0.1))}
    return {prefix + "learning_rate": pick(RATES), prefix + "lr_scheduler_type": kind, **warm}


def chatlearn(pick: Pick) -> Case:
    """FSDP and Megatron, shared and separate GPUs, slower weight updates."""
    megatron = pick((False, False, True))
    rank, gpus = pick((1, 1, 2)), pick((2, 4, 8, 8, 16, 24))
    ranks, n, local = gpus // rank, pick(GROUPS), pick(UPDATES)
    update = ranks * pick((1, 2, 4, 5, 16))
    samples = update * local
    samples *= _multiple(samples, n)
    separate = pick((False, False, True))
    engines = pick((2, 4, 8)) if separate else gpus
    args, trainer = "runtime_args.", "models.policy_trainer."
    top = pick(RATES)
    flat = {
        args + "colocation": ["policy_trainer", "ref_policy", *([] if separate else ["policy"])],
        args + "sample_per_episode": samples,
        args + "train_global_batch_size": update,
        args + "train_micro_batch_size": 1,
        trainer + "train_micro_batch_size": 1,
        trainer + "generation_batch_size": 1,
        "models.ref_policy.generation_batch_size": 1,
        args + "num_inference_per_prompt": n,
        "models.policy.num_inference_per_prompt": n,
        args + "num_training_epoch": pick((1, 1, 1, 2)),
        args + "num_episode": pick(LENGTHS),
        args + "save_episode_interval": pick((1, 3, 5, 20, 1000)),
        args + "eval_episode_interval": pick((0, 1, 5, 20)),
        "models.policy.sync_frequency": pick((1, 1, 1, 1, 2, 3)),
        "models.policy.tensor_model_parallel_size": pick((1, 2)),
        trainer + "num_gpu": gpus,
        "models.ref_policy.num_gpu": gpus,
        "models.policy.num_gpu": engines,
        trainer + "optimizer.lr": top,
    }
    for model in (trainer, "models.ref_policy."):
        flat[model + ("tensor_model_parallel_size" if megatron else "ulysses_sequence_parallel_size")] = rank
    if megatron:
        flat[trainer + "optimizer.min_lr"] = pick((top, top, 0.0))
    name = "megatron" if megatron else "fsdp"
    base = next(b for b in BASES["chatlearn"] if b.trainer == name).flat
    return Case("chatlearn", pick(("2025.10.23", "2025.10.23", "1.2.0")), name, flat, base, pick(ROWS))


DRAWS: Mapping[str, Callable[[Pick], Case]] = {
    "verl": verl,
    "trinity": trinity,
    "roll": roll,
    "chatlearn": chatlearn,
    "trl": trl.draw,
    "openrlhf": openrlhf.draw,
    "nemo_rl": nemo_rl.draw,
}
