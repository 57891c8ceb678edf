"""veRL's SFT programs: keys that only make sense together."""

from __future__ import annotations

from typing import Any

from rftconf.base.ledger import State
from rftconf.base.symbols import Expr
from rftconf.mappers.context import ReadContext, WriteContext
from rftconf.mappers.copies import Copies
from rftconf.mappers.files import files_of, read_files, say_what_files_lack
from rftconf.mappers.precedence import StarterOption
from rftconf.mappers.products import AllGpus
from rftconf.mappers.rows import Fold
from rftconf.mappers.schedules import WarmupShare
from rftconf.mappers.shapes import Pair, carry, leave_open, settle, settle_known, take, together
from rftconf.mappers.statements import Question
from rftconf.mappers.verl.folds_data import LISTS, SAMPLE_LIMITS
from rftconf.mappers.verl.folds_schedule import from_ratio, periods, write_warmup
from rftconf.mappers.verl.needs import PADS_BY_DEFAULT, Unpadded
from rftconf.plan.origin import Kind
from rftconf.plan.units import Unit

D = "stage.data."
NODES, GPUS = "trainer.nnodes", "trainer.n_gpus_per_node"
EVERY_GPU = AllGpus((NODES, GPUS), "nodes x GPUs")


POOL = together(
    StarterOption(NODES, "cluster.nodes", "nnodes"),
    StarterOption(GPUS, "cluster.gpus_per_node", "nproc_per_node"),
    EVERY_GPU,
    why="sft_trainer_ray: RayResourcePool; torchrun for the others",
)
"""torchrun's options win (a process is a GPU), else the keys that sft_trainer_ray reads."""


def _files(r: ReadContext, key: str) -> list[Any]:
    files = r.native(key)
    return files if isinstance(files, list) else [] if files is None else [files]


def read_data(r: ReadContext) -> None:
    """One data set per file; one order for all of them."""
    for key, listed in LISTS:
        read_files(r, key, D + listed)
    r.set(D + "mixing", "concat", "data.train_files")
    r.set(D + "shuffle", True, kind=Kind.DEFAULT, how="DistributedSampler(shuffle=True), always")
    r.set(D + "seed", 0, kind=Kind.DEFAULT, how="the sampler's own seed")


def write_data(w: WriteContext) -> None:
    """Write lists of files."""
    for key, listed in LISTS:
        files = files_of(w, D + listed)
        if all(value in (None, "") for value in files.values):
            if listed == "train":
                leave_open(w, key, "the source names no data", *files.paths)
            elif w.same_framework is False and not w.since("0.6.0"):
                how = "there is no evaluation set, and this program opens a file"
                w.put(key, w.out["data.train_files"].value, always=True, how=how)
            continue
        files.put(w, key, files.short(w))
        say_what_files_lack(w, D + listed, "veRL")
    _write_order(w)


def _write_order(w: WriteContext) -> None:
    shuffled = w.plan(D + "shuffle") is not False
    settle(w, D + "shuffle", shuffled, "veRL's SFT shuffles every epoch, always (H52)")
    if not shuffled:
        w.note("the source reads its samples in order; veRL's SFT shuffles every epoch, always (H52)")
    settle_known(w, D + "seed", w.plan(D + "seed") == 0, "the sampler's seed is 0, always")
    w.lose(D + "mixing", State.DEFAULT, "files are concatenated")


FILES = together(
    Fold(tuple(key for key, _ in LISTS),
         (*(f"{D}{s}[].{f}" for _, s in LISTS for f in ("uri", "split", "subset", "storage")), D + "mixing", D + "shuffle", D + "seed"),
         read_data, write_data, "the files"),
    *SAMPLE_LIMITS,
    why="sft_trainer: _build_dataset, DistributedSampler",
)  # fmt: skip

CHAT = (("data.messages_key", "keys.messages"), ("data.tools_key", "keys.tools"))


def read_chat(r: ReadContext) -> None:
    """The engine's program reads chat messages only, and trains on every answer."""
    for index in range(len(_files(r, "data.train_files"))):
        prefix = f"{D}train[{index}]."
        for column, field in CHAT:
            take(r, column, prefix + field)
        r.set(prefix + "prompt_type", "messages", kind=Kind.DEFAULT, how="MultiTurnSFTDataset")
        r.set(prefix + "trained_turns", "all", kind=Kind.DEFAULT, how="MultiTurnSFTDataset: every answer")


def write_chat(w: WriteContext) -> None:
    """One name a column for all files."""
    prefix = f"{D}train[0]."
    if w.plan(prefix + "prompt_type") not in ("messages", None):
        why = f"veRL's SFT reads chat messages from one column; the source's rows are {w.plan(prefix + 'prompt_type')}"
        choices = ("convert the rows to a column of messages", "or a data set class of your own (data.custom_cls)")
        w.decide("data.messages_key", why, *choices)
        w.lose(prefix + "prompt_type", State.NARROWED, why)
    else:
        w.lose(prefix + "prompt_type", State.DEFAULT, "chat messages")
    for column, field in CHAT:
        carry(w, column, prefix + field)
    _write_turns(w, "all", "veRL's SFT trains on every answer of a conversation; the same where there is one")


