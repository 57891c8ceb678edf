"""Is a refusal right? By brute force over what the target asserts, from the source's own keys."""

from __future__ import annotations

import re
from fractions import Fraction

from tests.laws.totals import nemo_rl
from tests.laws.totals.accounts import ACCOUNTS, ARR, roll_ranks
from tests.laws.totals.case import Case
from tests.laws.totals.trips import Outcome, keys_of


def unfounded(outcome: Outcome) -> str:
    """The refusal, where nothing in the run justifies it; empty where something does or nothing was refused."""
    text, case = outcome.refused, outcome.case
    if not text:
        return ""
    own = ACCOUNTS[case.framework](keys_of(case.release, case.trainer, case.whole, case.rows))
    if "(H7)" in text or "no whole number of updates of" in text:
        right = own.sequences % own.update != 0
    elif "(H10)" in text:
        right = own.prompts % _ranks(case) != 0
    elif "incomplete batches" in text or "makes no whole step" in text:
        right = case.rows < own.prompts
    elif "form B" in text:
        right = own.update % own.responses != 0 or own.prompts * own.responses % own.update != 0
    elif "no split" in text or "(H9)" in text or "(H22)" in text:
        right = not _splits(case, own.update)
    elif "have no equal shares of it" in text:
        right = own.update % int(text.split(", and ")[1].split()[0]) != 0
    elif "gives them whole nodes" in text:
        engines, nodes, size = map(int, re.findall(r"\d+", text)[:3])
        right = engines % size != 0 or engines >= nodes * size
    elif "asks for 2 at least" in text:
        right = own.responses < 2
    elif "would mix generations" in text:
        right = own.sequences % own.update != 0 and (own.update % own.sequences != 0 or own.passes > 1)
    elif "no part of" in text:
        right = not _shared(case, own.update, own.sequences)
    else:
        right = False
    return "" if right else f"{case.framework} -> {outcome.to} refused without a reason: {text}"


def _value(case: Case, *keys: str, otherwise: int = 1) -> int:
    return next((int(case.whole[key]) for key in keys if case.whole.get(key) is not None), otherwise)


def _rank(case: Case) -> int:
    """GPUs of one data-parallel rank."""
    if case.framework == "roll":
        return int(
            Fraction(_trainer_gpus(case)) / roll_ranks(keys_of(case.release, case.trainer, case.whole, case.rows))
        )
    if case.framework == "nemo_rl":
        return nemo_rl.rank(keys_of(case.release, case.trainer, case.whole, case.rows))
    if case.framework == "verl":
        block = ARR + "actor.megatron."
        tp, pp = (_value(case, f"{block}{kind}_model_parallel_size") for kind in ("tensor", "pipeline"))
        return (
            tp * pp if case.trainer.endswith("megatron") else _value(case, ARR + "actor.ulysses_sequence_parallel_size")
        )
    prefix = "models.policy_trainer."
    megatron = case.trainer == "megatron" or case.whole.get("trainer.trainer_strategy") == "megatron"
    if case.framework == "chatlearn":
        return _value(case, prefix + ("tensor_model_parallel_size" if megatron else "ulysses_sequence_parallel_size"))
    own = "trainer.megatron.tensor_model_parallel_size" if megatron else "trainer.ulysses_sequence_parallel_size"
    return _value(case, own)


def _trainer_gpus(case: Case) -> int:
    if case.framework == "roll":
        return int(str(case.whole["actor_train.device_mapping"]).split(",")[1].removesuffix("))"))
    if case.framework == "chatlearn":
        return _value(case, "models.policy_trainer.num_gpu")
    if case.framework == "nemo_rl":
        return nemo_rl.gpus(keys_of(case.release, case.trainer, case.whole, case.rows))[0]
    if case.framework == "verl":
        return _value(case, "trainer.nnodes") * _value(case, "trainer.n_gpus_per_node")
    engines = _value(case, "explorer.rollout_model.engine_num") * _value(
        case, "explorer.rollout_model.tensor_parallel_size"
    )
    return _value(case, "cluster.node_num") * _value(case, "cluster.gpu_per_node") - engines


def _ranks(case: Case) -> Fraction:
    return Fraction(_trainer_gpus(case), _rank(case))


def _splits(case: Case, update: Fraction) -> bool:
    """True when Trinity could start on some split of the source's GPUs between engines and trainer (H9, H22)."""
    engine = _value(
        case, ARR + "rollout.tensor_model_parallel_size", "models.policy.tensor_model_parallel_size",
        "actor_infer.strategy_args.strategy_config.tensor_parallel_size",
    )  # fmt: skip
    gpus, rank = _trainer_gpus(case), _rank(case)
    size = _value(case, "trainer.n_gpus_per_node") if case.framework == "verl" else 8
    separate = _apart(case)
    total = gpus + separate
    if case.framework != "verl" and (total < size or (case.framework == "chatlearn" and total % size)):
        size = total
    total = -(-total // size) * size
    values = [separate] if separate and gpus + separate == total else range(engine, total, engine)
    lefts = [total - engines for engines in values if engines % engine == 0]
    return any(
        remaining > 0
        and (remaining <= size or remaining % size == 0)
        and remaining % rank == 0
        and update % (remaining // rank) == 0
        for remaining in lefts
    )


def _shared(case: Case, update: Fraction, sequences: Fraction) -> bool:
    """True when veRL could start on some of a Trinity run's GPUs, engines and trainer in turns (G % D, B*n % GPUs)."""
    nodes, size = _value(case, "cluster.node_num"), _value(case, "cluster.gpu_per_node")
    engine, rank = _value(case, "explorer.rollout_model.tensor_parallel_size"), _rank(case)
    numbers = [*range(1, size + 1), *range(2 * size, nodes * size + 1, size)]
    whole = [gpus for gpus in numbers if gpus % rank == 0 and gpus % engine == 0]
    return any(update % (gpus // rank) == 0 and sequences % gpus == 0 for gpus in whole)


def _apart(case: Case) -> int:
    """GPUs that only engines have."""
    if case.framework == "roll":
        first, last = (
            str(case.whole["actor_infer.device_mapping"]).removeprefix("list(range(").removesuffix("))").split(",")
        )
        return int(last) - int(first) if int(first) else 0
    if case.framework == "nemo_rl":
        return nemo_rl.gpus(keys_of(case.release, case.trainer, case.whole, case.rows))[1]
    if case.framework == "chatlearn":
        return 0 if "policy" in case.whole["runtime_args.colocation"] else _value(case, "models.policy.num_gpu")
    own = _value(case, "rollout.nnodes", otherwise=0) * _value(case, "rollout.n_gpus_per_node", otherwise=0)
    separate = case.whole.get("trainer.v1.trainer_mode") == "separate_async"
    return own or (_value(case, ARR + "rollout.n_gpus_per_node") if separate else 0)
