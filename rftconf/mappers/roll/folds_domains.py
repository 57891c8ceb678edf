"""ROLL's domains: which rows, which share of a batch, who scores them, which groups are drawn again."""

from __future__ import annotations

import re
from typing import Any

from rftconf.base.ledger import State
from rftconf.mappers.context import ReadContext, WriteContext
from rftconf.mappers.filters import first_filter
from rftconf.mappers.shapes import carry, leave_open, lose_known, settle_known, take
from rftconf.text.keys import segments

D = "stage.data."
PROBS, REWARDS = "actor_train.data_args.domain_interleave_probs", "rewards"
WORKERS = "ROLL scores each domain with a worker class; the source's reward code is not carried over"


def domains(r: ReadContext) -> list[str]:
    """The names below `rewards`, in the order written."""
    return list(dict.fromkeys(str(segments(key)[1]) for key in r.source.below(REWARDS)))


def read_domains(r: ReadContext) -> None:
    """A domain: the tags of its rows, its share of each batch, and who scores it (H43)."""
    shares = r.source.branch(PROBS)
    alone = list(shares.values()) == [1]
    for index, name in enumerate(dict.fromkeys([*shares, *domains(r)])):
        prefix, native = f"{D}domains[{index}].", f"{REWARDS}.{name}."
        named = (native + "worker_cls",) if alone else (f"{PROBS}.{name}", native + "worker_cls")
        r.set(prefix + "name", name, *([k for k in named if r.written(k)] or [f"{PROBS}.{name}"]))
        if not alone:  # the whole of every batch is no share
            r.set(prefix + "weight", shares.get(name), f"{PROBS}.{name}")
        take(r, native + "tag_included", prefix + "tags")
        take(r, native + "worker_cls", prefix + "reward")
        if name not in shares and shares:
            r.note(f"rewards.{name} scores validation rows only: it has no share in domain_interleave_probs")
    keys = [f"{PROBS}.{name}" for name in shares] if alone else [PROBS]
    r.set(D + "mixing", "weighted" if len(shares) > 1 else "concat", *keys)
    known = any(r.native(f"{REWARDS}.{name}.tag_included") for name in domains(r))
    if "math_rule" not in domains(r) and known:
        r.note("rows whose tag no domain lists fall to a domain called math_rule, which this file does not have (H43)")
    _read_filter(r)


def _read_filter(r: ReadContext) -> None:
    """Groups without spread are drawn again; the first domain speaks for all."""
    for name in domains(r):
        section = f"{REWARDS}.{name}.query_filter_config."
        if r.native(section + "type") != "std_filter" or "stage.algorithm.filters[0].kind" in r.values:
            continue
        to = "stage.algorithm.filters[0]."
        r.set(to + "kind", "zero_std", section + "type")
        r.set(to + "metric", "reward", section + "type")
        r.set(to + "action", "refill", section + "type")
        least = section + "filter_args.std_threshold"
        r.set(to + "threshold", r.native(least, -1), least, section + "type")


def write_domains(w: WriteContext) -> None:
    """The plan's domains; without any, one for each data set, whose reward a person must name."""
    names = [w.plan(f"{D}domains[{i}].name") for i in range(w.items(D + "domains"))]
    w.facts.domains = names or _names_of_sets(w)
    if names:
        write_known_domains(w, names)
    else:
        names = w.facts.domains
        share: Any = 1.0 if len(names) == 1 else "???"
        for name in names:
            leave_open(w, f"{REWARDS}.{name}.worker_cls", WORKERS)
            how = "rows need a column `tag` that says so (H43)"
            w.put(f"{REWARDS}.{name}.tag_included", [name], always=True, how=how)
            w.put(f"{PROBS}.{name}", share, always=True, how="the only domain" if share == 1.0 else "")
            ask_about_reward(w, name, WORKERS)
    _write_filter(w, names)


def ask_about_reward(w: WriteContext, name: str, why: str) -> None:
    """Ask which worker class scores this domain."""
    workers = "roll.pipeline.rlvr.rewards."
    choices = (f"{workers}math_rule_reward_worker.MathRuleRewardWorker", f"{workers}code_sandbox_reward_worker.CodeSandboxRewardWorker",
               "a worker class of your own")  # fmt: skip
    w.decide(f"{REWARDS}.{name}.worker_cls", why, *choices)


def _names_of_sets(w: WriteContext) -> list[str]:
    """One domain for each training set: its own name, else `math_rule`, where ROLL puts rows without a known tag."""
    names = [w.plan(f"{D}train[{i}].name") for i in range(w.items(D + "train"))]
    plain = [re.sub(r"\W", "_", str(name)) for name in names if isinstance(name, str)]
    unique = list(dict.fromkeys(plain))
    if len(unique) == len(names) and unique and w.plan(D + "mixing") != "concat":
        for index, (name, domain) in enumerate(zip(names, plain, strict=True)):
            renamed = name != domain
            w.lose(f"{D}train[{index}].name", State.NARROWED if renamed else State.DERIVED,
                   f"the domain's name; wrote {domain}" if renamed else "the domain's name")  # fmt: skip
        return unique
    return ["math_rule"]


def write_known_domains(w: WriteContext, names: list[Any]) -> None:
    """The plan's domains by their names."""
    for index, name in enumerate(names):
        prefix, native = f"{D}domains[{index}].", f"{REWARDS}.{name}."
        w.lose(prefix + "name", State.EXACT, "")
        carry(w, f"{PROBS}.{name}", prefix + "weight", always=True)
        carry(w, native + "tag_included", prefix + "tags", always=True)
        carry(w, native + "worker_cls", prefix + "reward", always=True)
    if w.plan(D + "mixing") == "concat" and all(w.plan(f"{D}domains[{i}].weight") is None for i in range(len(names))):
        w.put(f"{PROBS}.{names[0]}", 1.0, D + "mixing", always=True, how="the only domain")
    elif w.plan(D + "mixing") is not None:
        w.lose(D + "mixing", State.DEFAULT, "domains are drawn by weight here too")


def _write_filter(w: WriteContext, names: list[Any]) -> None:
    only = "ROLL's query filter draws again for groups without spread; nothing else"
    prefix = first_filter(w, lambda path: w.plan(path + "kind") == "zero_std", only)
    if prefix is None:
        return
    threshold = w.plan(prefix + "threshold")
    dropped = w.plan(prefix + "action") in ("drop", "duplicate")
    note = "ROLL draws again where the source does not (H40)" if dropped else ""
    for name in names:
        native = f"{REWARDS}.{name}.query_filter_config."
        w.put(native + "type", "std_filter", prefix + "kind", prefix + "action", note=note, always=True)
        paths = [] if threshold is None else [prefix + "threshold"]
        w.put(native + "filter_args.std_threshold", threshold if paths else 0.0, *paths, always=True)
    same = w.plan(prefix + "metric") == "reward"
    settle_known(w, prefix + "metric", same, "the reward", "ROLL looks at the reward's spread")
    bound = "ROLL bounds requests, not prompts, in flight: max_running_requests"
    lose_known(w, State.NO_COUNTERPART, bound, prefix + "max_in_flight_rollouts")
