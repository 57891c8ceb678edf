"""Questions about runs that OpenRLHF cannot take as they are, and about settings that its flags do not tell."""

from __future__ import annotations

from rftconf.base.ledger import Decision
from rftconf.base.symbols import MISSING, formula
from rftconf.mappers.context import WriteContext
from rftconf.mappers.openrlhf.folds_places import AGENT, MODEL, URL
from rftconf.mappers.placing import Target
from rftconf.mappers.shapes import leave_open

TARGET = Target(
    True, 0.6, "the engine shares its GPUs with the trainer, as in OpenRLHF's own hybrid scripts", either=True
)
KEEP = "or keep the source's framework"
BACKEND = "stage.placement.actor.backend"


STARTING_SCHEDULES = frozenset(
    {"constant", "constant_with_warmup", "inverse_sqrt", "cosine_with_min_lr", "cosine_warmup_with_min_lr"}
)
"""Schedules that take a lowest rate, or are given none (transformers/optimization.py: get_scheduler)."""


def complete(w: WriteContext) -> None:
    """Leave open what stops a run: a reward where nothing scores answers, and a schedule of an older release."""
    for role in ("actor", "critic"):
        word, path = f"{role}.lr_scheduler", f"stage.optim.{role}.schedule"
        kind = w.out[word].value if word in w.out else None
        if (
            not w.same_framework
            and not w.since("0.10.2")
            and isinstance(kind, str)
            and kind not in {MISSING, *STARTING_SCHEDULES}
        ):
            why = f"OpenRLHF {w.release} gives every schedule a lowest rate (ppo_{role}.py), and stops at {kind}, which takes none"
            leave_open(w, word, why, path)
    if MODEL not in w.out and URL not in w.out and AGENT not in w.out:
        leave_open(
            w,
            URL,
            "who scores answers: a Python file with reward_func, the address of a service, or reward.model_name_or_path",
        )


def questions(w: WriteContext) -> list[Decision]:
    """Ask about the reward where it is code, and about a trainer of another kind."""
    questions = []
    own = w.plan("stage.reward.function_path")
    if URL in w.out and MODEL not in w.out:
        source = f"the source's {formula(own)}" if own is not None else "the source's reward"
        why = f"{source} is not carried over: reward_func(queries, prompts, labels) here returns tensors of rewards and scores"
        questions.append(Decision(URL, why, ("name a Python file with reward_func", "give the address of a service")))
    if w.plan(BACKEND) == "megatron":
        why = "OpenRLHF trains with DeepSpeed, where the source has Megatron: weights are sharded by ZeRO instead"
        questions.append(Decision("ds.zero_stage", why, ("3: weights, gradients and optimizer are sharded", KEEP)))
    return questions
