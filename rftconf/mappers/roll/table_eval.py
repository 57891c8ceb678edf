"""ROLL's table for runs that only evaluate: `start_rlvr_rollout_pipeline.py`, engines and reward workers, nothing that trains."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from rftconf.base.ledger import Decision, State
from rftconf.base.record import record
from rftconf.mappers.context import ReadContext, When, WriteContext
from rftconf.mappers.files import files_of, read_files, say_what_files_lack
from rftconf.mappers.placing import Target
from rftconf.mappers.roll import folds_data, folds_domains, folds_lengths, folds_places
from rftconf.mappers.roll.reasons import REASONS, SECRETS
from rftconf.mappers.roll.table import ROLL
from rftconf.mappers.rows import Fold, Reason, Row, cannot, fixed
from rftconf.mappers.shapes import Behaves, OneSided, Pair, Where, carry, leave_open, lose_known, take, together
from rftconf.mappers.statements import Means, Stated
from rftconf.plan.kinds import counts_for_evaluation

D, P = "stage.data.", "stage.placement."
STEPS, KIND, GPUS, SEED = "max_steps", "stage.kind", P + "rollout.gpus", P + "rollout.seed"
ENGINE, CONFIG = "actor_infer.device_mapping", "actor_infer.strategy_args.strategy_config."
LOAD, FORMAT = CONFIG + "load_format", P + "rollout.load_format"
FILES, COLUMNS = "validation.data_args.file_name", "actor_train.data_args."
DRAWN, ANSWERS = "actor_infer.generating_args.num_return_sequences", "validation.generating_args.num_return_sequences"
START = "start it with examples/start_rlvr_rollout_pipeline.py: max_steps 0 trains nothing, and start_rlvr_pipeline.py stops at it"


_NO_STEPS = Means(KIND, "eval", {STEPS: 0}, {STEPS: "trains nothing: start_rlvr_rollout_pipeline.py"})


@record
class Starter(OneSided):
    """No training pipeline starts with 0 steps, so a person reads which program does."""

    def write(self, w: WriteContext) -> None:
        """Note which program starts the evaluation."""
        own = w.facts.source
        w.note(START if own is None or own.value(STEPS) == 0 else START.partition(":")[0])


EVALUATION = together(
    Where(
        When(lambda c: not c.writes and c.native(STEPS) == 0, "the file has another number of steps"),
        _NO_STEPS,
        Behaves(KIND, "eval", "start_rlvr_rollout_pipeline.py trains nothing", idle=(STEPS,),
                idle_why="the rollout pipeline answers its validation data once"),
        written=_NO_STEPS,
    ),
    Starter(),
    Stated(DRAWN, 1, "the section must be there: RLVRConfig writes into it"),
    Stated("global_template", "native", "the tokenizer's own; this release looks nowhere else", before="0.2.1"),
    why="rlvr_rollout_pipeline: run; rlvr_pipeline asserts max_steps > 0",
)  # fmt: skip
"""A run that evaluates, by its 0 steps or by the program that starts it."""


def _read_devices(r: ReadContext) -> None:
    mappings = [key for key in r.source.cells if key.endswith(".device_mapping") and r.native(key) is not None]
    keys = [key for key in mappings if not folds_places.of_another_pipeline(r, key)]
    devices = {key: folds_places.device_ids(r, key) for key in keys}
    folds_places.set_cluster(r, folds_places.devices_in_all(devices.values()), tuple(devices))
    folds_places.set_gpus(r, "rollout", devices.get(ENGINE), ENGINE)
    for key in devices:
        if key != ENGINE and not key.startswith("reward"):
            r.narrowed[key] = "its GPUs count for the size of the cluster; nothing of the role is started"


def _write_devices(w: WriteContext) -> None:
    carry(w, "num_gpus_per_node", "cluster.gpus_per_node", always=True)
    lose_known(w, State.DERIVED, "worked out from the highest device id", "cluster.nodes")
    folds_places.put_mapping(w, ENGINE, 0, w.plan(GPUS), GPUS)


@record
class ValidationLengths(OneSided):
    """The lengths that limit the answers of validation; prompts are cut by prompt_length all the same."""

    natives = ("val_sequence_length", "val_prompt_length")

    def read(self, r: ReadContext) -> None:
        """Set the longest answer to what validation's own prompt leaves of its sequence."""
        whole, prompt = map(r.native, self.natives)
        if whole is not None and prompt is not None:
            r.set(folds_lengths.LENGTH + "response_max_tokens", whole - prompt, *self.natives)


