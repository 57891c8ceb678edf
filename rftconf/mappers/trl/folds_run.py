"""Length of the run, its learning rate, what is saved and evaluated when, resuming, and number types."""

from __future__ import annotations

import json
from contextlib import suppress
from fractions import Fraction
from math import ceil
from typing import Any

from rftconf.base.symbols import Expr, Var, arith, formula
from rftconf.mappers.context import ReadContext
from rftconf.mappers.horizons import Horizon
from rftconf.mappers.precedence import Until
from rftconf.plan.origin import Kind
from rftconf.plan.units import Unit

R, OPTIM, CADENCE = "stage.run_length.", "stage.optim.actor.", "stage.cadence."
STEPS, EPOCHS = "max_steps", "num_train_epochs"
PROMPTS = "stage.batch.prompts_per_rollout"


def read_length(r: ReadContext) -> None:
    """Updates, where max_steps is above 0, else epochs of whole generation batches (trl/trainer/utils.py: RepeatSampler)."""
    steps, epochs = r.native(STEPS), r.native(EPOCHS)
    r.set(R + "last_partial", "drop", kind=Kind.DEFAULT, how="RepeatSampler leaves out what fills no generation batch")
    if isinstance(steps, Expr) or steps > 0:
        r.inactive[EPOCHS] = f"{STEPS} ends the run, over as many epochs as that takes"
        r.set(R + "epochs", None)
        r.set(
            R + "rollouts",
            _whole(r, r.convert(steps, Unit.UPDATES, Unit.ROLLOUTS), STEPS),
            STEPS,
            how=f"{formula(steps)} updates",
        )
        return
    prompts, rows = r.plan(PROMPTS), r.rows()
    whole = not isinstance(epochs, float) or epochs.is_integer()
    r.set(R + "epochs", int(epochs) if isinstance(epochs, float) and whole else epochs if whole else None, EPOCHS)
    if isinstance(rows, int) and isinstance(prompts, int) and not isinstance(epochs, Expr):
        periods = ceil(rows // prompts * Fraction(str(epochs)))
        r.set(
            R + "rollouts",
            periods,
            EPOCHS,
            kind=Kind.DERIVED,
            how=f"floor({rows} rows / {prompts}) x {epochs:g} epochs",
        )
    elif not whole:
        r.set(
            R + "rollouts",
            arith("*", epochs, arith("//", Var("ROWS"), prompts)),
            EPOCHS,
            how=f"{epochs:g} epochs of ROWS rows",
        )
    else:
        r.set(R + "rollouts", None)


def _horizon(r: ReadContext) -> int | None:
    """The updates that end a run within a generation batch: the rate falls over these, and not over whole periods."""
    steps = r.native(STEPS)
    ends_within = (
        isinstance(steps, int) and steps > 0 and isinstance(r.convert(steps, Unit.UPDATES, Unit.ROLLOUTS), Fraction)
    )
    return steps if ends_within else None


HORIZON = Horizon(STEPS, _horizon, Unit.UPDATES, "; here it decays over the whole run")


def _whole(r: ReadContext, count: Any, key: str) -> Any:
    """A count of periods; one that ends within a period is rounded up, and that is said."""
    if isinstance(count, Fraction):
        r.note(f"{key} ends within a generation batch, after {float(count):g} of them")
        return ceil(count)
    return count


PROMPT = Until(
    "max_prompt_length",
    "stage.length.prompt_max_tokens",
    "0.26.2",
    "TRL cuts no prompt since 0.26: leave long ones out of the data",
    "no prompt is cut there, so name a length that none of yours exceeds",
    lambda tokens: f"prompts of more than {formula(tokens)} tokens lose their beginning in this release",
)


KIND, MORE, WARMUP = "lr_scheduler_type", "lr_scheduler_kwargs", "warmup_steps"
FLOORS = {"cosine_with_min_lr": "cosine", "cosine_warmup_with_min_lr": "cosine"}
FLAT = ("constant", "constant_with_warmup")


def read_schedule(r: ReadContext) -> None:
    """A schedule over the updates of the run; those with a lowest rate have it among their arguments."""
    kind, more = r.native(KIND), r.native(MORE)
    arguments = _arguments(more)
    for name in arguments.keys() - {"min_lr", "min_lr_rate"}:
        r.narrowed[f"{MORE}.{name}"] = "an argument of the schedule that no field of the plan holds"
    known = isinstance(kind, str)
    r.set(OPTIM + "schedule", "constant" if kind in FLAT else FLOORS.get(kind, kind) if known else kind, KIND)
    floor = kind in FLOORS if known else False
    r.set(OPTIM + "min_lr", arguments.get("min_lr") if floor else None, MORE)
    share = arguments.get("min_lr_rate") if floor else None if kind in FLAT else 0.0
    r.set(OPTIM + "min_lr_ratio", share, MORE)
    r.set(OPTIM + "warmup_updates", _warmup(r) if kind != "constant" else 0, WARMUP)
    if kind == "constant":
        r.inactive[WARMUP] = f"{KIND}=constant has no warm-up; constant_with_warmup has"


def _arguments(more: Any) -> dict[str, Any]:
    """The schedule's arguments; a command line gives them as JSON (transformers TrainingArguments.__post_init__)."""
    if isinstance(more, str):
        with suppress(ValueError):
            more = json.loads(more)
    return more if isinstance(more, dict) else {}


def _warmup(r: ReadContext) -> Any:
    """Updates, or below 1 a share of the run's (transformers TrainingArguments.get_warmup_steps)."""
    asked = r.native(WARMUP)
    if asked is None or isinstance(asked, Expr) or asked >= 1 or asked == 0:
        return asked if isinstance(asked, Expr) else int(asked or 0)
    steps = r.native(STEPS)
    if isinstance(steps, int) and steps > 0:
        return ceil(steps * Fraction(str(asked)))
    periods = r.plan(R + "rollouts")
    if periods is None:
        periods = arith("*", r.plan(R + "epochs"), arith("//", Var("ROWS"), r.plan(PROMPTS)))
    updates = r.convert(periods, Unit.ROLLOUTS, Unit.UPDATES)
    return arith("*", asked, updates) if isinstance(updates, Expr) else ceil(updates * Fraction(str(asked)))


SAVES, SAVE_EVERY, EVALUATES, EVALUATE_EVERY, AT_START = (
    "save_strategy", "save_steps", "eval_strategy", "eval_steps", "eval_on_start"
)  # fmt: skip


def read_cadence(r: ReadContext) -> None:
    """Saving and evaluating count updates; evaluation is off unless its strategy says otherwise."""
    r.set(CADENCE + "save_rollouts", _every(r, SAVES, SAVE_EVERY), SAVE_EVERY, SAVES)
    every = _every(r, EVALUATES, EVALUATE_EVERY, otherwise="logging_steps")
    r.set(CADENCE + "eval_rollouts", every, EVALUATE_EVERY, EVALUATES)
    at_start = r.native(AT_START)
    r.set(CADENCE + "eval_at_start", at_start if r.native(EVALUATES) != "no" else False, AT_START, EVALUATES)


def _every(r: ReadContext, strategy: str, steps: str, otherwise: str = "") -> Any:
    """Rollout periods from one time to the next; None where there is none, or where epochs count."""
    word, count = r.native(strategy), r.native(steps)
    count = r.native(otherwise) if count is None and otherwise else count
    if word != "steps":
        if word not in ("no", None):
            r.narrowed[strategy] = f"{strategy}={formula(word)} counts otherwise than by updates"
        r.inactive[steps] = f"{strategy} is {formula(word)}"
        return None
    if isinstance(count, float) and count < 1:
        r.narrowed[steps] = f"{count:g} of the run's updates"
        return None
    return r.convert(count if isinstance(count, Expr) else int(count), Unit.UPDATES, Unit.ROLLOUTS)


RESUMES, RESUMED = "resume_from_checkpoint", "1.14.2"


def read_resume(r: ReadContext) -> None:
    """A folder, or a word that is true for the newest one below output_dir; up to 1.10 TRL's own script does not pass it on."""
    asked = r.native(RESUMES)
    if asked is not None and not r.since(RESUMED) and r.facts.program == "trl":
        r.inactive[RESUMES] = "trl/scripts/grpo.py does not pass it to train() in this release"
        asked = None
    newest = asked in (True, "true", "True")
    r.set("identity.resume", "never" if asked in (None, False, "false") else "auto" if newest else "path", RESUMES)
    r.set("identity.resume_path", None if newest or asked in (None, False, "false") else asked, RESUMES)


def read_loggers(r: ReadContext) -> None:
    """A tracker or several; the console is always there."""
    asked = r.native("report_to")
    if isinstance(asked, Expr):
        r.set("identity.loggers", asked, "report_to")
        return
    named = asked if isinstance(asked, list) else [] if asked in (None, "none", "all") else [asked]
    if asked == "all" or (asked is None and not r.since("0.27.2")):
        r.narrowed["report_to"] = "every tracker that is installed"
    r.set("identity.loggers", ["console", *(name for name in named if name != "none")], "report_to")


DTYPE, BF16, FP16, LAUNCHED = "dtype", "bf16", "fp16", "mixed_precision"
WORDS = {"float32": "fp32", None: "fp32"}
HALVES = {"bf16": "bfloat16", "fp16": "float16", "no": "fp32", None: "fp32"}


def read_dtypes(r: ReadContext) -> None:
    """Weights are loaded as dtype says, single precision unless written; what is computed with, the arguments say, or the launcher."""
    stored, computed = r.native(DTYPE), _computed(r)
    for role in ("actor", "reference"):
        path = f"stage.placement.{role}."
        r.set(path + "model_dtype", stored if isinstance(stored, Expr) else WORDS.get(stored, stored), DTYPE)
        r.set(path + "compute_dtype", computed, BF16, FP16, LAUNCHED)


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


BETAS = ("adam_beta1", "adam_beta2")


def read_betas(r: ReadContext) -> None:
    """Two keys make the pair."""
    r.set(OPTIM + "betas", [r.native(key) for key in BETAS], *BETAS)


def read_eval_responses(r: ReadContext) -> None:
    """Evaluation has as many answers as training, unless it has a number of its own."""
    number = r.native("num_generations_eval")
    r.set(
        "stage.sampling.eval.responses",
        r.native("num_generations") if number is None else number,
        "num_generations_eval",
    )
