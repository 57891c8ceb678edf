"""OpenRLHF's optimizers, trackers, checkpoints, number type, adapters and data."""

from __future__ import annotations

from typing import Any

from rftconf.base.ledger import State
from rftconf.base.symbols import MISSING, Expr, OpenKey, Var, arith, formula
from rftconf.mappers.context import Context, ReadContext, WriteContext
from rftconf.mappers.lora import Adapters
from rftconf.mappers.openrlhf.conditions import CRITIC
from rftconf.mappers.openrlhf.folds_batch import ALL, EPISODES, MOST, ROWS
from rftconf.mappers.rates import rows_of_run
from rftconf.mappers.rows import Fold
from rftconf.mappers.schedules import NamedSchedule, WarmupShare
from rftconf.mappers.shapes import leave_open, lose_known, settle_known, together
from rftconf.mappers.trackers import TrackerKeys
from rftconf.plan.trainer_numbers import number_type

FLOORS = ("cosine_with_min_lr", "cosine_warmup_with_min_lr")
"""Schedules that take a lowest rate (openrlhf/utils/deepspeed/deepspeed.py: _ds_init_train_model)."""


def _updates(c: Context) -> Any:
    """Updates of the whole run: floor(rows x answers / update) x episodes x passes (ppo_trainer.py: prepare_datasets)."""
    episodes, used = c.effective(EPISODES), _rows(c)
    n, update, passes = (
        c.plan(f"stage.batch.{name}") for name in ("responses_per_prompt", "sequences_per_update", "passes")
    )
    if None in (n, update, episodes) or episodes == MISSING:
        return None
    a_pass = arith("//", arith("*", used, n), update)
    return arith("*", arith("*", a_pass, episodes), 1 if passes is None else passes)


def _rows(c: Context) -> Any:
    """Rows that an episode takes: those of the data, cut to the most; as many as that only where the length is written so."""
    rows, most = rows_of_run(c), c.effective(ROWS)
    if isinstance(most, Expr) and c.writes and most != c.plan(MOST):
        return most
    if not isinstance(most, int) or most == ALL:
        return rows
    if isinstance(rows, int):
        return min(rows, most)
    return most if c.writes and most != c.plan(MOST) else rows


def schedule_fold(role: str) -> Fold:
    """One optimizer's schedule: its word, its share of warm-up, and its lowest rate as a share."""
    word, share, least = (f"{role}.{name}" for name in ("lr_scheduler", "lr_warmup_ratio", "min_lr_ratio"))
    return together(
        WarmupShare(share, f"stage.optim.{role}.warmup_updates", _updates, up=True),
        NamedSchedule(word, least, share, role, FLOORS, _updates),
        why="deepspeed.py: get_scheduler over max_steps updates",
        when=CRITIC if role == "critic" else None,
    )


TRACKED, BOARD = "logger.wandb.key", "logger.tensorboard_dir"
LOGGERS = TrackerKeys(
    "OpenRLHF",
    {"wandb": TRACKED, "tensorboard": BOARD},
    values={"wandb": Var("WANDB_API_KEY"), "tensorboard": "tensorboard"},
    how={"wandb": "the key comes from the environment"},
)
DTYPE = "ds.param_dtype"
TYPES = {"bf16": "bfloat16", "fp16": "float16"}
OF_FILES = "auto"
LEFT = "without bf16 weights are computed in the type that the model's files say, which nobody tells here"
COMPUTED = tuple(
    f"stage.placement.{role}.{name}"
    for role in ("actor", "reference", "critic")
    for name in ("model_dtype", "compute_dtype")
)
MEGATRON = "stage.placement.actor.megatron.dtype"


def read_dtypes(r: ReadContext) -> None:
    """One type for every role; DeepSpeed keeps master weights in single precision (bf16 and fp16 blocks of its config).

    Up to 0.9.1 --bf16 is a switch. Without it models are loaded in the type that their files say (torch_dtype="auto"), and
    DeepSpeed, with neither block enabled, leaves them so (runtime/engine.py: _configure_distributed_model).
    """
    word = r.native(DTYPE)
    if word == OF_FILES:
        r.note(f"{DTYPE}: {LEFT}")
        for path in COMPUTED:
            r.set(path, OpenKey(DTYPE), how=LEFT)
        return
    word = TYPES.get(word, word) if isinstance(word, str) else word
    for path in COMPUTED:
        master = path.endswith("model_dtype") and "reference" not in path
        r.set(path, "fp32" if master else word, DTYPE)


def write_dtypes(w: WriteContext) -> None:
    """The type that is computed in; DeepSpeed's master weights are in single precision."""
    path = COMPUTED[1] if w.plan(COMPUTED[1]) is not None else MEGATRON
    word = number_type(w.plan(path))
    native = next((key for key, value in TYPES.items() if value == word), None)
    if isinstance(word, OpenKey) and w.same_framework:
        lose_known(w, State.DERIVED, LEFT, *COMPUTED)
        return
    if word == "fp32":
        note = "OpenRLHF computes in bf16 or fp16 alone"
        w.put(DTYPE, "bf16", path, state=State.NARROWED, note=note)
        word = TYPES["bf16"]
    elif word is not None and native is None:
        leave_open(w, DTYPE, f"OpenRLHF computes in bf16 or fp16, and the source in {formula(word)}", path)
    elif word is not None:
        of_megatron = path == MEGATRON
        note = "Megatron's type of weights is the type that DeepSpeed computes in" if of_megatron else ""
        w.put(DTYPE, native, path, note=note)
    for other in COMPUTED:
        if other != path:
            mine = "fp32" if other.endswith("model_dtype") and "reference" not in other else word
            alike = number_type(w.plan(other)) == number_type(mine)
            why = "DeepSpeed has one type for all, and master weights in single precision"
            settle_known(w, other, alike, "as DeepSpeed has it", why)


RANK = "ds.lora.rank"
ADAPTERS = Adapters(RANK, "ds.lora.alpha", "ds.lora.target_modules", more=("ds.lora.dropout",))
