"""A plan's reward models and judges as ROLL's workers: those of a domain, or the one server that all may ask."""

from __future__ import annotations

from typing import Any

from rftconf.base.ledger import State
from rftconf.base.symbols import Expr, formula
from rftconf.mappers.context import WriteContext
from rftconf.mappers.roll.conditions import follows_teacher
from rftconf.mappers.roll.devices import mapping
from rftconf.mappers.roll.folds_auxiliary import (
    AUXILIARY,
    CONFIG,
    DEVICES,
    DRAWN,
    LENGTHS,
    REQUESTS,
    SAMPLING,
    SERVERS,
    SHARED,
    TYPE,
)
from rftconf.mappers.roll.folds_domains import REWARDS
from rftconf.mappers.roll.folds_engine import SHARES, put_dtype
from rftconf.mappers.roll.folds_places import INFER_OF, NAME, P
from rftconf.mappers.roll.teacher_role import write_teacher
from rftconf.mappers.shapes import carry, known_below, leave_open, lose_known, settle, settle_known

SERVER = SHARED["rlvr"]
CLASSIFIER = "roll.pipeline.base_worker.RewardWorker"
ASKED = "roll.pipeline.rlvr.rewards.llm_judge_reward_worker.LLMJudgeRewardWorker"
STRATEGIES = {**INFER_OF, "vllm": "vllm", "sglang": "sglang"}
SERVED_SINCE = "0.3.0"


def write_auxiliary(w: WriteContext) -> None:
    """Each model in its section; what the plan does not tell about it is left open."""
    for index in range(w.items(AUXILIARY)):
        prefix = f"{AUXILIARY}[{index}]."
        if w.plan(prefix + "role") == "teacher" and follows_teacher(w) and not w.same_framework:
            write_teacher(w, prefix)
            continue
        section, why = _section(w, prefix)
        if w.same_framework:
            lose_known(w, State.EXACT, "", *known_below(w, prefix))
        elif section is None:
            lose_known(w, State.NO_COUNTERPART, why, *known_below(w, prefix))
        elif w.plan(prefix + "engine") == "external":
            _write_service(w, prefix, section)
        else:
            w.facts.sections.append(section)
            _write_model(w, prefix, section)


def _section(w: WriteContext, prefix: str) -> tuple[str | None, str]:
    """The worker of its domain, else of the only domain for what scores every answer, else the shared server."""
    names, taken = w.facts.domains, w.facts.sections
    role, domain = w.plan(prefix + "role"), w.plan(prefix + "domain")
    if w.trainer != "rlvr":
        return None, "only the RLVR pipeline has reward workers"
    if domain in names or (role == "reward" and len(names) == 1):
        own = f"{REWARDS}.{domain if domain in names else names[0]}"
        return (own, "") if own not in taken else (None, f"{own} holds one model, and has another one already")
    if w.plan(prefix + "engine") == "external":
        return None, f"a service is asked by the worker of a domain ({TYPE}: api), and none is named"
    if not w.since(SERVED_SINCE):
        return None, f"ROLL {w.release} serves no model beside the policy: {SERVER} came with {SERVED_SINCE}"
    return (SERVER, "") if SERVER not in taken else (None, f"ROLL serves one model beside the policy, {SERVER}")


def _write_service(w: WriteContext, prefix: str, section: str) -> None:
    w.put(f"{section}.{TYPE}", "api", prefix + "engine", prefix + "role", always=True)
    for key, field in (("judge_model_name", "path"), ("judge_api_url", "url"), ("judge_prompt", "prompt")):
        carry(w, f"{section}.{key}", prefix + field, always=True)
    w.decide(f"{section}.judge_api_key", "the service's key is never carried over", "give it when the run starts")
    for field in ("name", "domain", "gpus"):
        w.lose(prefix + field, State.DEFAULT, "the worker of the domain says it")


def _write_model(w: WriteContext, prefix: str, section: str) -> None:
    served = section == SERVER
    if served:
        named = [prefix + "name"] if w.plan(prefix + "name") is not None else []
        w.put(f"{section}.name", w.plan(prefix + "name") or SERVER, *named, always=True)
    elif w.plan(prefix + "name") is not None:
        state = State.DEFAULT if section == f"{REWARDS}.{w.plan(prefix + 'name')}" else State.NO_COUNTERPART
        w.lose(prefix + "name", state, "its domain has a name")
    lose_known(w, State.EXACT, "", prefix + "domain")
    _say_role(w, prefix, section, served=served)
    keys = ("model_args.model_name_or_path", "judge_prompt", "infer_batch_size")
    for key, field in zip(keys, ("path", "prompt", "sequences_per_pass"), strict=True):
        carry(w, f"{section}.{key}", prefix + field, always=True)
    if w.plan(prefix + "dtype") is not None:
        put_dtype(w, section, prefix + "dtype", always=True)
    _write_engine(w, prefix, section)
    _write_lengths(w, prefix, section)
    for name, field in SAMPLING.items():
        carry(w, f"{section}.{DRAWN}.{name}", f"{prefix}sampling.{field}", always=True)
    _write_devices(w, prefix, section)


