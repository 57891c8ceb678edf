"""Length of the run, folders, resuming, partial rollouts, and what a run needs to start at all."""

from __future__ import annotations

from typing import Any

from rftconf.base.ledger import State
from rftconf.base.record import record
from rftconf.base.symbols import Expr, OpenKey, formula
from rftconf.mappers.chatlearn.conditions import EVALUATES, MEGATRON
from rftconf.mappers.context import Context, ReadContext, When, WriteContext
from rftconf.mappers.rates import (
    beside_a_length,
    length_that_is_open,
    numbers_of_period,
    periods_of_epochs,
    rows_of_run,
)
from rftconf.mappers.run_folders import EXPERIMENT, PROJECT, RunFolder
from rftconf.mappers.shapes import Behaves, OneSided, Pair, Where, leave_open, settle_known, take, together
from rftconf.mappers.statements import Noted, Stated
from rftconf.mappers.switches import Switch
from rftconf.plan.origin import Kind
from rftconf.schemas import catalogue

R, IDENTITY = "stage.run_length.", "identity."
EPISODES, RESUMES, DATA_STATE = (
    f"runtime_args.{name}" for name in ("num_episode", "enable_resume_training", "data_checkpoint_path")
)
SAVES_HF, EXPORT = "models.policy_trainer.save_hf", "stage.checkpoint.hf_export"
OUTPUT = "runtime_args.output_dir"
PARTIAL = "runtime_args.use_partial_rollout"


def read_length(r: ReadContext) -> None:
    """Episodes; samples are cycled, whatever an epoch is."""
    take(r, EPISODES, R + "rollouts")
    r.set(R + "last_partial", "cycle", kind=Kind.DEFAULT, how="samples are cycled")


def write_length(w: WriteContext) -> None:
    """An explicit number: ChatLearn never stops on epochs (H12)."""
    rollouts, epochs, last = (w.plan(R + name) for name in ("rollouts", "epochs", "last_partial"))
    if rollouts is not None:
        w.put(EPISODES, rollouts, R + "rollouts", always=True)
        if epochs is not None:
            w.lose(R + "epochs", *beside_a_length(w))
    else:
        total = periods_of_epochs(w, rows_of_run(w))
        needs = f"ChatLearn counts episodes (H12), whose number {length_that_is_open(total)}"
        known = total is not None and not isinstance(total, Expr)
        state, note = (State.DERIVED, "") if known else (State.UNRESOLVED, needs)
        how = f"{formula(epochs)} epochs" if epochs is not None else "the source does not tell how long the run is"
        w.put(EPISODES, "???" if total is None else total, R + "epochs", state=state, note=note, always=True, how=how)
    reason = "the number of episodes is explicit" if last != "cycle" else "samples are cycled"
    other = "samples are cycled: no epoch boundary drops or carries a rest"
    settle_known(w, R + "last_partial", last == "cycle" or rollouts is not None, reason, other)


LOGS = "runtime_args.log_args_dict.log_dir"


def _ends(project: Any, name: Any) -> tuple[str, ...]:
    return (f"/{project}/{name}", f"/{name}") if isinstance(name, str) else ()


def _folders(w: WriteContext) -> tuple[str, ...]:
    """Return the folders below the source's root; none without a name of the run, by which they are known again."""
    project, name = (w.plan(path) for path in (PROJECT, EXPERIMENT))
    return () if name is None else (name,) if project is None else (project, name)


@record
class LogFolder(OneSided):
    """The folder of logs, which lies beside the checkpoints; both keys are mandatory."""

    def write(self, w: WriteContext) -> None:
        """Write the folder of the checkpoints, or leave both open."""
        if w.same_framework:
            return
        root = w.plan(IDENTITY + "checkpoint_root")
        for key in (OUTPUT, LOGS) if root is None else (LOGS,):
            w.put(key, "???" if root is None else w.out[OUTPUT].value, always=True, how="mandatory")


FOLDER = together(
    RunFolder(OUTPUT, _ends, _folders, always=True),
    LogFolder(),
    why="checkpoints go to <output_dir>/save_model/policy_trainer/<train iteration>",
)


def read_resume(r: ReadContext) -> None:
    """Resuming needs the switch and the folder of the data loader's state."""
    switch, folder = r.native(RESUMES), r.native(DATA_STATE)
    on = switch is not False and folder is not None
    r.set(IDENTITY + "resume", "auto" if on else "never", RESUMES, DATA_STATE)
    if folder is None:
        r.inactive[RESUMES] = f"no effect without {DATA_STATE}"
    if on and _loses_weights(r):
        r.note(LOST_WEIGHTS)


LOST_WEIGHTS = (
    "FSDP saves weights under the number of updates but looks them up under the number of episodes: with more than one "
    "update an episode a resumed run starts from the base weights or from an older checkpoint (H56)"
)


def _loses_weights(c: Context) -> bool:
    """True for FSDP with more than one update an episode."""
    (prompts, n, update), passes = numbers_of_period(c), c.plan("stage.batch.passes")
    known = c.trainer != "megatron" and prompts is not None
    return known and (prompts * n != update or passes not in (1, None))