def _read_load(r: ReadContext) -> None:
    """Weights come from the model's folder alone: nothing passes any to the engines."""
    value = r.native(LOAD)
    if value in (None, "dummy"):
        r.note(f"{LOAD}: the rollout pipeline asks for another value than dummy, its default, and stops")
    else:
        r.set(FORMAT, value, LOAD)


def _write_load(w: WriteContext) -> None:
    value = w.plan(FORMAT)
    dummy = value == "dummy"
    why = "the rollout pipeline stops at dummy: nothing passes weights to the engines"
    paths = [] if value is None else [FORMAT]
    note = why if dummy else ""
    w.put(LOAD, "auto" if dummy or value is None else value, *paths, note=note, always=True, how=why)


def _read_data(r: ReadContext) -> None:
    """The columns are the trained role's, whatever validation's own keys say (rlvr_rollout_pipeline: __init__)."""
    for prefix in read_files(r, FILES, D + "eval"):
        for column, field in folds_data.COLUMNS.items():
            if r.written(COLUMNS + column):
                take(r, COLUMNS + column, f"{prefix}keys.{field}")
        chat = r.native(COLUMNS + "messages") is not None
        if chat or r.native(COLUMNS + "prompt") is not None:
            kind = "messages" if chat else "plaintext"
            r.set(prefix + "prompt_type", kind, COLUMNS + ("messages" if chat else "prompt"))
    why = "the rollout pipeline takes the columns of actor_train.data_args"
    r.inactive.update({f"validation.data_args.{column}": why for column in folds_data.COLUMNS})


def _write_data(w: WriteContext) -> None:
    files = files_of(w, D + "eval", "jsonl")
    if not files.values:
        return
    files.put(w, FILES, files.values)
    say_what_files_lack(w, D + "eval", "ROLL")
    folds_data.write_columns(w, COLUMNS, "eval", len(files.values))
    if not any(COLUMNS + column in w.out for column in ("prompt", "messages")) and not w.same_framework:
        how = "the source names no column; ROLL looks in none by itself"
        w.put(COLUMNS + "messages", "messages", always=True, how=how)
    if w.plan("stage.sampling.eval.responses") is None and not w.same_framework:
        w.put(ANSWERS, 1, always=True, how="the section must be there: RLVRConfig writes into it")


def _read_domains(r: ReadContext) -> None:
    """Read which worker scores which rows; shares of training batches count for nothing."""
    for index, name in enumerate(folds_domains.domains(r)):
        prefix, native = f"{D}domains[{index}].", f"{folds_domains.REWARDS}.{name}."
        r.set(prefix + "name", name, native + "worker_cls")
        take(r, native + "tag_included", prefix + "tags")
        take(r, native + "worker_cls", prefix + "reward")


def _write_domains(w: WriteContext) -> None:
    names = [w.plan(f"{D}domains[{i}].name") for i in range(w.items(D + "domains"))]
    if names:
        folds_domains.write_known_domains(w, names)
        return
    if w.same_framework:
        return
    name = "math_rule"
    native = f"{folds_domains.REWARDS}.{name}."
    leave_open(w, native + "worker_cls", folds_domains.WORKERS)
    w.put(native + "tag_included", [name], always=True, how="rows without a known tag fall to it, too (H43)")
    folds_domains.ask_about_reward(w, name, folds_domains.WORKERS)


def _questions(writing: WriteContext) -> list[Decision]:
    del writing
    why = (
        "the rollout pipeline opens JSON or JSON lines alone, with a `tag` that assigns the domain, the prompt's column as "
        "actor_train.data_args names it, and the answer in `ground_truth`, which the reward workers read"
    )
    return [Decision(FILES, why, ("convert the rows to such a file", "check the file and its columns"))]


