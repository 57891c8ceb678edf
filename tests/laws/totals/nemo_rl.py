"""NeMo-RL's runs for the law of totals: a draw, the figures from its own keys and what its code asserts, by hand from its code."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import prod
from typing import Any

from tests.laws.flip_bases_nemo_rl import GROUPS
from tests.laws.totals.case import Case, Keys, Pick
from tests.laws.totals.figures import Figures, Rate

SCHEDULE = "policy.scheduler"
MODULE = "torch.optim.lr_scheduler."
USUAL: list[dict[str, Any]] = [
    {"name": MODULE + "LinearLR", "kwargs": {"start_factor": 0.1, "total_iters": 50}},
    {"name": MODULE + "ConstantLR", "kwargs": {"factor": 1.0}},
    {"milestones": [50]},
]
"""examples/configs/grpo_math_1B.yaml has these."""


def _megatron(keys: Keys) -> bool:
    return bool(keys.get("policy.megatron_cfg.enabled", otherwise=False))


def _saves(keys: Keys) -> bool:
    return bool(keys.get("checkpointing.enabled", otherwise=True))


def account(keys: Keys) -> Figures:
    """One step is a rollout period with all its updates (grpo.py: grpo_train); the rate ticks once a step."""
    get = keys.get
    prompts, n = get("grpo.num_prompts_per_step", otherwise=32), get("grpo.num_generations_per_prompt", otherwise=16)
    epochs, steps = get("grpo.max_num_epochs", otherwise=1), get("grpo.max_num_steps", otherwise=1_000_000)
    on = get("grpo.async_grpo.enabled", otherwise=False)
    return Figures(
        prompts=Fraction(prompts),
        responses=n,
        update=Fraction(get("policy.train_global_batch_size", otherwise=512)),
        passes=1,
        rollouts=min(steps, keys.rows // prompts * epochs),
        rate=_megatron_rate(keys) if _megatron(keys) else _rate(keys),
        ahead=Fraction(get("grpo.async_grpo.max_trajectory_age_steps", otherwise=1)) if on else Fraction(0),
        save=Fraction(get("checkpointing.save_period", otherwise=10)) if _saves(keys) else None,
        evaluate=Fraction(period) if (period := get("grpo.val_period", otherwise=10)) else None,
    )


def _schedulers(keys: Keys) -> list[dict[str, Any]]:
    """The list as one value, or by the keys of its items."""
    whole = keys.get(SCHEDULE)
    if whole is not None:
        return whole if isinstance(whole, list) else [whole]
    items: dict[int, dict[str, Any]] = {}
    for key, value in keys.flat.items():
        if key.startswith(f"{SCHEDULE}["):
            index, _, name = key.removeprefix(f"{SCHEDULE}[").partition("].")
            item, (first, _, last) = items.setdefault(int(index), {}), name.partition(".")
            if last:
                item.setdefault(first, {})[last] = value
            else:
                item[first] = value
    if items:
        return [items[index] for index in sorted(items)]
    single = {
        key.removeprefix(f"{SCHEDULE}."): value for key, value in keys.flat.items() if key.startswith(f"{SCHEDULE}.")
    }
    arguments = {key.removeprefix("kwargs."): value for key, value in single.items() if key.startswith("kwargs.")}
    return [{"name": single["name"], "kwargs": arguments}] if single else USUAL


def _rate(keys: Keys) -> Rate:
    items = _schedulers(keys)
    last = [item for item in items if "name" in item][-1]
    warm = next((item["milestones"][0] for item in items if item.get("milestones")), 0)
    top = keys.get("policy.optimizer.kwargs.lr", otherwise=5e-6)
    arguments = last.get("kwargs") or {}
    match last["name"].removeprefix(MODULE):
        case "CosineAnnealingLR":
            return Rate(
                "cosine", top, Fraction(warm), Fraction(warm + arguments["T_max"]), arguments.get("eta_min", 0.0)
            )
        case "LinearLR":
            end = arguments.get("end_factor", 1.0)
            return Rate("linear", top, Fraction(warm), Fraction(warm + arguments["total_iters"]), end * top)
    return Rate("constant", top, Fraction(warm))


def _megatron_rate(keys: Keys) -> Rate:
    block = "policy.megatron_cfg."
    top, kind = (
        keys.get(block + "optimizer.lr", otherwise=5e-6),
        keys.get(block + "scheduler.lr_decay_style", otherwise="constant"),
    )
    warm = Fraction(keys.get(block + "scheduler.lr_warmup_iters", otherwise=13))
    if kind == "constant":
        return Rate("constant", top, warm)
    least = keys.get(block + "optimizer.min_lr", otherwise=5e-7)
    return Rate(kind, top, warm, Fraction(keys.get(block + "scheduler.lr_decay_iters", otherwise=1000)), least)


def rules(keys: Keys) -> Iterator[str]:
    """A step is a whole number of updates, ranks share an update, engines have whole parts of the cluster."""
    get = keys.get
    prompts, n = get("grpo.num_prompts_per_step", otherwise=32), get("grpo.num_generations_per_prompt", otherwise=16)
    update = get("policy.train_global_batch_size", otherwise=512)
    if prompts * n % update:
        yield f"{prompts} x {n} sequences a step % {update}"
    trainer, size = gpus(keys)[0], rank(keys)
    if trainer <= 0 or trainer % size or update % (trainer // size):
        yield f"{update} over {trainer} GPUs / {size}"


def rank(keys: Keys) -> int:
    """GPUs of one data-parallel rank (lm_policy.py: Policy.__init__)."""
    names = ("tensor_model", "pipeline_model", "context") if _megatron(keys) else ("tensor", "context")
    block = "policy.megatron_cfg" if _megatron(keys) else "policy.dtensor_cfg"
    return prod(keys.get(f"{block}.{name}_parallel_size", otherwise=1) for name in names)


def gpus(keys: Keys) -> tuple[int, int]:
    """GPUs that train, and those that only engines have (grpo.py: setup)."""
    get, part = keys.get, "policy.generation.colocated.resources."
    shared = get("policy.generation.colocated.enabled", otherwise=True)
    engines = 0 if shared else get(part + "gpus_per_node", otherwise=0) * get(part + "num_nodes", otherwise=1)
    return get("cluster.num_nodes", otherwise=1) * get("cluster.gpus_per_node", otherwise=1) - engines, engines


def draw(pick: Pick) -> Case:
    """One node or several, engines that share or have a part, each trainer and schedule, whole updates a step."""
    nodes, size, n, micro = pick((1, 1, 2)), pick((2, 4, 8, 8)), pick((2, 4, 8)), pick((1, 2, 4))
    separate = pick((False, False, True))
    ahead = separate and pick((True, False))
    engines = (size // 2 if nodes == 1 else size) if separate else 0
    gpus = nodes * size - engines
    update = gpus * micro * pick((1, 2, 4))
    update *= n if update % n else 1
    prompts = pick((1, 1, 2, 4)) * update // n
    megatron = pick((False, False, True))
    warm, total = pick((0, 4, 10)), pick((20, 60, 100))
    least = pick((0.0, 1e-7))
    flat: dict[str, Any] = {
        "cluster.num_nodes": nodes,
        "cluster.gpus_per_node": size,
        "policy.generation.colocated.enabled": not separate,
        **({"policy.generation.colocated.resources.gpus_per_node": engines} if separate else {}),
        **({"policy.generation.colocated.resources.num_nodes": 1} if separate and nodes > 1 else {}),
        "grpo.async_grpo.enabled": ahead,
        "loss_fn.use_importance_sampling_correction": ahead,
        "policy.generation.vllm_cfg.async_engine": ahead,
        "grpo.num_prompts_per_step": prompts,
        "grpo.num_generations_per_prompt": n,
        "policy.train_global_batch_size": update,
        "policy.train_micro_batch_size": micro,
        "grpo.max_num_steps": total,
        "grpo.max_num_epochs": pick((10, 20)),
        "checkpointing.save_period": pick((1, 5, 20)),
        "grpo.val_period": pick((0, 1, 5, 20)),
    }
    return Case(
        "nemo_rl",
        pick(("0.7.0", "0.7.0", "0.6.0")),
        "",
        flat | _rate_keys(pick, megatron, warm, total, least),
        GROUPS,
        40000,
    )


def _rate_keys(pick: Pick, megatron: bool, warm: int, total: int, least: float) -> dict[str, Any]:
    """A schedule as either trainer has it."""
    kind = pick(("constant", "cosine"))
    if megatron:
        block = "policy.megatron_cfg."
        return {
            "policy.dtensor_cfg.enabled": False,
            block + "enabled": True,
            block + "optimizer.lr": 1e-6,
            block + "optimizer.min_lr": least,
            block + "scheduler.lr_decay_style": kind,
            block + "scheduler.lr_warmup_iters": warm,
            block + "scheduler.lr_decay_iters": total,
            block + "scheduler.lr_warmup_init": 0.0,
        }
    last: dict[str, Any] = {"name": MODULE + "ConstantLR", "kwargs": {"factor": 1.0, "total_iters": 10_000_000_000}}
    if kind == "cosine":
        last = {"name": MODULE + "CosineAnnealingLR", "kwargs": {"T_max": total - warm, "eta_min": least}}
    first = {"name": MODULE + "LinearLR", "kwargs": {"start_factor": 1e-8, "end_factor": 1.0, "total_iters": warm}}
    return {
        "policy.optimizer.kwargs.lr": 1e-6,
        SCHEDULE: [first, last, {"milestones": [warm]}] if warm else last,
    }
