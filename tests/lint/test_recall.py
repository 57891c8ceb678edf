"""Seeded mutations of configs that are fine: at least 95 of 100 are found, with the code that names the cause."""

from __future__ import annotations

from itertools import product

from rftconf.lint import engine
from rftconf.lint.rule import Example
from tests.lint.bases import documents
from tests.lint.mutations import TRINITY, VERL

VERL_BASES: tuple[tuple[str, ...], ...] = (
    (),
    ("algorithm.adv_estimator=rloo",),
    ("trainer.nnodes=2",),
    ("actor_rollout_ref.actor.fsdp_config.param_offload=True", "actor_rollout_ref.actor.strategy=fsdp2"),
)
TRINITY_BASES: tuple[tuple[str, ...], ...] = (
    (),
    ("cluster.node_num=2", "explorer.rollout_model.engine_num=4"),
    ("algorithm.repeat_times=16", "buffer.batch_size=16"),
)
LEAST = 0.95


def found(framework: str, base: tuple[str, ...], mutation: str) -> set[str]:
    changed = {line.lstrip("+").partition("=")[0] for line in mutation.splitlines()}
    kept = [line for line in base if line.partition("=")[0] not in changed]
    (document, *_) = documents(Example(framework, (*kept, *mutation.splitlines())))
    return {d.code for d in engine.check(document, engine.Options(framework))}


def test_mutations_are_found() -> None:
    cases = [("verl", base, m, code) for base, (m, code) in product(VERL_BASES, VERL)]
    cases += [("trinity", base, m, code) for base, (m, code) in product(TRINITY_BASES, TRINITY)]
    assert len(cases) >= 300
    clean = {(framework, base): found(framework, base, "") for framework, base, _, _ in cases}
    missed = []
    for framework, base, mutation, code in cases:
        new = found(framework, base, mutation) - clean[framework, base]
        if not any(name.startswith(code) for name in new):
            missed.append(f"{framework} {base} {mutation!r}: {code} not among {sorted(new)}")
    assert len(missed) <= (1 - LEAST) * len(cases), "\n".join(missed)
    print(f"{len(cases) - len(missed)} of {len(cases)} found")