def write_resume(w: WriteContext) -> None:
    """The folder of the data loader's state lies in the output folder, as in ChatLearn's templates."""
    resume = w.plan(IDENTITY + "resume")
    if resume is None:
        return
    if isinstance(resume, Expr) and not w.same_framework:
        note = f"depends on {formula(resume)}, which the source does not tell"
        leave_open(w, RESUMES, note, IDENTITY + "resume")
        return
    if resume == "never":
        w.put(RESUMES, False, IDENTITY + "resume", always=True)
        return
    note = "resumes only from its own output folder" if resume == "path" else ""
    w.put(RESUMES, True, IDENTITY + "resume", note=note)
    # a name that nobody gave yet is no name to point to: OmegaConf stops at an interpolation of ???
    folder = "???" if w.plan(IDENTITY + "checkpoint_root") is None else f"${{{OUTPUT}}}/data_checkpoint_path/"
    w.put(DATA_STATE, folder, IDENTITY + "resume", note=note,
          always=True, how="resuming needs a folder for the data loader's state")  # fmt: skip
    if _loses_weights(w) and not w.same_framework:
        w.note(LOST_WEIGHTS)


BY_HAND = Behaves(
    EXPORT, "never", "Megatron checkpoints are converted by hand", only_told=True, state=State.NO_COUNTERPART
)
SAVES = Switch(SAVES_HF, EXPORT, "always", "never", {"last": "exports with every checkpoint, not only with the last"})
EXPORTS = together(Where(MEGATRON, BY_HAND, SAVES), why="fsdp_module.save_checkpoint")
"""FSDP may save in the Hugging Face format."""


IN_FLIGHT, FINISHED = "stage.sync.in_flight", "answers are finished before the weights change"
RUNS_AHEAD = When(lambda c: c.writes and bool(c.plan("stage.sync.run_ahead_rollouts")), "nothing runs ahead")
PARTIAL_ROLLOUT = together(
    Where(
        RUNS_AHEAD,
        # a source that runs ahead does it by another scheme
        Behaves(IN_FLIGHT, "finish", FINISHED, f"{FINISHED}; use_partial_rollout is the nearest", only_told=True),
        Switch(PARTIAL, IN_FLIGHT, "interrupt", "finish", unsaid=FINISHED),
    ),
    why="partial_rollout_manager",
)
"""Answers that an episode leaves unfinished go on in the next one, with newer weights."""


REPLAY, GENERATING = "runtime_args.max_replay_episode", "models.policy.num_gpu"
MODELS = ("policy_trainer", "ref_policy", "policy")
AT_ONCE = 256
"""Sequences that vLLM's engine computes at once where nobody says (SchedulerConfig); ChatLearn's default is 1."""


@record
class Demanded(OneSided):
    """Keys that the loader stops for want of: what nobody told is asked for."""

    def write(self, w: WriteContext) -> None:
        """Leave those open that nothing was written for."""
        known = catalogue.load(w.framework, None, w.trainer)
        for key in () if w.same_framework else known.keys:
            missing = key not in w.out or w.out[key].value is None
            if known.keys[key].mandatory and missing and not key.startswith("models."):
                leave_open(w, key, "mandatory, and nothing tells it")


@record
class LeftOpen(OneSided):
    """Keys whose defaults start no run, and that ChatLearn's own file may leave to the person who starts it."""

    keys: tuple[str, ...]

    def write(self, w: WriteContext) -> None:
        """Write them as the file has them."""
        cells = w.facts.source.cells if w.facts.source is not None and w.same_framework else {}
        for key in self.keys:
            if key in cells and isinstance(cells[key].value, OpenKey):
                w.put(key, cells[key].value, always=True)


NEEDS = together(
    Noted(
        lambda r: r.native(REPLAY) == 0, f"{REPLAY}=0: advantages are never computed and the first update fails (H14)"
    ),
    Demanded(),
    LeftOpen((REPLAY, GENERATING)),
    Stated(REPLAY, 1, "0 would leave advantages uncomputed (H14)"),
    Stated("models.policy_trainer.trainable", True, "the model that is trained"),
    *(Stated(f"models.{name}.gpu_per_process", 1, "one GPU a process") for name in MODELS),
    Stated(
        "models.policy.generation_batch_size",
        AT_ONCE,
        f"{AT_ONCE} is the engine's own default; ChatLearn's computes one answer at a time",
        unless="stage.placement.rollout.max_num_seqs",
    ),
    Stated("models.reward.num_cpu", 2, "rule rewards run on CPUs"),
    Stated("models.reward.cpu_per_process", 1, "rule rewards run on CPUs"),
    why="what a ChatLearn run needs to start",
)
"""Keys that every ChatLearn run has although no plan has a field for them, and those that the shipped config may have."""


BEFORE, AT_START = "runtime_args.enable_eval_before_training", "stage.cadence.eval_at_start"


FIRST_EVALUATION = together(
    Where(
        EVALUATES,
        Pair(BEFORE, AT_START, always=True),
        Behaves(AT_START, False, EVALUATES.otherwise, only_told=True, state=State.DEAD_IN_TARGET, idle=(BEFORE,)),
    ),
    why="engine.learn: before the first episode, if there is evaluation at all",
)
"""Nothing is evaluated at the start where nothing is evaluated at all."""
