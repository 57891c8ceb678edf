"""Supervised runs: the trainer alone, on samples that it reads itself (`mode: train`, `algorithm_type: sft`)."""

from __future__ import annotations

from collections.abc import Mapping

from rftconf.base.ledger import State
from rftconf.base.record import record
from rftconf.base.symbols import Expr, formula
from rftconf.mappers.context import ReadContext, WriteContext
from rftconf.mappers.files import cost_of_folder, folder_of_file
from rftconf.mappers.products import AllGpus
from rftconf.mappers.shapes import Behaves, carry, leave_open, together
from rftconf.mappers.switches import Switch
from rftconf.mappers.trinity.algorithms import arguments
from rftconf.mappers.trinity.folds import refuse_uneven_world
from rftconf.mappers.trinity.folds_data import write_selector
from rftconf.mappers.trinity.folds_loss import micro_batches
from rftconf.mappers.trinity.unread_arguments import leave_unread
from rftconf.plan.origin import Kind

D, A = "stage.data.", "stage.algorithm."
DATA = "buffer.trainer_input.experience_buffer."
AT = D + "train[0]."
PLACE = {"path": "uri", "split": "split", "subset_name": "subset", "storage_type": "storage", "name": "name"}
COLUMNS = {
    "prompt_key": "keys.prompt", "response_key": "keys.response", "messages_key": "keys.messages",
    "tools_key": "keys.tools", "image_key": "keys.image", "video_key": "keys.video",
    "system_prompt_key": "keys.system", "system_prompt": "system_prompt", "prompt_type": "prompt_type",
}  # fmt: skip
OF_MESSAGES = ("keys.messages", "keys.tools", "keys.image", "keys.video", "prompt_type")
OF_TEXT = ("keys.prompt", "keys.response", *OF_MESSAGES[1:4], "keys.system", "system_prompt", "prompt_type")
CHECKED = (
    "trainer.trainer_config.actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu",
    "trainer.trainer_config.actor_rollout_ref.ref.log_prob_micro_batch_size_per_gpu",
)
SAMPLES = "stage.batch.sequences_per_update"
EVERY_GPU = AllGpus(("cluster.node_num", "cluster.gpu_per_node"), "all GPUs train")


def read_update(r: ReadContext) -> None:
    """Samples of one update, and the GPUs, all of which train."""
    size = r.native("buffer.train_batch_size", 0)
    r.set(SAMPLES, None if not isinstance(size, Expr) and not size else size, "buffer.train_batch_size")
    EVERY_GPU.read(r)
    limits = [r.native(f"model.max_{part}_tokens") for part in ("prompt", "response")]
    if r.plan("stage.length.model_max_tokens") is None and None not in limits:
        keys, whole = ("model.max_prompt_tokens", "model.max_response_tokens"), sum(limits[1:], limits[0])
        r.set("stage.length.model_max_tokens", whole, *keys, kind=Kind.DERIVED, how="prompt + response")


def write_update(w: WriteContext) -> None:
    """Write the update size in samples; this mode requires the key."""
    size = w.plan(SAMPLES)
    value = "???" if size is None else size
    state = State.UNRESOLVED if size is None else State.EXACT
    refuse_uneven_world(w, value)
    w.put("buffer.train_batch_size", value, SAMPLES, state=state, always=True)
    EVERY_GPU.write(w)
    micro = w.plan("stage.batch.micro.sequences_per_rank")
    if w.plan("stage.batch.micro.dynamic") is False and micro is not None and not w.same_framework:
        for key in CHECKED:
            how = "checked without dynamic batches, though a supervised run does not use it"
            w.put(key, micro, always=True, how=how)
    if w.plan("stage.length.model_max_tokens") is not None and not w.same_framework:
        w.note("Trinity does not cut or drop samples longer than model.max_model_len: filter the file")


def read_place(r: ReadContext, prefix: str) -> None:
    """Read the place of the data set."""
    for key, field in PLACE.items():
        value = r.native(DATA + key, {"split": "train"}.get(key))
        r.set(prefix + field, value or None, DATA + key)


def read_columns(
    r: ReadContext, prefix: str, columns: Mapping[str, str], by_kind: Mapping[str, tuple[str, ...]]
) -> None:
    """Columns that rows of the data set's kind are read by."""
    kind = r.native(DATA + "format.prompt_type", "messages")
    listed = by_kind["plaintext" if kind == "plaintext" else "messages"]
    for key, field in columns.items():
        name = f"{DATA}format.{key}"
        if field in listed:
            r.set(prefix + field, r.native(name) or None, name)
        else:
            r.inactive[name] = f"rows of prompt_type {formula(kind)} are not read by this column"


def read_order(r: ReadContext, prefix: str) -> None:
    """Read whether samples are taken from front to back, or shuffled."""
    selector = r.native(DATA + "data_selector.selector_type", "sequential")
    r.set(D + "shuffle", selector == "shuffle", DATA + "data_selector.selector_type")
    seed = r.native(DATA + "data_selector.seed", 42) if selector == "shuffle" else None
    r.set(D + "seed", seed, DATA + "data_selector.seed")
    if selector not in ("shuffle", "sequential", None):
        r.set(prefix + "selector", selector, DATA + "data_selector.selector_type")


