"""Deprecated and renamed keys, with the release."""

from __future__ import annotations

from rftconf.lint.rule import INFO, WARNING, Family, Findings, Rename, finding, trinity, verl
from rftconf.lint.subject import Subject
from rftconf.schemas import registry

FAMILY = Family("VER")
rule = FAMILY.rule


@rule(
    2, WARNING, "a deprecated name",
    bad=verl("actor_rollout_ref.actor.optim.warmup_style=cosine"), good=verl("actor_rollout_ref.actor.optim.lr_scheduler_type=cosine"),
    advice="use the new name", source="the old names that the newest release still obeys (schemas/*/versions.py)", fixable=True,
)  # fmt: skip
def _deprecated(s: Subject) -> Findings:
    """The newest release still obeys it, with a warning in its log. It wins over the new name where both are given, and
    will go."""
    if s.best.release != registry.framework(s.framework).newest:
        return
    for change in s.changes:
        if change.key in s.leaves and change.became and change.became[0] != change.key and not change.lossy:
            new = change.became[0]
            taken = new in s.leaves
            yield finding(f"{change.key} is deprecated: it is called {new}", change.key, fix=() if taken else Rename(change.key, new),
                        safe=True)  # fmt: skip


@rule(
    3, INFO, "a key that later releases call otherwise",
    bad=verl("critic.model.fsdp_config.param_offload=True", "algorithm.adv_estimator=gae", "critic.model.path=org/m", release="0.7.1"),
    good=verl("critic.fsdp.param_offload=True", "algorithm.adv_estimator=gae", "critic.model.path=org/m", release="0.8.0"),
    advice="rename it when you upgrade", source="the edits between releases (schemas/*/versions.py), held by a closure test",
)  # fmt: skip
def _renamed(s: Subject) -> Findings:
    """This release has it under this name. Newer ones refuse the name, or accept it and read nothing."""
    newest = registry.framework(s.framework).newest
    if s.best.release == newest:
        return
    for change in s.changes:
        if change.key in s.leaves and change.became and change.key not in change.became:
            yield finding(f"{change.key} is {change.became[0]} in {newest}", change.key, help=change.why)


@rule(
    4, INFO, "a key that later releases no longer have",
    bad=verl("actor_rollout_ref.rollout.use_fire_sampling=True", release="0.4.1"), good=verl(),
    advice="see what takes its place before you upgrade", source="the edits between releases (schemas/*/versions.py)",
)  # fmt: skip
def _without_place(s: Subject) -> Findings:
    """The key's effect has no place in the newest release."""
    newest = registry.framework(s.framework).newest
    if s.best.release == newest:
        return
    for change in s.changes:
        if change.key in s.leaves and not change.became and change.lossy:
            yield finding(f"{change.key} has nothing that takes its place in {newest}", change.key, help=change.why)


@rule(
    5, INFO, "a key whose meaning changes with the release",
    bad=verl("actor_rollout_ref.actor.loss_agg_mode=seq-mean-token-sum-norm", release="0.6.1"),
    good=verl("actor_rollout_ref.actor.loss_agg_mode=token-mean", release="0.6.1"),
    advice="compare runs of one release only", source="Reinterpret edits (schemas/*/versions.py); H61, H66",
)  # fmt: skip
def _other_meaning(s: Subject) -> Findings:
    """The name stays while what it does changes, so an upgrade trains another way without a word."""
    if s.best.release == registry.framework(s.framework).newest:
        return
    for change in s.changes:
        if change.key in s.leaves and change.key in change.became and change.lossy:
            yield finding(f"{change.key} means something else in later releases", change.key, help=change.why)


_ = trinity
