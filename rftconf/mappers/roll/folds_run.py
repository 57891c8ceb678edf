"""ROLL's names and folders, trackers, resuming, seeds, model paths, run length, schedules, LoRA, Megatron options."""

from __future__ import annotations

from typing import Any

from rftconf.base.ledger import State
from rftconf.base.symbols import Expr, formula
from rftconf.mappers.codecs import OTHER_CHECKPOINT
from rftconf.mappers.context import Context, ReadContext, WriteContext
from rftconf.mappers.rates import beside_a_length
from rftconf.mappers.roll.conditions import RL, trained
from rftconf.mappers.shapes import leave_open, lose_known, settle, take
from rftconf.mappers.trackers import OneTracker
from rftconf.plan.origin import Kind

TRACKER, ARGS = "track_with", "tracker_kwargs"
PROJECT, WITH_PROJECT = "identity.project", ("wandb", "swanlab", "trackio")
ONE = OneTracker(TRACKER, "ROLL", ("tensorboard", "wandb", "swanlab", "trackio"), console="stdout")


def read_tracker(r: ReadContext) -> None:
    """One tracker; its project is one of its arguments."""
    ONE.read(r)
    args = {k: v for k, v in r.source.branch(ARGS).items() if k not in ("project", "api_key")}
    project = r.native(ARGS + ".project")
    r.set(PROJECT, project if isinstance(project, (str, Expr)) else None, ARGS + ".project")
    r.set("identity.logger_args", args or None, *(f"{ARGS}.{k}" for k in args))


def write_tracker(w: WriteContext) -> None:
    """The first tracker that is not the console, with its arguments."""
    ONE.write(w)
    project, kind = w.plan(PROJECT), w.out[TRACKER].value if TRACKER in w.out else None
    if project is not None and kind in WITH_PROJECT:
        w.put(ARGS + ".project", project, PROJECT, always=True)
    if PROJECT not in w.outcomes:
        note = "only the arguments of a wandb, swanlab or trackio tracker have a project"
        lose_known(w, State.NO_COUNTERPART, note, PROJECT)
    args = w.plan("identity.logger_args")
    for name, value in args.items() if isinstance(args, dict) else ():
        w.put(f"{ARGS}.{name}", value, "identity.logger_args", always=True)


RESUME, FOLDER = "resume_from_checkpoint", "checkpoint_config.output_dir"


NO_LATEST = (
    "ROLL names the folder of checkpoints by the time of the start, so `true` looks for the newest one in a folder that is not there, "
    "and stops: name a checkpoint by its path to go on from it"
)


def read_folders(r: ReadContext) -> None:
    """Read where checkpoints go, and whether a run goes on from one."""
    own = r.native(FOLDER)
    take(r, FOLDER if own is not None else "output_dir", "identity.checkpoint_root")
    if own is not None and r.written("output_dir"):
        r.note("checkpoints are copied to checkpoint_config.output_dir; output_dir holds the local ones")
    value = r.native(RESUME, False)
    path = isinstance(value, (str, Expr))
    if value is True and r.native("checkpoint_config.type") == "file_system":
        r.note(f"{RESUME}: {NO_LATEST}")
    r.set("identity.resume", "path" if path else "auto" if value is True else "never", RESUME)
    r.set("identity.resume_path", value if path else None, RESUME)


def write_folders(w: WriteContext) -> None:
    """Checkpoints as files, in the plan's folder."""
    root, mode = w.plan("identity.checkpoint_root"), w.plan("identity.resume")
    if root is not None:
        w.put("checkpoint_config.type", "file_system", always=True)
        w.put(FOLDER, root, "identity.checkpoint_root", always=True)
    if mode == "path" and not w.same_framework:
        leave_open(w, RESUME, OTHER_CHECKPOINT, "identity.resume", "identity.resume_path")
        return
    if mode == "path":
        w.put(RESUME, w.plan("identity.resume_path"), "identity.resume", "identity.resume_path", always=True)
        return
    if isinstance(mode, Expr) and not w.same_framework:
        note = f"depends on {formula(mode)}, which the source does not tell"
        leave_open(w, RESUME, note, "identity.resume")
    elif mode == "auto" and not w.same_framework:
        w.put(RESUME, False, "identity.resume", state=State.NARROWED, note=NO_LATEST, always=True)
    elif mode is not None:
        w.put(RESUME, mode == "auto", "identity.resume", state=State.DERIVED)
    lose_known(w, State.DEAD_IN_TARGET, "only used when resuming from a path", "identity.resume_path")