def write_place(w: WriteContext, prefix: str, columns: Mapping[str, str]) -> None:
    """Place, columns and order of the one data set that the trainer reads."""
    count = w.items(D + "train")
    if not w.plan(prefix + "uri"):
        leave_open(w, DATA + "path", "the source names no data", prefix + "uri")
    else:
        _write_place(w, prefix)
    for index in range(1, count):
        note = "Trinity's trainer reads one data set: put the rows of all files into it"
        for path in [p for p in w.values if p.startswith(f"{D}train[{index}].")]:
            w.lose(path, State.NO_COUNTERPART, note)
    w.put(DATA + "name", w.plan(prefix + "name") or "samples", prefix + "name", always=True)
    w.put(DATA + "storage_type", w.plan(prefix + "storage") or "file", prefix + "storage", always=True)
    for key, field in columns.items():
        carry(w, f"{DATA}format.{key}", prefix + field, always=True)
    write_selector(w, DATA, prefix)


def _write_place(w: WriteContext, prefix: str) -> None:
    uri, split = w.plan(prefix + "uri"), w.plan(prefix + "split")
    folder = folder_of_file(uri) if split is None else None
    if folder is None:
        w.put(DATA + "path", uri, prefix + "uri", always=True)
        if split is not None:
            w.put(DATA + "split", split, prefix + "split")
        elif not w.same_framework:
            why = "Trinity loads a folder or a hub data set by `datasets.load_dataset(path, split=)`, not one file"
            w.decide(DATA + "path", why, "name a folder that holds the file", "name a hub data set")
        return
    cost = {**cost_of_folder(folder, "Trinity"), "state": State.DERIVED}
    w.put(DATA + "path", folder.path, prefix + "uri", always=True, **cost)
    w.put(DATA + "split", folder.split, prefix + "uri", state=State.DERIVED, always=True, how="from the file's name")


@record
class Samples:
    """The one data set that the trainer reads, with its `columns` by the kind of its rows."""

    columns: Mapping[str, str]
    by_kind: Mapping[str, tuple[str, ...]]

    @property
    def natives(self) -> tuple[str, ...]:
        """The keys of its place and order, and of its columns."""
        order = (DATA + "data_selector.selector_type", DATA + "data_selector.seed")
        return (*(DATA + key for key in PLACE), *order, *(f"{DATA}format.{key}" for key in self.columns))

    @property
    def plans(self) -> tuple[str, ...]:
        """The fields of the first data set, and the order of the data."""
        fields = (*PLACE.values(), "selector", *self.columns.values())
        return (*(AT + field for field in fields), D + "shuffle", D + "seed")

    def read(self, r: ReadContext) -> None:
        """Read place, columns and order."""
        read_place(r, AT)
        read_columns(r, AT, self.columns, self.by_kind)
        read_order(r, AT)

    def write(self, w: WriteContext) -> None:
        """Write the place of the first data set."""
        write_place(w, AT, self.columns)


TURNS = Switch(
    DATA + "format.enable_concatenated_multi_turn",
    AT + "trained_turns",
    "all",
    "last",
    unsaid="the last answer alone is trained on, as by default",
    how="every answer of a conversation is trained on",
)
DATA_SET = together(
    Samples(COLUMNS, {"plaintext": OF_TEXT, "messages": OF_MESSAGES}),
    TURNS,
    why="buffer/reader/file_reader: ExperienceFileReader; SFTFormatter",
)


ADDS = "Trinity averages per micro-batch and adds the averages up: the gradient grows with their number (H25)"
SCOPE = Behaves(
    A + "loss_norm_scope",
    micro_batches,
    "per micro-batch",
    lambda c: ADDS if c.since("0.6.0") else "Trinity averages per micro-batch, then over those (H26)",
    as_here="as Trinity does",
)


def read_loss(r: ReadContext) -> None:
    """Negative log-likelihood of the answers, averaged as loss_agg_mode says (H34)."""
    leave_unread(r)
    common = "algorithm.loss_agg_mode"
    own = arguments(r, "policy_loss_fn").get("loss_agg_mode")
    agg = own or ("token-mean" if r.written("algorithm.policy_loss_fn_args") else r.native(common, "token-mean"))
    key = "algorithm.policy_loss_fn_args.loss_agg_mode"
    r.set(A + "loss_agg", "sum-over-len" if agg == "seq-mean-token-sum-norm" else agg, *((key,) if own else (common,)))
    SCOPE.read(r)


def write_loss(w: WriteContext) -> None:
    """The loss of sft averages over tokens unless told otherwise."""
    agg = w.plan(A + "loss_agg")
    if agg is not None:
        w.put("algorithm.loss_agg_mode", "seq-mean-token-sum-norm" if agg == "sum-over-len" else agg, A + "loss_agg")
    SCOPE.write(w)
