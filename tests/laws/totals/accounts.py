"""The figures of a run from a framework's own keys, by hand from the frameworks' code: no row and no codec of rftconf is used.

Defaults are those of the frameworks' code. `Keys` are flat keys under their newest names.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from math import ceil
from sys import maxsize
from typing import Any

from tests.laws.totals import nemo_rl, openrlhf, trl
from tests.laws.totals.case import Keys
from tests.laws.totals.figures import Figures, Rate

NEVER = 1_000_000
"""Trinity and ROLL have no "never": so many periods stand for it."""
ARR = "actor_rollout_ref."
WORDS = {
    "constant_with_warmup": "constant",
    "inverse_square_root": "inv_sqrt",
    "inverse_sqrt": "inv_sqrt",
}


def _off(value: Any) -> Fraction | None:
    """Intervals of -1 and 0 mean never."""
    return None if value is None or value <= 0 else Fraction(value)


def verl(keys: Keys) -> Figures:
    """Rows 1.1-1.6, 2.1-2.7, 5.6-5.9, 10.1-10.5, 15.1-15.3."""
    get, recipe = keys.get, keys.trainer.removesuffix("_megatron")
    mode = get("trainer.v1.trainer_mode", otherwise="sync") if keys.release >= (0, 9) else "sync"
    block = f"trainer.v1.{mode}."
    steps = get(block + "parameter_sync_step", otherwise=4 if mode == "separate_async" else 1)
    local = steps if keys.release >= (0, 9) and recipe not in ("fully_async", "one_step_off") else 1
    mini, n = get(ARR + "actor.ppo_mini_batch_size", otherwise=256), get(ARR + "rollout.n", otherwise=1)
    prompts = get("data.train_batch_size", otherwise=1024)
    ahead = Fraction(0) if mode == "sync" else Fraction(get(block + "num_warmup_batches", otherwise=1))
    if recipe == "one_step_off":
        ahead = Fraction(1)
    if recipe == "fully_async":
        calls = get("async_training.trigger_parameter_sync_step", otherwise=4)
        prompts = calls * get("async_training.require_batches", otherwise=1) * mini
        ahead, local = Fraction(get("async_training.staleness_threshold", otherwise=0.1)), calls
    rollouts, horizon = _verl_length(keys, prompts, streams=recipe == "fully_async")
    return Figures(
        prompts=Fraction(prompts),
        responses=n,
        update=Fraction(mini * n),
        passes=get(ARR + "actor.ppo_epochs", otherwise=1),
        rollouts=rollouts,
        rate=_verl_rate(keys, local, horizon, 1 if recipe == "fully_async" else local),
        ahead=ahead,
        save=_off(get("trainer.save_freq")),
        evaluate=_off(get("trainer.test_freq")),
    )


def _verl_length(keys: Keys, prompts: int, *, streams: bool) -> tuple[int, int]:
    """Periods that are run, and the periods over which the learning rate decays (H68)."""
    epochs = keys.get("trainer.total_epochs", otherwise=30)
    if streams:
        length = min(keys.get("rollout.total_rollout_steps", otherwise=maxsize), keys.rows * epochs) // prompts
        return length, length
    bound, request = keys.rows // prompts * epochs, keys.get("trainer.total_training_steps")
    return (bound, bound) if request is None else (min(request, bound), request)


def _verl_rate(keys: Keys, local: int, horizon: int, planned: int) -> Rate:
    """One tick per local update (H44, H62); a share is one of `planned` ticks a period, 1 in the streaming program."""
    path, megatron = ARR + "actor.optim.", keys.trainer.endswith("megatron")
    steps = keys.get(path + "lr_warmup_steps", otherwise=-1)
    share = keys.get(path + "lr_warmup_steps_ratio", otherwise=0.0)
    zero_counts = keys.release < (0, 8) and not megatron
    own = keys.get(path + "lr_decay_steps") if megatron else None  # megatron_utils: before total_training_steps
    ticks = steps if steps > 0 or (steps == 0 and zero_counts) else int(share * (own or horizon * planned))
    top = keys.get(path + "lr", otherwise=1e-6)
    if megatron:
        kind, floor = keys.get(path + "lr_decay_style", otherwise="constant"), keys.get(path + "min_lr", otherwise=0.0)
    else:
        kind = keys.get(path + "lr_scheduler_type", path + "warmup_style", otherwise="constant")
        floor = keys.get(path + "min_lr_ratio", otherwise=0.0) * top
    length = Fraction(horizon) if own is None else Fraction(own, local)
    return Rate(WORDS.get(kind, kind), top, Fraction(ticks, local), length, floor)


def trinity(keys: Keys) -> Figures:
    """Rows 1.1-1.6, 2.1-2.7, 5.6-5.9, 10.1-10.5; forms A and B."""
    get = keys.get
    explored, n = get("buffer.batch_size", otherwise=1), get("algorithm.repeat_times", otherwise=1)
    pair = get("synchronizer.sync_interval", otherwise=1)
    explores = get("synchronizer.explorer_sync_interval", otherwise=0) or pair
    trains = get("synchronizer.trainer_sync_interval", otherwise=0) or pair
    update = get("buffer.train_batch_size", otherwise=0) or explored * n
    total, limit = get("trainer.total_steps"), get("buffer.total_steps")
    ends = [Fraction(steps, each) for steps, each in ((limit, explores), (total, trains)) if steps is not None]
    whole = get("buffer.total_epochs", otherwise=1) * keys.rows // (explored * explores)
    ends += [Fraction(whole)] if limit is None else []  # the explorer's reader asks no limit but its own
    evaluates = any(key.startswith("buffer.explorer_input.eval_tasksets") for key in keys.flat)
    evaluate = get("explorer.eval_interval", otherwise=100) if evaluates else NEVER * explores
    periods = max(1, evaluate // explores)
    return Figures(
        prompts=Fraction(explored * explores),
        responses=n,
        update=Fraction(update),
        passes=get("trainer.trainer_config.actor_rollout_ref.actor.ppo_epochs", otherwise=1),
        rollouts=ceil(min(ends)),
        rate=_trinity_rate(keys, trains),
        ahead=_trinity_ahead(keys, explores, trains),
        save=None if not (save := get("trainer.save_interval", otherwise=0)) else Fraction(save, trains),
        evaluate=None if periods >= NEVER else Fraction(periods),
    )


def _trinity_ahead(keys: Keys, explores: int, trains: int) -> Fraction | None:
    if keys.get("synchronizer.sync_style") != "fully_async":
        return Fraction(keys.get("synchronizer.sync_offset", otherwise=0), explores)
    if keys.get("algorithm.sample_strategy") != "staleness_control":
        return None
    oldest = keys.get("algorithm.sample_strategy_args.max_staleness", otherwise=0)
    return max(Fraction(0), Fraction(oldest + 1, trains) - 1)


def _trinity_rate(keys: Keys, trains: int) -> Rate:
    """One tick per train step; a share of sys.maxsize steps without trainer.total_steps (H45)."""
    prefix = "algorithm.optimizer."
    total = keys.get("trainer.total_steps")
    steps = keys.get(prefix + "lr_warmup_steps", otherwise=-1)
    share = keys.get(prefix + "lr_warmup_steps_ratio", otherwise=0.0)
    ticks = steps if steps > 0 else int(share * (maxsize if total is None else total))
    kind, top = keys.get(prefix + "lr_scheduler_type", otherwise="constant"), keys.get(prefix + "lr", otherwise=1e-6)
    floor = top * keys.get(prefix + "min_lr_ratio", otherwise=0.01)
    horizon = None if total is None else Fraction(total, trains)
    return Rate(WORDS.get(kind, kind), top, Fraction(ticks, trains), horizon, floor)


def _devices(text: str) -> int:
    """GPUs of `list(range(a,b))`."""
    match = re.fullmatch(r"list\(range\((\d+), ?(\d+)\)\)", text)
    assert match is not None, text
    return int(match[2]) - int(match[1])


def roll_ranks(keys: Keys) -> Fraction:
    """Data-parallel ranks of the trainer."""
    get, train = keys.get, "actor_train."
    config, rank = train + "strategy_args.strategy_config.", 1
    if get(train + "strategy_args.strategy_name") == "megatron_train":
        for kind in ("tensor_model", "pipeline_model", "context"):
            rank *= get(f"{config}{kind}_parallel_size", otherwise=1)
    else:
        rank = get(train + "model_args.ulysses_size", otherwise=1)
    return Fraction(_devices(get(train + "device_mapping")), rank)


def roll(keys: Keys) -> Figures:
    """Rows 1.1-1.6, 2.1-2.2, 5.6-5.9, 10.2-10.5; an update is micro-batch x accumulation x ranks (H4)."""
    get, train, ranks = keys.get, "actor_train.", roll_ranks(keys)
    each = get(train + "training_args.per_device_train_batch_size", otherwise=8)
    each *= get(train + "training_args.gradient_accumulation_steps", otherwise=1)
    prompts, n = get("rollout_batch_size", otherwise=128), get("num_return_sequences_in_group", otherwise=1)
    passes, length = get("ppo_epochs", otherwise=1), get("max_steps", otherwise=500)
    every = get(train + "model_update_frequency", otherwise=1)
    evaluates = get("validation.data_args.file_name")  # `if self.val_dataset and global_step % eval_steps == 0`
    figures = Figures(
        prompts=Fraction(prompts),
        responses=n,
        update=each * ranks,
        passes=passes,
        rollouts=length,
        rate=Rate("constant", 0.0),
        every=every,
        ahead=Fraction(get("async_generation_ratio", otherwise=0)),
        save=_period(get("save_steps", otherwise=50)),
        evaluate=_period(get("eval_steps", otherwise=10)) if evaluates else None,
    )
    horizon = length * prompts * n * passes // each // int(ranks)
    object.__setattr__(figures, "rate", _roll_rate(keys, figures.updates, horizon))
    return figures


def _period(steps: int) -> Fraction | None:
    return None if steps >= NEVER else Fraction(steps)


def _roll_rate(keys: Keys, updates: Fraction, horizon: int) -> Rate:
    """One tick per optimizer update; transformers' plain `constant` never warms up."""
    prefix = "actor_train.training_args."
    kind, steps = (
        keys.get(prefix + "lr_scheduler_type", otherwise="linear"),
        keys.get(prefix + "warmup_steps", otherwise=0),
    )
    ticks = steps if steps > 0 else ceil(horizon * keys.get(prefix + "warmup_ratio", otherwise=0.0))
    fsdp = keys.get("actor_train.strategy_args.strategy_name") != "megatron_train"
    ticks = 0 if kind == "constant" and fsdp else ticks
    top = keys.get(prefix + "learning_rate", otherwise=5e-5)
    return Rate(WORDS.get(kind, kind), top, ticks / updates, horizon / updates)