SEEDS = ("stage.seeds.global_seed", "stage.data.seed", "stage.seeds.minibatch", "stage.placement.rollout.seed")


def _seeded(c: Context) -> tuple[str, ...]:
    """Return the seeds that one key sets: order and sampling of RL, order of pairs, else new adapters and heads."""
    return SEEDS[1:] if RL.test(c) else SEEDS[1:2] if c.trainer == "dpo" else SEEDS[:1]


def read_seeds(r: ReadContext) -> None:
    """One seed for the data, the mini-batches and the engines."""
    seed = r.native("seed", 42)
    for path in _seeded(r):
        if path != SEEDS[1] or r.items("stage.data.train"):
            r.set(path, seed, "seed")


def write_seeds(w: WriteContext) -> None:
    """The most general seed that the plan has; others that differ are lost."""
    unused, note = [path for path in SEEDS[1:] if path not in _seeded(w)], "this pipeline draws nothing with it"
    lose_known(w, State.NO_COUNTERPART, f"{note}: it reads its data in order", *unused)
    seeds = [path for path in dict.fromkeys((*SEEDS[:1], *_seeded(w))) if w.plan(path) is not None]
    if not seeds:
        return
    value = w.plan(seeds[0])
    same = [path for path in seeds if w.plan(path) == value and path in _seeded(w)]
    w.put("seed", value, *same)
    if seeds[0] not in _seeded(w):
        note = "ROLL's one seed is that of the data, the mini-batches and the engines here"
        w.lose(seeds.pop(0), State.NARROWED, note)
    for path in (path for path in seeds if path not in same):
        note = f"ROLL has one seed for everything: {formula(value)}, not {formula(w.plan(path))}"
        w.lose(path, State.NARROWED, note)


_A = {"sft": "an SFT", "distill": "a distillation"}


def read_length(r: ReadContext) -> None:
    """Pipelines with rollouts count periods and never end an epoch; SFT and DPO count epochs."""
    role, run = trained(r), "stage.run_length."
    if RL.test(r):
        take(r, "max_steps", run + "rollouts")
        r.set(run + "last_partial", "cycle", kind=Kind.DEFAULT, how="data are read for ever")
        return
    key = f"{role}.training_args.num_train_epochs"
    epochs = r.native(key, 1)
    if isinstance(epochs, float) and epochs != int(epochs):
        r.narrowed[key] = f"{epochs:g} epochs: elsewhere epochs are whole; give the number of updates by hand"
    else:
        r.set(run + "epochs", int(epochs) if isinstance(epochs, float) else epochs, key)
    limit = r.native("max_steps") if r.trainer == "dpo" else None
    if limit is None:
        ends = f"the epochs end {_A.get(r.trainer, 'this')} run"
        r.inactive["max_steps"] = f"{ends}; max_steps names one more update that is saved"
    _read_updates(r, key, limit)
    r.set(run + "last_partial", "drop", kind=Kind.DEFAULT, how="the loader drops the last incomplete batch")


