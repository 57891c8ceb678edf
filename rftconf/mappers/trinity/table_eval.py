"""Trinity's table for benchmarks (`mode: bench`): engines, evaluation sets, nothing that trains."""

from __future__ import annotations

from dataclasses import replace

from rftconf.base.ledger import State
from rftconf.base.symbols import arith, formula
from rftconf.mappers.context import ReadContext, WriteContext
from rftconf.mappers.rows import Each, Fold, Reason, Row, cannot
from rftconf.mappers.trinity import folds_data, folds_model
from rftconf.mappers.trinity.reasons import FILLED, REASONS, SECRETS
from rftconf.mappers.trinity.rows_run import EVAL_TASK_ROWS
from rftconf.mappers.trinity.table import EVALS, TRINITY
from rftconf.plan.kinds import counts_for_evaluation

D, ENGINES, NUMBER = "stage.data.", "stage.placement.rollout.gpus", "explorer.rollout_model.engine_num"


def _read_engines(r: ReadContext) -> None:
    engines = r.native(NUMBER, 1)
    size = 1
    for kind in ("tensor", "data", "pipeline"):
        size = size * (r.native(f"explorer.rollout_model.{kind}_parallel_size", 1) or 1)
    r.set(ENGINES, engines * size, NUMBER, how=f"{formula(engines)} engines of {formula(size)} GPUs")


def _write_engines(w: WriteContext) -> None:
    gpus = w.plan(ENGINES)
    if gpus is None:
        return
    size = 1
    for kind in ("tp", "dp", "pp"):
        size = size * (w.plan(f"stage.placement.rollout.{kind}") or 1)
    how = f"{formula(gpus)} GPUs / {formula(size)} an engine: nothing else needs them"
    w.put(NUMBER, arith("/", gpus, size), ENGINES, state=State.DERIVED, always=True, how=how)
    if not w.same_framework:
        _pass_trainers_checks(w)


def _pass_trainers_checks(w: WriteContext) -> None:
    """Releases before 0.6.0 check the sizes of a trainer that a benchmark does not have, and stop there."""
    nodes, each = w.plan("cluster.nodes"), w.plan("cluster.gpus_per_node")
    if not w.since("0.5.2"):
        how = "nothing trains, but this release wants a batch that all GPUs divide (verl_config)"
        if nodes is not None and each is not None:
            w.put("buffer.batch_size", arith("*", nodes, each), always=True, how=how)
    elif not w.since("0.6.0"):
        how = (
            "nothing trains, but under FSDP this release divides a batch by the trainer's GPUs, of which there are none"
        )
        w.put("trainer.trainer_strategy", "megatron", always=True, how=how)


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
    Fold((NUMBER,), (ENGINES,), _read_engines, _write_engines, "config_validator: _set_gpu_allocation_info"),
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