def chatlearn(keys: Keys) -> Figures:
    """Rows 1.1-1.6, 2.1, 5.6-5.9, 10.2-10.5; everything is counted in samples and episodes."""
    get, args = keys.get, "runtime_args."
    n = get("models.policy.num_inference_per_prompt", otherwise=32)
    prefix = "models.policy_trainer.optimizer."
    top = get(prefix + "lr", otherwise=2e-6)
    rate = Rate("constant", top)
    if (
        keys.trainer == "megatron"
    ):  # train_iters is 1: after the first update, so at every later period, the floor (H47)
        rate = Rate("linear", top, Fraction(0), Fraction(1), get(prefix + "min_lr", otherwise=0.0))
    return Figures(
        prompts=Fraction(get(args + "sample_per_episode"), n),
        responses=n,
        update=Fraction(get(args + "train_global_batch_size")),
        passes=get(args + "num_training_epoch", otherwise=1),
        rollouts=get(args + "num_episode"),
        rate=rate,
        every=get("models.policy.sync_frequency", otherwise=1),
        save=_off(get(args + "save_episode_interval")),
        evaluate=_off(get(args + "eval_episode_interval", otherwise=0)),
    )


ACCOUNTS: Mapping[str, Callable[[Keys], Figures]] = {
    "verl": verl,
    "trinity": trinity,
    "roll": roll,
    "chatlearn": chatlearn,
    "trl": trl.account,
    "openrlhf": openrlhf.account,
    "nemo_rl": nemo_rl.account,
}
