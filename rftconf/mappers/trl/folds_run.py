"""TRL's keys of saving, evaluating, resuming, trackers, number types and evaluation answers become plan fields."""

from __future__ import annotations

from math import gcd
from typing import Any

from rftconf.base.ledger import State
from rftconf.base.symbols import MISSING, Expr, arith, formula
from rftconf.mappers.codecs import OTHER_CHECKPOINT
from rftconf.mappers.context import ReadContext, WriteContext
from rftconf.mappers.copies import Items
from rftconf.mappers.rates import rows_of_run
from rftconf.mappers.shapes import Pair, leave_open, lose_known, settle_known
from rftconf.mappers.trl.folds_data import EVALUATES, TEST
from rftconf.mappers.trl.folds_length import PROMPTS, counted
from rftconf.plan.trainer_numbers import number_type
from rftconf.plan.units import Unit
from rftconf.text.launch.trainers import PROGRAM

SAVES, SAVE_EVERY, EVALUATE_EVERY, AT_START = "save_strategy", "save_steps", "eval_steps", "eval_on_start"
SAVED, EVALUATED, FIRST = (f"stage.cadence.{name}" for name in ("save_rollouts", "eval_rollouts", "eval_at_start"))
EVAL_BATCH, OWN_ANSWERS = "per_device_eval_batch_size", "0.26.2"
"""The last is the first catalogued release whose evaluation has a number of answers of its own."""


def read_cadence(r: ReadContext) -> None:
    """Saving and evaluating count updates; evaluation is off unless its strategy says otherwise."""
    r.set(SAVED, _every(r, SAVES, SAVE_EVERY), SAVE_EVERY, SAVES)
    r.set(EVALUATED, _every(r, EVALUATES, EVALUATE_EVERY, otherwise="logging_steps"), EVALUATE_EVERY, EVALUATES)
    r.set(FIRST, r.native(AT_START) if r.native(EVALUATES) != "no" else False, AT_START, EVALUATES)


def _every(r: ReadContext, strategy: str, steps: str, otherwise: str = "") -> Any:
    """Rollout periods from one time to the next; None where there is none, or where nobody knows when."""
    word, count = r.native(strategy), r.native(steps)
    count = r.native(otherwise) if count is None and otherwise else count
    if word == "epoch":
        r.inactive[steps] = f"{strategy} is epoch"
        return arith("//", rows_of_run(r), r.plan(PROMPTS))
    if word != "steps":
        if word not in ("no", None):
            r.narrowed[strategy] = f"{strategy}={formula(word)} counts otherwise than by updates"
        r.inactive[steps] = f"{strategy} is {formula(word)}"
        return None
    if isinstance(count, float) and count < 1:
        r.narrowed[steps] = f"{count:g} of the run's updates"
        return None
    return r.convert(count if isinstance(count, Expr) else int(count), Unit.UPDATES, Unit.ROLLOUTS)


def write_cadence(w: WriteContext) -> None:
    """Saving and evaluating count updates, or are off by their strategy."""
    _write_every(w, SAVED, SAVES, SAVE_EVERY)
    if not w.same_framework and (not w.items("stage.data.eval") or TEST not in w.out):
        lose_known(w, State.DEAD_IN_TARGET, "there is no data set to evaluate on", EVALUATED, FIRST)
        return
    _write_every(w, EVALUATED, EVALUATES, EVALUATE_EVERY)
    start = w.plan(FIRST)
    if w.plan(EVALUATED) is None:
        settle_known(w, FIRST, not start, "nothing is evaluated", state=State.DEAD_IN_TARGET)
        return
    _write_eval_batch(w)
    if start is not None:
        w.put(AT_START, start, FIRST)


def _write_every(w: WriteContext, path: str, strategy: str, key: str) -> None:
    if path not in w.values:
        return
    periods = w.plan(path)
    if periods is None:
        w.put(strategy, "no", always=True, how="the source does not do so")
        return
    updates = w.convert(periods, Unit.ROLLOUTS, Unit.UPDATES)
    w.put(strategy, "steps", path, always=strategy != SAVES, **counted(w, State.EXACT))
    w.put(key, updates, path, always=True, how=f"{formula(periods)} rollout periods", **counted(w))