def _read_updates(r: ReadContext, key: str, limit: Any) -> None:
    """Updates of the whole run: of the epochs, where the rows are known, and no more than the limit."""
    rows, epochs, update = r.rows(), r.plan("stage.run_length.epochs"), r.plan("stage.batch.sequences_per_update")
    whole = isinstance(rows, int) and isinstance(epochs, int) and isinstance(update, int)
    most = rows // update * epochs if whole else None
    if most is not None and (limit is None or (isinstance(limit, int) and most < limit)):
        how = f"floor({rows} rows / {update}) x {epochs} epochs"
        r.set("stage.run_length.rollouts", most, key, how=how, kind=Kind.DERIVED)
    elif limit is not None:
        r.set("stage.run_length.rollouts", limit, "max_steps", how="updates; the epochs may end before")


def write_length(w: WriteContext) -> None:
    """RL runs need an explicit number of periods (H12)."""
    run, rollouts, epochs = "stage.run_length.", w.plan("stage.run_length.rollouts"), w.plan("stage.run_length.epochs")
    if RL.test(w):
        within_one = isinstance(rollouts, int) and rollouts < 1 and not w.same_framework
        if rollouts is None or within_one:
            why = "ROLL never stops on epochs: how many rollout periods are they? (H12)"
            why = "the source ends within its first rollout period, and ROLL makes whole ones" if within_one else why
            paths = [path for path in (run + "epochs", run + "rollouts") if w.plan(path) is not None]
            leave_open(w, "max_steps", why, *paths)
            w.decide("max_steps", why, "--rows N counts them", "give a number of rollout periods")
        else:
            w.put("max_steps", rollouts, run + "rollouts", always=True)
            if epochs is not None:
                w.lose(run + "epochs", *beside_a_length(w))
    else:
        _write_epochs(w, f"{trained(w)}.training_args.num_train_epochs")
    lose_known(w, State.DEFAULT, "only the number of periods counts", run + "last_partial")


def _write_epochs(w: WriteContext, key: str) -> None:
    """SFT ends with its epochs, a whole number; DPO with its epochs or after max_steps, whichever comes first."""
    run, update = "stage.run_length.", w.plan("stage.batch.sequences_per_update")
    updates, epochs, rows = w.plan(run + "rollouts"), w.plan(run + "epochs"), w.facts.rows
    whole = isinstance(rows, int) and isinstance(update, int) and isinstance(epochs, int)
    most = rows // update * epochs if whole else None
    if w.trainer == "dpo":
        if updates is None and most is None:
            why = "the DPO pipeline stops after max_steps updates, 500 by default: how many are the epochs?"
            leave_open(w, "max_steps", why)
            w.decide("max_steps", why, "--rows N counts them", "give a number of updates")
        else:
            paths = [] if updates is None else [run + "rollouts"]
            w.put("max_steps", most if updates is None else updates, *paths, always=True)
        if epochs is None and updates is not None:
            w.put(key, updates, always=True, how="an epoch has one update or more, so max_steps ends the run")
    elif updates is not None:
        other = f"ROLL's {w.trainer} pipeline has no limit of updates ({formula(updates)} here): its epochs end it"
        settle(w, run + "rollouts", most == updates, "the epochs end the run", other, alike=State.DERIVED)
    _save_the_last(w, most if most is not None else updates)
    if epochs is not None:
        w.put(key, epochs, run + "epochs", always=True)
    elif w.trainer != "dpo":
        counted = formula(updates) if updates is not None else "no"
        why = f"ROLL's {w.trainer} pipeline ends with its epochs, and the source counts {counted} updates: how many epochs are they?"
        leave_open(w, key, why)
        w.decide(key, why, "updates x samples an update / rows")


def _save_the_last(w: WriteContext, updates: Any) -> None:
    """base_pipeline: do_checkpoint saves at step max_steps - 1 besides; epochs alone do not tell it which step is the last."""
    if w.trainer != "sft" or w.same_framework:
        return
    if isinstance(updates, int):
        how = "ends nothing here, but the last update is saved where this names it"
        w.put("max_steps", updates, always=True, how=how)
    else:
        saved = "the last update is saved where save_steps divides its step"
        w.note(f"{saved}, or max_steps is the number of updates: --rows N counts them")
