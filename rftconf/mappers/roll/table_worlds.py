"""ROLL's table for runs that only play environments: `start_agentic_rollout_pipeline.py`, engines and worlds, nothing that trains."""

from __future__ import annotations

from dataclasses import replace

from rftconf.base.ledger import State
from rftconf.mappers.context import ReadContext, When, WriteContext
from rftconf.mappers.roll import folds_environments, folds_lengths, table_eval
from rftconf.mappers.roll.folds_environments import ENGINE, WORLDS
from rftconf.mappers.roll.reasons import REASONS, SECRETS
from rftconf.mappers.roll.table import ENVIRONMENTS
from rftconf.mappers.rows import Fold, Reason, cannot
from rftconf.mappers.shapes import Behaves, Pair, Where, carry, take, together
from rftconf.mappers.statements import Noted

P, SAMPLING = table_eval.P, "stage.sampling.eval."
FIELDS = ("temperature", "top_p", "top_k", "repetition_penalty")
GROUP = folds_environments.MANAGER + "group_size"


KIND = Behaves(
    table_eval.KIND,
    "eval",
    "start_agentic_rollout_pipeline.py trains nothing",
    as_here="start it with examples/start_agentic_rollout_pipeline.py",
    same=State.DERIVED,
)
"""The program that starts it says it, not the file; or no GPU is there for a trained role."""
LOADED = Pair(table_eval.LOAD, table_eval.FORMAT, always=True)
LOADS = When(lambda c: c.effective(LOADED.key) not in (None, "dummy"), "nothing passes weights to the engines")
RANDOM = f"{LOADED.key}: its default, dummy, plays with random weights: nothing passes weights to the engines"


def _read_sampling(r: ReadContext) -> None:
    """Read how a turn is drawn, and how often each start is played."""
    section = folds_environments.section(r)
    for field in FIELDS:
        own = r.native(section + field)
        r.set(SAMPLING + field, r.native(ENGINE + field) if own is None else own, section + field)
        if section == ENGINE:
            r.inactive[WORLDS + field] = "actor_infer.generating_args is put in its place"
    take(r, GROUP, SAMPLING + "responses")


def _write_sampling(w: WriteContext) -> None:
    for field in FIELDS:
        carry(w, ENGINE + field, SAMPLING + field, always=True)
    carry(w, GROUP, SAMPLING + "responses")


RETAKEN = ("num_gpus_per_node", "seed")
"""Folds of RLVR's rollout pipeline that hold here too, by a key."""
FOLDS = (
    together(KIND, why="agentic_rollout_pipeline: run"),
    Fold((*(s + f for s in (ENGINE, WORLDS) for f in FIELDS), GROUP), tuple(SAMPLING + f for f in (*FIELDS, "responses")),
         _read_sampling, _write_sampling, "agentic_config: generating_args, final_group_size"),
    together(Where(LOADS, LOADED, Noted(lambda _: True, RANDOM), written=LOADED), why="vllm_strategy: load_format"),
    *(fold for fold in table_eval.FOLDS if any(key in fold.natives for key in RETAKEN)),
    folds_lengths.LENGTHS_FOLD,
    ENVIRONMENTS,
)  # fmt: skip


OWN = (
    Reason("max_steps", State.EXTENSION, "batches of episodes that are played; an evaluation elsewhere goes through its set once"),
    Reason("rollout_batch_size", State.EXTENSION, "episodes of a batch; an evaluation elsewhere goes through its set once"),
    Reason("train_env_manager.max_traj_per_env", State.EXTENSION, "episodes that one environment plays in a batch"),
    *(Reason(key, State.DEAD_IN_SOURCE, "the rollout pipeline plays the environments of train_env_manager alone")
      for key in ("val_env_manager*", "val_batch_size")),
    Reason("actor_train.data_args*", State.DEAD_IN_SOURCE, "the agentic pipeline plays environments and reads no data"),
    *(Reason(key, State.DEAD_IN_SOURCE, "the rollout pipeline neither trains nor samples for training")
      for key in ("reward_normalization*", "ratio_type", "batch_adjust_mode", "episode_reward_weight", "step_reward_*", "use_token_reward")),
)  # fmt: skip
LIVE = ("actor_infer.generating_args*", "rollout_batch_size")
"""What sleeps in RLVR's rollout pipeline and counts here."""

ROLL_WORLDS = replace(
    table_eval.ROLL_ROLLOUTS,
    rows=table_eval.rows_of(FOLDS),
    cannot=(
        cannot("stage.data.domains*", why="the agentic pipeline has environments by tag, no domains"),
        cannot("stage.data.eval*", why="the agentic pipeline plays environments and reads no data"),
        *table_eval.ROLL_ROLLOUTS.cannot,
    ),
    reasons=(*SECRETS, *OWN, *(r for r in table_eval.ASLEEP if r.keys not in LIVE), *REASONS),
    questions=lambda _: [],
    trainers=("agentic",),
    owners={},
)