def _write_turns(w: WriteContext, mine: str, note: str) -> None:
    path = f"{D}train[0].trained_turns"
    settle_known(w, path, w.plan(path) == mine, note)


def _fields(*names: str) -> tuple[str, ...]:
    return tuple(f"{D}train[].{name}" for name in names)


CHATS = Fold(tuple(key for key, _ in CHAT), _fields("keys.messages", "keys.tools", "prompt_type", "trained_turns"), read_chat, write_chat,
             "multiturn_sft_dataset: MultiTurnSFTDataset")  # fmt: skip

OLD_CHAT = {"keys.messages": "data.multiturn.messages_key", "keys.tools": "data.multiturn.tools_key"}
OLD_PAIR = {"keys.prompt": "data.prompt_key", "keys.response": "data.response_key"}


def read_old_columns(r: ReadContext) -> None:
    """The FSDP program: a question and an answer column, or messages where multiturn.enable says so."""
    many = r.native("data.multiturn.enable", False) is True
    live, asleep = (OLD_CHAT, OLD_PAIR) if many else (OLD_PAIR, OLD_CHAT)
    r.inactive.update(dict.fromkeys(asleep.values(), f"data.multiturn.enable is {many}: other columns are read"))
    for index in range(len(_files(r, "data.train_files"))):
        prefix = f"{D}train[{index}]."
        for field, column in live.items():
            take(r, column, prefix + field)
        r.set(prefix + "prompt_type", "messages" if many else "plaintext", "data.multiturn.enable")
        r.set(prefix + "trained_turns", "all" if many else "last", "data.multiturn.enable")


def write_old_columns(w: WriteContext) -> None:
    """A pair of columns for plain text, multiturn for messages."""
    prefix = f"{D}train[0]."
    many = w.plan(prefix + "prompt_type") != "plaintext"
    w.put("data.multiturn.enable", many, prefix + "prompt_type", state=State.DERIVED, always=True)
    for field, column in (OLD_CHAT if many else OLD_PAIR).items():
        carry(w, column, prefix + field, always=True)
    note = "this program trains on every answer of a conversation; the same where there is one"
    _write_turns(w, "all" if many else "last", note)


OLD_COLUMNS = Fold((*OLD_CHAT.values(), *OLD_PAIR.values(), "data.multiturn.enable"),
                   _fields(*OLD_CHAT, *OLD_PAIR, "prompt_type", "trained_turns"), read_old_columns, write_old_columns,
                   "fsdp_sft_trainer: create_sft_dataset")  # fmt: skip

LONGEST = Pair("data.max_length", "stage.length.model_max_tokens", always=True)
SAMPLE_LENGTH = together(
    LONGEST,
    # the default of 1024 would stop the run at the first longer sample
    Question(
        LONGEST.key,
        LONGEST.path,
        "the source has no limit; longer samples than this stop the run (data.truncation=error)",
        ("the longest sample in tokens",),
    ),
    why="MultiTurnSFTDataset, SFTDataset",
)
"""The longest sample; data.truncation says what becomes of longer ones."""

WARMUP, RATIO, STEPS = "stage.optim.actor.warmup_updates", "optim.lr_warmup_steps_ratio", "optim.lr_warmup_steps"


def read_warmup(r: ReadContext) -> None:
    """Steps win where they are positive, else a share of the run."""
    ticks = r.native(STEPS, -1)
    if isinstance(ticks, Expr) or (ticks is not None and ticks > 0):
        r.inactive[RATIO] = f"{STEPS} is set and wins"
        r.set(WARMUP, r.convert(ticks, Unit.LR_TICKS, Unit.UPDATES), STEPS)
    else:
        r.set(WARMUP, from_ratio(r, r.native(RATIO, 0.0)), RATIO)


def write_warmup_steps(w: WriteContext) -> None:
    """Write the warm-up, where one scheduler tick is one update."""
    write_warmup(w, WARMUP, STEPS, RATIO)
    if w.backend == "megatron" and w.plan("stage.optim.actor.min_lr") is not None:
        w.lose("stage.optim.actor.min_lr_ratio", State.DERIVED, "Megatron takes the lowest rate as a number: min_lr")


WARMUPS = Fold((STEPS, RATIO), (WARMUP,), read_warmup, write_warmup_steps, "fsdp/transformer_impl: one tick an update")


SHARES = together(
    WarmupShare(
        RATIO, WARMUP, periods, up=False, default=0.1, idle={STEPS: "this program takes the share of the run only"}
    ),
    natives=(STEPS,),
    why="fsdp_sft_trainer: int(total_steps * lr_warmup_steps_ratio)",
)

OFFLOAD = together(
    Copies(("model.fsdp_config.cpu_offload", "model.fsdp_config.offload_params"), "stage.placement.actor.offload.param", every=True),
    why="fsdp_sft_trainer: CPUOffload",
)  # fmt: skip
"""Parameters wait in host memory where both switches are on."""


UNPADDED = together(Unpadded("actor", "use_remove_padding"), why="fsdp_sft_trainer: Ulysses splits packed sequences")
PACKED = together(
    Unpadded("actor", "model.use_remove_padding", PADS_BY_DEFAULT), why="sft_trainer: Ulysses splits packed sequences"
)
