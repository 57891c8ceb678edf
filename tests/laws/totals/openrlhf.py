"""OpenRLHF's runs for the law of totals: a draw, the figures from its own flags and what train_ppo_ray asserts, by hand from its code."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from math import ceil
from typing import Any

from tests.laws.flip_bases_openrlhf import GROUPS
from tests.laws.totals.case import Case, Keys, Pick
from tests.laws.totals.figures import Figures, Rate


def _typed(keys: Keys) -> Keys:
    """The words of a command line as argparse makes numbers of them."""
    return replace(keys, flat={key: _number(value) for key, value in keys.flat.items()})


def _number(value: Any) -> Any:
    for kind in (int, float):
        with suppress(ValueError):
            return kind(value) if isinstance(value, str) else value
    return value


def _seen(keys: Keys) -> int:
    """Rows of an episode (ppo_trainer.py: prepare_datasets)."""
    return int(min(keys.rows, keys.get("data.max_samples", otherwise=100_000_000)))


def account(keys: Keys) -> Figures:
    """One step is a rollout and its updates; the last one of an episode takes the rows that are left."""
    keys = _typed(keys)
    get = keys.get
    prompts, n = get("rollout.batch_size", otherwise=1024), get("rollout.n_samples_per_prompt", otherwise=1)
    update, passes = get("train.batch_size", otherwise=128), get("train.max_epochs", otherwise=1)
    episodes = get("train.num_episodes", otherwise=1)
    on = get("train.async_enable", otherwise=False)
    return Figures(
        prompts=Fraction(prompts),
        responses=n,
        update=Fraction(update),
        passes=passes,
        rollouts=ceil(Fraction(_seen(keys), prompts)) * episodes,
        rate=_rate(keys, Fraction(passes * prompts * n, update)),
        ahead=Fraction(get("train.async_queue_size", otherwise=1)) if on else Fraction(0),
        save=_period(get("ckpt.save_steps", otherwise=-1)),
        evaluate=_period(get("eval.steps", otherwise=-1)),
    )


def _period(steps: int) -> Fraction | None:
    return None if steps == -1 else Fraction(steps)


def _rate(keys: Keys, updates: Fraction) -> Rate:
    """The scheduler ticks with every update, over floor(rows x answers / update) x episodes x passes."""
    get = keys.get
    total = (
        _seen(keys) * get("rollout.n_samples_per_prompt", otherwise=1) // get("train.batch_size", otherwise=128)
        * get("train.num_episodes", otherwise=1) * get("train.max_epochs", otherwise=1)
    )  # fmt: skip
    kind, top = get("actor.lr_scheduler", otherwise="cosine_with_min_lr"), get("actor.adam.lr", otherwise=1e-6)
    warm = (
        ceil(total * get("actor.lr_warmup_ratio", otherwise=0.03)) / updates
    )  # in floats (deepspeed.py: _ds_init_train_model)
    if kind == "constant":
        return Rate("constant", top)
    if kind == "constant_with_warmup":
        return Rate("constant", top, warm)
    floored = kind == "cosine_with_min_lr"
    floor = top * get("actor.min_lr_ratio", otherwise=0.1) if floored else 0.0
    return Rate("cosine" if floored else kind, top, warm, total / updates, floor)


def rules(keys: Keys) -> Iterator[str]:
    """Ranks share an update and take it in whole passes, models that share GPUs are alike, engines take all of them."""
    get = _typed(keys).get
    gpus = get("actor.num_nodes", otherwise=1) * get("actor.num_gpus_per_node", otherwise=8)
    rank = get("ds.ring_attn_size", otherwise=1) * get("ds.tensor_parallel_size", otherwise=1)
    update, micro = get("train.batch_size", otherwise=128), get("train.micro_batch_size", otherwise=1)
    dynamic = get("train.dynamic_batch_enable", otherwise=False)
    if gpus % rank or update % (gpus // rank):
        yield f"G {update} % ({gpus} GPUs / {rank})"
    elif not dynamic and (update // (gpus // rank)) % micro:
        yield f"{update} over {gpus // rank} ranks % {micro}"
    engines = get("vllm.num_engines", otherwise=0) * get("vllm.tensor_parallel_size", otherwise=1)
    shared = get("train.colocate_all", otherwise=False) and not get("train.async_enable", otherwise=False)
    if shared and engines != gpus:
        yield f"{engines} GPUs of engines, {gpus} of the trainer"


def draw(pick: Pick) -> Case:
    """One node or several, engines that share or run ahead, each schedule, several passes; whole rollouts an episode."""
    nodes, size, n, micro = pick((1, 1, 2)), pick((2, 4, 8, 8)), pick((2, 4, 8)), pick((1, 2, 4))
    gpus, accumulates, times = nodes * size, pick((1, 2, 4)), pick((1, 1, 2, 4))
    update = gpus * micro * accumulates * (n if gpus * micro * accumulates % n else 1)
    prompts = times * update // n
    tp = pick([tp for tp in (1, 2, 4) if tp <= size])
    flat: dict[str, Any] = {
        **{f"{role}.num_nodes": nodes for role in ("actor", "ref")},
        **{f"{role}.num_gpus_per_node": size for role in ("actor", "ref")},
        "vllm.num_engines": gpus // tp,
        "vllm.tensor_parallel_size": tp,
        "rollout.batch_size": prompts,
        "rollout.n_samples_per_prompt": n,
        "train.batch_size": update,
        "train.micro_batch_size": micro,
        "train.max_epochs": pick((1, 1, 1, 2)),
        "train.num_episodes": pick((1, 2, 3)),
        "data.max_samples": prompts * pick((1, 7, 20, 50)),
        "actor.adam.lr": pick((1e-6, 2e-6, 5e-7)),
        "actor.lr_scheduler": pick(("constant", "constant_with_warmup", "cosine_with_min_lr", "linear")),
        "actor.lr_warmup_ratio": pick((0.0, 0.05, 0.1)),
        "ckpt.save_steps": pick((-1, 1, 5, 20)),
        "eval.steps": pick((-1, 1, 5, 20)),
        "eval.dataset": "org/test",
        "train.async_enable": pick((False, False, False, True)),
    }
    return Case("openrlhf", pick(("0.11.2", "0.11.2", "0.10.4")), "", flat, GROUPS, 40000)
