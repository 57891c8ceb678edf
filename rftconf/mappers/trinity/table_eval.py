"""Trinity's table for benchmarks (`mode: bench`): engines, evaluation sets, nothing that trains."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from rftconf.base.ledger import State
from rftconf.base.symbols import arith
from rftconf.mappers.context import ReadContext, WriteContext
from rftconf.mappers.products import EnginesOfGpus
from rftconf.mappers.rows import Each, Fold, Reason, Row, cannot
from rftconf.mappers.shapes import together
from rftconf.mappers.statements import Stated
from rftconf.mappers.trinity import folds_data, folds_model
from rftconf.mappers.trinity.reasons import FILLED, REASONS, SECRETS
from rftconf.mappers.trinity.rows_run import EVAL_TASK_ROWS
from rftconf.mappers.trinity.table import EVALS, TRINITY
from rftconf.plan.kinds import counts_for_evaluation

D, ENGINES, NUMBER = "stage.data.", "stage.placement.rollout.gpus", "explorer.rollout_model.engine_num"


def _gpus(w: WriteContext) -> Any:
    nodes, each = w.plan("cluster.nodes"), w.plan("cluster.gpus_per_node")
    return None if nodes is None or each is None else arith("*", nodes, each)


ENGINES_ALONE = together(
    EnginesOfGpus(NUMBER, why=": nothing else needs them"),
    Stated(
        "buffer.batch_size",
        _gpus,
        "nothing trains, but this release wants a batch that all GPUs divide (verl_config)",
        before="0.5.2",
        holds=lambda w: _gpus(w) is not None and w.plan(ENGINES) is not None,
    ),
    Stated(
        "trainer.trainer_strategy",
        "megatron",
        "nothing trains, but under FSDP this release divides a batch by the trainer's GPUs, of which there are none",
        before="0.6.0",
        holds=lambda w: w.since("0.5.2") and w.plan(ENGINES) is not None,
    ),
    why="config_validator: _set_gpu_allocation_info",
)
"""Releases before 0.6.0 check the sizes of a trainer that a benchmark does not have, and stop there."""


def _read_sets(r: ReadContext) -> None:
    folds_data.read_places(r)
    unused = (D + "train", D + "shuffle", D + "seed", D + "mixing", "stage.sampling.train")
    for path in [path for path in r.values if path.startswith(unused)]:
        r.take_back(path)


def _write_sets(w: WriteContext) -> None:
    native, listed = folds_data.LISTS[1]
    for index in range(w.items(D + listed)):
        section, to = f"{native}[{index}].", f"{D}{listed}[{index}]."
        folds_data.write_place(w, section, to, listed, index)
        folds_data.write_eval_sampling(w, section, to)
    if w.items(D + "environments") and not w.items(D + listed):
        how = "the source names no data; Trinity's explorer takes every task from a task set"
        w.put(f"{native}[0].path", "???", always=True, how=how)
        folds_data.write_eval_sampling(w, f"{native}[0].", f"{D}{listed}[0].")


SETS = tuple(
    f"{D}eval[].{f}" for f in ("uri", "split", *(f"sampling.{x}" for x in (*folds_data.SAMPLING, "responses")))
)
FOLDS = (
    replace(folds_model.KIND, natives=("mode",)),
    ENGINES_ALONE,
    Fold(tuple(f"{EVALS}[].{k}" for k in ("path", "split", "repeat_times", *(f"rollout_args.{f}" for f in folds_data.SAMPLING))),
         (*SETS, *(f"stage.sampling.eval.{x}" for x in (*folds_data.SAMPLING, "responses"))),
         _read_sets, _write_sets, "buffer/reader, config_validator: _fill_taskset_config"),
    Each(EVALS, D + "eval", EVAL_TASK_ROWS),
)  # fmt: skip
TAKEN = ("identity.loggers", "stage.placement.rollout.ep")

TRINITY_BENCH = replace(
    TRINITY,
    rows=(
        *(r for r in TRINITY.rows if isinstance(r, Row) and counts_for_evaluation(r.plan)),
        *FOLDS,
        *(r for r in TRINITY.rows if isinstance(r, Fold) and any(path in r.plans for path in TAKEN)),
    ),
    cannot=(
        *(c for c in TRINITY.cannot if c.plan.startswith(("stage.data.environments", "stage.turns"))),
        cannot("stage.data.domains*", why="a data set has one workflow and one reward: split the file by tag and give each part a task set"),
        *(c for c in TRINITY.cannot if c.plan in ("identity.resume_path", "stage.model.tokenizer_path", "stage.placement.rollout.load_format",
          "stage.placement.rollout.extra", "stage.sampling.eval.*", "stage.data.*[].sampling.repetition_penalty",
          "stage.data.*[].sampling.ignore_eos", "stage.reward.function_*", "stage.reward.manager", "stage.reward.manager_args", "stage.name")),
        cannot("stage.data.eval[].*", why="evaluation reads its set from front to back"),
        cannot("stage.data.eval_max_samples", why="cut the file itself: Trinity reads all of it"),
        cannot("stage.*", why="a benchmark neither trains nor samples for training"),
    ),
    reasons=(
        *SECRETS,
        *(Reason(key, State.DEAD_IN_SOURCE, "a benchmark neither trains nor samples for training")
          for key in ("algorithm*", "trainer.*", "synchronizer*", "buffer.batch_size", "buffer.train_batch_size", "buffer.total_*",
                      "buffer.trainer_input*", "buffer.explorer_input.taskset*", "explorer.eval_interval", "explorer.eval_on_startup",
                "explorer.rollout_model.weight_sync_buffer_size",
                      "model.critic_model_path", "model.enable_prompt_truncation")),
        *(Reason(key, State.EXTENSION, why) for key, why in (
            ("model.temperature", "what evaluation sets without a temperature of their own take; the plan keeps the sets' values"),
            ("model.top_p", "what evaluation sets without a top_p of their own take; the plan keeps the sets' values"),
            ("model.repetition_penalty", "what the engine takes for every request of a benchmark"),
            ("explorer.rollout_model.ignore_eos", "whether answers of a benchmark go on behind the end token"),
            ("explorer.auxiliary_models*", "a model that a benchmark's workflow may ask"),
            ("model.lora_configs*", "the adapter that is benchmarked"))),
        Reason("model.enable_thinking", State.NO_COUNTERPART,
               "lets the chat template open a thinking part; set the target's own switch by hand"),
        *FILLED,
        *REASONS,
    ),
    kinds=("eval",),
    owners={},
)  # fmt: skip