FOLDS = (
    EVALUATION,
    Fold((ENGINE, "num_gpus_per_node"), ("cluster.nodes", "cluster.gpus_per_node", GPUS), _read_devices, _write_devices,
         "base_config: total_devices; rlvr_rollout_pipeline: actor_infer"),
    together(folds_lengths.LENGTHS_FOLD, ValidationLengths(), why="rlvr_config: validation.generating_args.max_new_tokens"),
    Fold((LOAD,), (FORMAT,), _read_load, _write_load, "rlvr_rollout_pipeline: __init__ asserts it"),
    together(Pair("seed", SEED, 42), why="base_config: copied to all training_args"),
    Fold((FILES, *(f"{section}{column}" for section in (COLUMNS, "validation.data_args.") for column in folds_data.COLUMNS)),
         tuple(f"{D}eval[].{f}" for f in ("uri", "split", "subset", "storage", "prompt_type", *(f"keys.{k}" for k in folds_data.COLUMNS.values()))),
         _read_data, _write_data, "rlvr_rollout_pipeline: __init__"),
    Fold(("rewards<*>.tag_included", "rewards<*>.worker_cls"), tuple(f"{D}domains[].{f}" for f in ("name", "tags", "reward", "weight")),
         _read_domains, _write_domains, "rlvr_rollout_pipeline: rewards, update_dataset_domain"),
)  # fmt: skip
TAKEN = ("identity.loggers", "identity.checkpoint_root", P + "rollout.engine", P + "rollout.ep", "stage.model.path")
"""Folds of the training table that an evaluation reads as well, by one of their fields."""


def rows_of(folds: tuple[Fold, ...]) -> tuple[Any, ...]:
    """The rows of a pipeline that trains nothing: its own folds, and what it shares with training."""
    owned = {path for fold in folds for path in fold.plans}
    rows = [r for r in ROLL.rows if isinstance(r, Row) and counts_for_evaluation(r.plan) and r.plan not in owned]
    taken = [r for r in ROLL.rows if isinstance(r, Fold) and any(path in r.plans for path in TAKEN)]
    parts = [replace(f, plans=tuple(p for p in f.plans if counts_for_evaluation(p))) for f in taken]
    return (
        *rows,
        *folds,
        *parts,
        fixed(lambda p: p.stage.model.trust_remote_code, True, why="model_providers: always true"),
    )


ASLEEP = tuple(
    Reason(key, State.DEAD_IN_SOURCE, "the rollout pipeline neither trains nor samples for training")
    for key in ("actor_train.training_args*", "actor_train.strategy_args*", "actor_train.model_args*", "actor_infer.model_args.lora*",
                "actor_train.device_mapping",
                "actor_train.data_args.file_name", "actor_train.data_args.domain_interleave_probs*", "actor_train.*batch*", "actor_train.*micro*",
                "actor_train.pg_variant", "actor_train.worker_cls", "actor_infer.generating_args*", "reference*", "critic*", "rollout_batch_size",
                "num_return_sequences_in_group", "ppo_epochs", "adv_estimator", "norm_*", "gamma", "lambd", "whiten_*", "critic_warmup", "*pg_clip*",
                "dual_clip_loss", "*_clip", "importance_sampling", "loss_agg_mode", "max_grad_norm", "entropy_loss_coef", "*kl_*", "*_kl", "*_opd*",
                "enable_*", "force_*", "save_steps", "eval_steps", "max_ckpt_to_keep", "async_generation_ratio", "*additional*prompts",
                "model_update_*", "difficulty_*", "length_loss_weight", "max_len_mask", "error_max_len_*", "train_infer_correction*", "rl_loss_coef",
                "rewards<*>.query_filter_config*", "rewards<*>.response_filter_config*", "teacher*", "student_*", "reward_pretrain", "reward_model*")
)  # fmt: skip

TARGET = Target(False, 0.9, "nothing else is on the engines' GPUs: vLLM's own default")

ROLL_ROLLOUTS = replace(
    ROLL,
    rows=rows_of(FOLDS),
    cannot=(
        *(c for c in ROLL.cannot if c.plan.startswith(("identity.", "stage.model.", "stage.length.", P + "rollout.", "stage.sampling.",
          "stage.reward.", D + "*", D + "eval", "stage.name"))),
        cannot("stage.*", why="the rollout pipeline neither trains nor samples for training"),
    ),
    reasons=(*SECRETS, *ASLEEP, *REASONS),
    questions=_questions,
    target=TARGET,
    trainers=("rlvr",),
    kinds=("eval",),
    dialect=None,
    owners={},
)  # fmt: skip
