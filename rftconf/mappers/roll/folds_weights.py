"""ROLL's weights: one path for all roles, unless every role names a model of its own."""

from __future__ import annotations

from rftconf.base.ledger import State
from rftconf.mappers.context import ReadContext, WriteContext
from rftconf.mappers.roll.conditions import CRITIC, follows_teacher
from rftconf.mappers.roll.distilled import TEACHER_PATH, weights_of
from rftconf.mappers.shapes import carry, lose_known, take
from rftconf.mappers.supposing import may_hold

PATHS = tuple(f"{role}.model_args.model_name_or_path" for role in ("actor_train", "actor_infer", "reference"))
CRITIC_PATH, CRITIC_TYPE = "critic.model_args.model_name_or_path", "critic.model_args.model_type"
VALUE_HEAD = "trl"
"""TRL's causal model with a value head; the other type, a token classifier, is a model of its own (model_providers)."""


def read_model(r: ReadContext) -> None:
    """pretrain, unless every role names its own model; the critic falls back to reward_pretrain."""
    if r.trainer == "distill":
        path, key = weights_of(r, "student")
        r.set("stage.model.path", path, key)
        return
    roles = {"agentic": PATHS, "rlvr": PATHS, "dpo": PATHS[::2]}.get(r.trainer, ())
    roles = (*PATHS[:2], TEACHER_PATH) if follows_teacher(r) else roles
    own = [r.native(path) for path in roles]
    names_all = bool(own) and all(v is not None for v in own)
    same = [role for role, value in zip(roles, own, strict=True) if value == own[0]]
    r.set("stage.model.path", own[0] if names_all else r.native("pretrain"), *(same if names_all else ["pretrain"]))
    if names_all:
        r.inactive["pretrain"] = "every role names its model; other keys may take this value by ${pretrain}"
    if not may_hold(CRITIC, r):
        r.inactive["reward_pretrain"] = (
            "only a critic starts from it; other keys may take this value by ${reward_pretrain}"
        )
    if follows_teacher(r):
        roles, own = roles[:2], own[:2]
        _say_teacher(r, names_all=names_all)
    if names_all and any(v != own[0] for v in own):
        for path, value in zip(roles[1:], own[1:], strict=True):
            if value != own[0]:
                r.narrowed[path] = "this role starts from a model of its own; elsewhere all start from the policy's"
    elif not names_all:
        r.inactive.update(dict.fromkeys(roles, "pretrain is written over it unless every role names a model"))
    if may_hold(CRITIC, r):
        named = r.native(CRITIC_PATH) is not None
        take(r, CRITIC_PATH if named else "reward_pretrain", "stage.model.critic_path")


def _say_teacher(r: ReadContext, *, names_all: bool) -> None:
    """One role without a model, and ROLL writes `pretrain` over all three, the teacher's too (base_config: __post_init__)."""
    if not names_all and r.native(TEACHER_PATH) is not None:
        why = (
            "student_train, student_infer and the teacher must each name a model, or ROLL takes pretrain for all three"
        )
        r.inactive[TEACHER_PATH] = why
        r.note(f"{TEACHER_PATH} does nothing: {why}; the student would follow itself")


def write_model(w: WriteContext) -> None:
    """pretrain for all roles; the critic's own path only where there is a critic."""
    if w.plan("stage.model.path") is not None:
        w.put("pretrain", w.plan("stage.model.path"), "stage.model.path", always=True)
        for path in PATHS[:2] if follows_teacher(w) else ():
            how = "without it ROLL takes pretrain for the teacher, too"
            w.put(path, w.plan("stage.model.path"), always=True, how=how)
    if CRITIC.test(w) and not w.same_framework:
        how = "a value head on the language model; ROLL builds no critic without a type"
        w.put(CRITIC_TYPE, VALUE_HEAD, always=True, how=how)
    if CRITIC.test(w):
        carry(w, CRITIC_PATH, "stage.model.critic_path", always=True)
    else:
        lose_known(w, State.DEAD_IN_TARGET, CRITIC.otherwise, "stage.model.critic_path")