def _say_role(w: WriteContext, prefix: str, section: str, *, served: bool) -> None:
    """Who asks the model is code: a person names the worker."""
    path = w.model_beside(prefix)
    if served:
        why = f"ROLL serves {path} beside the policy; a reward worker of your own has to ask it by its name"
        w.decide(f"{section}.worker_cls", why, "roll.pipeline.base_worker.InferWorker, ROLL's own default, serves it",
                 "and a worker class below rewards that asks RewardModelScheduler")  # fmt: skip
    else:
        why = f"which worker asks {path} depends on what it answers: a number or words"
        w.decide(f"{section}.worker_cls", why, f"{CLASSIFIER}: a classifier, with strategy_name hf_infer",
                 f"{ASKED}: a chat model, with judge_model_type inference, judge_prompt and generating_args", "a worker class of your own")  # fmt: skip
    w.lose(prefix + "role", State.NARROWED, why)


def _write_engine(w: WriteContext, prefix: str, section: str) -> None:
    engine = w.plan(prefix + "engine")
    known = isinstance(engine, str) and engine in STRATEGIES
    none = "the source does not say what serves it" if engine is None else f"ROLL has no strategy for {formula(engine)}"
    note = "" if known else none
    state = State.EXACT if known else State.UNRESOLVED
    w.put(section + NAME, STRATEGIES.get(str(engine), "???"), prefix + "engine", state=state, note=note, always=True)
    config = f"{section}.{CONFIG}"
    fields: list[tuple[str, str, Any]] = [("tensor_parallel_size", "tp", 1), ("pipeline_parallel_size", "pp", 1)]
    if not known:
        why = "how many GPUs a replica takes depends on the strategy, which is still to be named"
        for _, field, _ in fields:
            lose_known(w, State.UNRESOLVED, why, prefix + field)
        fields = []
    if engine in SERVERS:
        fields += [(SHARES[engine], "gpu_memory_fraction", None), (REQUESTS[engine], "max_num_seqs", None)]
    if engine == "vllm":
        fields.append(("enforce_eager", "enforce_eager", False))
    for key, field, default in fields:
        carry(w, config + key, prefix + field, default=default)
    if engine == "vllm":
        loaded = [prefix + "load_format"] if w.plan(prefix + "load_format") is not None else []
        how = "ROLL's own default, dummy, waits for weights that nobody sends to this model"
        w.put(config + "load_format", w.plan(prefix + "load_format") or "auto", *loaded, always=True, how=how)
    note = "every worker is an engine of its own; there are as many as the devices allow"
    settle_known(w, prefix + "dp", w.plan(prefix + "dp") == 1, note)


def _write_lengths(w: WriteContext, prefix: str, section: str) -> None:
    """ROLL bounds the whole context and the answer; a bound on the question is the difference."""
    engine = w.plan(prefix + "engine")
    prompt, response, whole = (w.plan(f"{prefix}{name}_max_tokens") for name in ("prompt", "response", "model"))
    carry(w, f"{section}.{DRAWN}.max_new_tokens", prefix + "response_max_tokens", always=True)
    summed = whole is None and prompt is not None and response is not None
    paths = [f"{prefix}prompt_max_tokens"] if summed else [prefix + "model_max_tokens"] if whole is not None else []
    value = prompt + response if summed else whole
    if value is not None and engine in LENGTHS:
        how = f"{formula(prompt)} + {formula(response)} tokens" if summed else ""
        w.put(f"{section}.{CONFIG}{LENGTHS[engine]}", value, *paths, how=how, always=True,
              state=State.DERIVED if summed else State.EXACT)  # fmt: skip
    if prompt is not None and not summed:
        left = response is not None and prompt + response == whole
        note = "ROLL bounds the context and the answer, not the question"
        settle(w, prefix + "prompt_max_tokens", left, note, alike=State.DERIVED)


def _write_devices(w: WriteContext, prefix: str, section: str) -> None:
    """Behind the policy's GPUs, or on them where the source shares them."""
    count, free, beside = w.plan(prefix + "gpus"), w.facts.first_free, w.plan(prefix + "colocate_with")
    actor, rollout = w.plan(P + "actor.gpus"), w.plan(P + "rollout.gpus")
    own = w.plan(prefix + "own_pool") is not False
    paths = [prefix + field for field in ("gpus", "own_pool", "colocate_with") if w.plan(prefix + field) is not None]
    first: Any = free
    if not own:
        count = actor if count is None else count
        room = [actor, rollout, count]
        behind = beside == ["actor"] and not any(isinstance(v, Expr) or v is None for v in room)
        first = rollout if behind and rollout + count <= actor and w.plan(P + "layout") == "colocated" else 0
    if not isinstance(count, int) or not isinstance(first, int):
        note = "the number of GPUs is not known"
        leave_open(w, f"{section}.{DEVICES}", note, *paths)
        return
    if own:
        w.facts.first_free = first + count
    state, note = State.DERIVED, ""
    if not own and first == 0:
        state = State.NARROWED
        note = "in ROLL reward workers answer while the engines generate: on shared GPUs both have to fit at once"
        w.decide(f"{section}.{DEVICES}", note, "devices of its own", "shares of a GPU that fit beside each other")
    w.put(
        f"{section}.{DEVICES}", mapping(first, count), *paths, state=state, note=note, how=f"{count} GPUs", always=True
    )
