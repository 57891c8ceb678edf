"""veRL's tables for runs of the training program that do not train: `trainer.val_only`, and the generation server."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from rftconf.base.ledger import State
from rftconf.mappers.context import ReadContext, WriteContext
from rftconf.mappers.files import file_of_split
from rftconf.mappers.products import AllGpus
from rftconf.mappers.rows import Fold, Reason, Row, cannot
from rftconf.mappers.shapes import Pair, settle_known, take, together
from rftconf.mappers.statements import Means, Noted, Stated
from rftconf.mappers.verl.reasons import REASONS
from rftconf.mappers.verl.table import VERL
from rftconf.plan.kinds import counts_for_evaluation
from rftconf.plan.origin import Kind

D, KIND, ENGINES = "stage.data.eval", "stage.kind", "stage.placement.rollout.gpus"
ONLY, BEFORE, FILES = "trainer.val_only", "trainer.val_before_train", "data.val_files"
POOL = (("trainer.nnodes", "cluster.nodes"), ("trainer.n_gpus_per_node", "cluster.gpus_per_node"))


EVALUATION = together(
    Means(KIND, "eval", {ONLY: True, BEFORE: True}, {BEFORE: "val_only stops after the validation before training"}),
    Noted(
        lambda r: r.native(BEFORE, True) is False,
        "trainer.val_only without trainer.val_before_train evaluates nothing and trains",
    ),
    Stated(
        "actor_rollout_ref.actor.use_dynamic_bsz",
        True,
        "the trainer's micro-batches are checked although nothing trains",
    ),
    why="trainer.fit: returns after the first validation",
)


POOLED = together(
    *(Pair(key, path, always=True) for key, path in POOL),
    AllGpus(
        ("trainer.nnodes", "trainer.n_gpus_per_node"), "nnodes x n_gpus_per_node", ENGINES, told=True,
        here="engines on all GPUs of the pool",
    ),
    why="main_ppo: resource pool",
)  # fmt: skip


def _read_data(r: ReadContext) -> None:
    files = r.native(FILES)
    for index, uri in enumerate(files if isinstance(files, list) else [] if files is None else [files]):
        prefix = f"{D}[{index}]."
        r.set(prefix + "uri", uri, FILES)
        r.set(prefix + "storage", "file", FILES)
        take(r, "data.prompt_key", prefix + "keys.prompt")


def _write_data(w: WriteContext) -> None:
    count = w.items(D)
    files = [file_of_split(w, f"{D}[{i}].") for i in range(count)]
    if not files:
        return
    value: Any = files[0].value if count == 1 and not w.same_framework else [f.value for f in files]
    paths = [p for i in range(count) for f in ("uri", "split", "storage") if w.plan(p := f"{D}[{i}].{f}") is not None]
    state = max((f.state for f in files), key=list(State).index)
    note = "; ".join(dict.fromkeys(f.note for f in files if f.note))
    w.put(FILES, value, *paths, state=state, note=note, always=True, chosen=any(f.chosen for f in files))
    w.put("data.train_files", value, always=True, how="veRL opens a training file even if it only evaluates")
    _write_columns(w, count)


def _holds_chats(w: WriteContext, prefix: str) -> bool:
    """Somebody named a column of chat messages, or there is no other."""
    chats, texts = prefix + "keys.messages", prefix + "keys.prompt"
    if w.plan(chats) is None or w.plan(prefix + "prompt_type") == "plaintext":
        return False
    named = [path in w.origins and w.origins[path].kind is Kind.WRITTEN for path in (chats, texts)]
    return w.plan(texts) is None or named == [True, False]


def _write_columns(w: WriteContext, count: int) -> None:
    """One column for all files: of chat messages where the rows hold such, else of prompts."""
    prefixes = [f"{D}[{i}]." for i in range(count)]
    keys = [prefix + ("keys.messages" if _holds_chats(w, prefix) else "keys.prompt") for prefix in prefixes]
    columns = {w.plan(key) for key in keys} - {None}
    if columns:
        lost = "" if len(columns) == 1 else "veRL has one prompt column for all files; wrote the first"
        first = w.plan(keys[0])
        w.put("data.prompt_key", first, *keys, note=lost, always=True)
    for prefix in prefixes:
        for field in ("keys.prompt", "keys.messages"):
            if prefix + field not in keys and w.plan(prefix + field) is not None:
                w.lose(prefix + field, State.DEAD_IN_TARGET, "veRL reads one column of prompts")
        kind = w.plan(prefix + "prompt_type")
        other = "veRL reads chat messages: prepare the rows so"
        settle_known(w, prefix + "prompt_type", kind != "plaintext", "as veRL does", other)


FIELDS = ("uri", "split", "storage", "prompt_type", "keys.prompt", "keys.messages")
DATA = Fold((FILES, "data.prompt_key"), tuple(f"{D}[].{f}" for f in FIELDS), _read_data, _write_data, "rl_dataset")
FOLDS = (EVALUATION, POOLED, DATA)
TAKEN = ("stage.sampling.eval.temperature", "identity.checkpoint_root", "stage.reward.function_path")
"""Folds of the training table that an evaluation reads as well, by one of their fields."""


def _rows() -> tuple[Row | Fold, ...]:
    rows = [r for r in VERL.rows if isinstance(r, Row) and counts_for_evaluation(r.plan)]
    folds = [r for r in VERL.rows if isinstance(r, Fold) and any(path in r.plans for path in TAKEN)]
    owned = {path for fold in FOLDS for path in fold.plans}
    parts = [replace(f, plans=tuple(p for p in f.plans if counts_for_evaluation(p))) for f in folds]
    return (*(r for r in rows if r.plan not in owned), *FOLDS, *parts)


NOT_TRAINED = "a run that only evaluates neither trains nor samples for training"
ASLEEP = tuple(
    Reason(key, State.DEAD_IN_SOURCE, NOT_TRAINED)
    for key in ("actor_rollout_ref.actor*", "actor_rollout_ref.ref*", "critic*", "model_engine", "algorithm*", "data.train_*", "data.shuffle",
                "data.seed", "data.gen_batch_size", "trainer.save_freq", "trainer.test_freq", "trainer.total_*",
                "trainer.critic_warmup", "trainer.balance_batch", "trainer.max_*", "trainer.use_v1", "trainer.v1*",
                "actor_rollout_ref.hybrid_engine", "actor_rollout_ref.rollout.n", "actor_rollout_ref.rollout.t*p*",
                "actor_rollout_ref.rollout.top_k", "actor_rollout_ref.rollout.log_prob_*", "actor_rollout_ref.rollout.ignore_eos",
                "actor_rollout_ref.rollout.checkpoint_engine*", "actor_rollout_ref.model.*", "async_training*", "rollout.*",
                "data.dataloader_num_workers", "actor_rollout_ref.rollout.*")
)  # fmt: skip
ALSO_VALIDATES = tuple(
    Reason(key, State.NO_COUNTERPART, why)
    for why, keys in (
        ("main_ppo.create_rl_dataset makes both data sets by it: it acts on what is evaluated as well",
         ("data.filter_overlong_prompts", "data.image_key", "data.video_key", "data.custom_cls*")),
        ("it bounds the rows that are evaluated", ("data.val_max_samples",)),
        ("a reward model scores the answers of validation as well", ("reward.reward_model*",)),
    )
    for key in keys
)  # fmt: skip
"""Keys that an evaluation reads although its plan has no field for them; the training table has one."""

VERL_EVAL_ONLY = replace(
    VERL,
    rows=_rows(),
    cannot=(
        *(c for c in VERL.cannot if c.plan.startswith("stage.data.environments")),
        cannot("stage.data.domains*", why="rewards are Python code, one function for all files: choose by data_source in a compute_score"),
        *(c for c in VERL.cannot if c.plan in ("identity.group", "identity.logger_args", "identity.log_level", "stage.name",
          "stage.length.response_min_tokens", "stage.placement.rollout.extra", "stage.placement.rollout.runners_per_engine",
          "stage.placement.rollout.max_*", "stage.sampling.*.repetition_penalty", "stage.sampling.eval.ignore_eos",
          "stage.data.*[].name", "stage.data.*[].keys.*", "stage.data.*[].sampling.*", "stage.model.rope_*")),
        cannot("stage.data.eval[].workflow*", why="veRL has no workflows; a multi-turn run needs an agent loop"),
        cannot("stage.data.eval[].reward*", why="rewards are Python code: write a compute_score and name it in reward.custom_reward_function"),
        cannot("stage.*", why=NOT_TRAINED),
    ),
    reasons=(*REASONS[:4], *ALSO_VALIDATES, *ASLEEP, *REASONS),
    kinds=("eval",),
    asleep_by={NOT_TRAINED: ONLY},
    dialect=None,
    owners={},
)  # fmt: skip
VERL_SERVER = replace(
    VERL,
    stays="main_generation_server writes answers beside the prompts of a file and scores nothing; what generates elsewhere scores as well",
    owners={},
)