def _write_eval_batch(w: WriteContext) -> None:
    """Evaluation takes whole groups over all devices, which GRPOConfig stops at otherwise."""
    gpus, n = w.plan("stage.placement.actor.gpus"), w.plan("stage.sampling.eval.responses")
    n = w.plan("stage.batch.responses_per_prompt") if n is None or not w.since(OWN_ANSWERS) else n
    size = w.defaults(EVAL_BATCH)
    if w.same_framework or not all(isinstance(number, int) and number > 0 for number in (gpus, n, size)):
        return
    if size * gpus % n:
        how = f"over {gpus} processes a multiple of {n} answers to a prompt"
        w.put(EVAL_BATCH, n // gcd(n, gpus), always=True, how=how)


RESUMES, RESUMED = "resume_from_checkpoint", "1.14.2"
RESUME, CHECKPOINT = "identity.resume", "identity.resume_path"


def read_resume(r: ReadContext) -> None:
    """A folder, or a word that is true for the newest one below output_dir; up to 1.10 TRL's own script does not pass it on."""
    resume = r.native(RESUMES)
    if resume is not None and not r.since(RESUMED) and r.facts.program == "trl":
        r.inactive[RESUMES] = "trl/scripts/grpo.py does not pass it to train() in this release"
        resume = None
    never, newest = resume in (None, False, "false"), resume in (True, "true", "True")
    r.set(RESUME, "never" if never else "auto" if newest else "path", RESUMES)
    r.set(CHECKPOINT, None if newest or never else resume, RESUMES)


def write_resume(w: WriteContext) -> None:
    """A checkpoint by its folder; the newest one only where there is one, which a first start has not."""
    word, path = w.plan(RESUME), w.plan(CHECKPOINT)
    if word == "path" and not w.same_framework:
        leave_open(w, RESUMES, OTHER_CHECKPOINT, RESUME, CHECKPOINT)
    elif word == "path":
        w.put(RESUMES, path, RESUME, *([CHECKPOINT] if path is not None else []), always=True)
    elif word == "auto" and w.same_framework:
        w.put(RESUMES, True, RESUME, always=True)
    elif word is not None:
        first = f"the first start has no checkpoint, and stops where it is asked for one: {RESUMES}: true goes on from the newest later"
        settle_known(w, RESUME, word == "never", "a run starts anew", first)
        lose_known(w, State.DEFAULT, "a run starts anew", CHECKPOINT)


REPORTS, LOGGERS = "report_to", "identity.loggers"
KNOWN = ("wandb", "tensorboard", "swanlab", "mlflow", "trackio", "comet_ml", "clearml", "neptune", "dvclive")


def read_loggers(r: ReadContext) -> None:
    """A tracker or several; the console is always there."""
    trackers = r.native(REPORTS)
    if isinstance(trackers, Expr):
        r.set(LOGGERS, trackers, REPORTS)
        return
    named = trackers if isinstance(trackers, list) else [] if trackers in (None, "none", "all") else [trackers]
    if trackers == "all" or (trackers is None and not r.since("0.27.2")):
        r.narrowed[REPORTS] = "every tracker that is installed"
    r.set(LOGGERS, ["console", *(name for name in named if name != "none")], REPORTS)


def write_loggers(w: WriteContext) -> None:
    """Trackers by name; the console is always there."""
    named = w.plan(LOGGERS)
    if named is None:
        return
    if isinstance(named, Expr) or any(isinstance(name, Expr) for name in named):
        leave_open(w, REPORTS, "which tracker is a value the source does not tell", LOGGERS)
        return
    trackers = [name for name in ([named] if isinstance(named, str) else named) if name != "console"]
    lost = [name for name in trackers if name not in KNOWN]
    note = f"transformers has no tracker {', '.join(lost)}" if lost else ""
    known = [name for name in trackers if name in KNOWN]
    w.put(REPORTS, known or "none", LOGGERS, note=note, always=True)


DTYPE, BF16, FP16, LAUNCHED = "dtype", "bf16", "fp16", "mixed_precision"
INIT = "model_init_kwargs"
WORDS = {"float32": "fp32", None: "fp32"}
HALVES = {"bf16": "bfloat16", "fp16": "float16", "no": "fp32", None: "fp32"}
STORED, COMPUTED = (f"stage.placement.actor.{name}" for name in ("model_dtype", "compute_dtype"))
MEGATRON = "stage.placement.actor.megatron.dtype"


def read_dtypes(r: ReadContext) -> None:
    """Weights are loaded as dtype says, single precision unless written; what is computed with, the arguments say, or the launcher."""
    (stored, key), computed = _stored(r), _computed(r)
    for role in ("actor", "reference"):
        path = f"stage.placement.{role}."
        r.set(path + "model_dtype", stored if isinstance(stored, Expr) else WORDS.get(stored, stored), key)
        r.set(path + "compute_dtype", computed, BF16, FP16, LAUNCHED)


def _stored(r: ReadContext) -> tuple[Any, str]:
    """The type that weights are loaded in, and its key: a launcher in Python hands it to the model itself.

    TRL's own script takes it from its arguments, and sets model_init_kwargs anew (trl/scripts/grpo.py).
    """
    words = r.source.branch(INIT) if r.facts.program == PROGRAM else {}
    name = next((name for name in (DTYPE, "torch_dtype") if name in words), None)
    return (r.native(DTYPE), DTYPE) if name is None else (words[name], f"{INIT}.{name}")


def _computed(r: ReadContext) -> Any:
    """fp16, else bf16, which is on unless fp16 is or it is switched off, else the launcher's word (TrainingArguments.__post_init__)."""
    half, bf16 = r.native(FP16), r.native(BF16)
    if bf16 is None:
        bf16 = half if isinstance(half, Expr) else not half
    for switch, word in ((half, "float16"), (bf16, "bfloat16")):
        if isinstance(switch, Expr):
            return switch
        if switch:
            r.inactive[LAUNCHED] = f"the arguments say {word}: the launcher's word does not count"
            return word
    launched = r.native(LAUNCHED)
    return launched if isinstance(launched, Expr) else HALVES.get(launched, launched)


def write_dtypes(w: WriteContext) -> None:
    """One type for weights of policy and reference, and a switch for each type that is computed with."""
    stored, computed, path = w.plan(STORED), w.plan(COMPUTED), COMPUTED
    if stored is not None:
        word = number_type(stored)
        w.put(DTYPE, "float32" if word == "fp32" else word, STORED)  # trl/scripts/grpo.py: getattr(torch, dtype)
    cost: dict[str, Any] = {}
    if computed is None and w.plan(MEGATRON) is not None:
        path, computed = MEGATRON, w.plan(MEGATRON)
        cost = {"state": State.NARROWED, "note": "Megatron's type of weights is the type that TRL computes in"}
    name = number_type(computed)
    if name in ("bfloat16", "float16"):
        w.put(BF16, name == "bfloat16", path, always=True, **cost)
        w.put(FP16, name == "float16", path, **cost)
    elif name == "fp32":
        w.put(BF16, False, path, always=True, **cost)
        w.put(LAUNCHED, "no", path, always=True, **cost)
    elif name is not None:
        note = f"TRL computes in bfloat16, float16 or single precision, and the source in {formula(computed)}"
        leave_open(w, BF16, note, path)
    for field, mine in (("model_dtype", stored), ("compute_dtype", computed)):
        own = f"stage.placement.reference.{field}"
        if field == "compute_dtype" and w.effective(BF16) == MISSING:
            lose_known(w, State.UNRESOLVED, "the reference has the policy's types", own)
        else:
            settle_known(w, own, number_type(w.plan(own)) == number_type(mine), "the reference has the policy's types")


BETAS = Items(("adam_beta1", "adam_beta2"), "stage.optim.actor.betas")
ANSWERS = Pair(
    "num_generations_eval",
    "stage.sampling.eval.responses",
    fallback=("num_generations", "stage.batch.responses_per_prompt"),
)
