"""ROLL's models that answer during rollout: reward workers with devices, judges, the shared server."""

from __future__ import annotations

from typing import Any

from rftconf.base.symbols import Expr
from rftconf.mappers.context import ReadContext
from rftconf.mappers.roll.conditions import CRITIC, REFERENCE, RL, follows_teacher, trained
from rftconf.mappers.roll.distilled import TEACHER_PATH, weights_of
from rftconf.mappers.roll.folds_domains import REWARDS, domains
from rftconf.mappers.roll.folds_engine import SHARES
from rftconf.mappers.roll.folds_places import INFER, NAME, P, device_ids
from rftconf.mappers.roll.rows_run import DTYPES
from rftconf.mappers.roll.teachers import several_teachers
from rftconf.mappers.shapes import take
from rftconf.mappers.supposing import may_hold
from rftconf.plan.origin import Kind

AUXILIARY = f"{P}auxiliary"
SHARED = {"rlvr": "reward_model", "agentic": "reward"}
"""Pipeline to the section of the one model that all reward code may ask."""
DEVICES, TYPE, WORKER = "device_mapping", "judge_model_type", "num_gpus_per_worker"
CONFIG, DRAWN = "strategy_args.strategy_config.", "generating_args"
JUDGE = "LLMJudgeRewardWorker"
SERVERS = ("vllm", "sglang")
LENGTHS = {"vllm": "max_model_len", "sglang": "context_length"}
REQUESTS = {"vllm": "max_num_seqs", "sglang": "max_running_requests"}
SAMPLING = {
    **{name: name for name in ("temperature", "top_p", "top_k", "repetition_penalty")}, "num_return_sequences": "responses",
}  # fmt: skip
TOLD = (
    DEVICES, TYPE, WORKER, "judge_model_name", "judge_api_url", "judge_prompt", "model_args.model_name_or_path", "model_args.dtype",
    "strategy_args.strategy_name", CONFIG + "*", "infer_batch_size", f"{DRAWN}.max_new_tokens", *(f"{DRAWN}.{key}" for key in SAMPLING),
)  # fmt: skip
"""Keys of a worker that say which model it holds, where, and how it is asked."""
JUDGES = frozenset({TYPE, "judge_model_name", "judge_api_url", "judge_prompt"})
"""Keys that only workers of a domain have."""
TAUGHT = (
    DEVICES, "model_args.dtype", "model_args.model_name_or_path", "strategy_args.strategy_name",
    "training_args.per_device_train_batch_size", "infer_batch_size",
    *(f"{CONFIG}{kind}_model_parallel_size" for kind in ("tensor", "pipeline")),
)  # fmt: skip
"""Keys of the teacher of a distillation run."""
FIELDS = (
    *("name", "role", "domain", "path", "url", "prompt", "gpus", "tp", "dp", "pp", "engine", "gpu_memory_fraction", "max_num_seqs", "dtype"),
    *("enforce_eager", "prompt_max_tokens", "response_max_tokens", "model_max_tokens", "load_format", "sequences_per_pass", "own_pool", "colocate_with"),
    *(f"sampling.{field}" for field in SAMPLING.values()),
)  # fmt: skip


def natives() -> tuple[str, ...]:
    """The keys that this fold reads."""
    shared = tuple(f"{section}.{key}" for section in SHARED.values() for key in TOLD if key not in JUDGES)
    return (
        *(f"{REWARDS}<*>.{key}" for key in TOLD),
        *shared,
        "reward_model.name",
        "teacher_pretrain",
        *(f"teacher.{key}" for key in TAUGHT),
    )


def read_auxiliary(r: ReadContext) -> None:
    """Every worker that holds a model, or asks a service for one; a rule on CPUs is none."""
    if r.trainer == "distill":
        _read_teacher(r)
    if not RL.test(r):
        return
    named = [(f"{REWARDS}.{name}", name) for name in domains(r)] if r.trainer == "rlvr" else []
    shared = SHARED[r.trainer]
    taken: dict[str, list[int] | None] = dict(_roles(r))
    index = 0
    if follows_teacher(r):
        _read_teacher(r)
        index = 1
    services = [pair for pair in named if _value(r, pair[0], TYPE) == "api"]
    for section, domain in [*(pair for pair in named if pair not in services), (shared, None), *services]:
        ids = device_ids(r, f"{section}.{DEVICES}")
        service = (section, domain) in services
        _say_stops(r, section, ids)
        if ids == [] and not service:
            continue
        prefix = f"{AUXILIARY}[{index}]."
        _read_identity(r, prefix, section, domain, service=service)
        if service:
            _read_service(r, prefix, section)
        else:
            _read_place(r, prefix, section, ids, taken)
            _read_engine(r, prefix, section)
            taken[str(domain or shared)] = ids
        _read_answers(r, prefix, section)
        index += 1


def _value(r: ReadContext, section: str, key: str) -> Any:
    """A worker's value; domains have names of their own, so their defaults stand under a pattern."""
    return r.native(f"{section}.{key}", r.source.defaults.values.get(f"{REWARDS}<*>.{key}"))


def _roles(r: ReadContext) -> list[tuple[str, list[int] | None]]:
    """The roles of the policy and their devices."""
    sections = [("actor", trained(r)), ("rollout", "actor_infer")]
    sections += [("reference", "reference")] if may_hold(REFERENCE, r) else []
    sections += [("critic", "critic")] if may_hold(CRITIC, r) else []
    return [(role, device_ids(r, f"{section}.{DEVICES}")) for role, section in sections]


def _say_stops(r: ReadContext, section: str, ids: list[int] | None) -> None:
    """A judge that ROLL does not start: its worker raises ValueError for any other type, and has no GPU for its model."""
    if not str(_value(r, section, "worker_cls")).endswith(JUDGE):
        return
    kind = _value(r, section, TYPE)
    if kind not in ("api", "inference") and not isinstance(kind, Expr):
        r.note(f"{section}.{TYPE} is {kind or 'not set'}: {JUDGE} knows api and inference, and stops at anything else")
    elif kind == "inference" and ids == []:
        r.note(f"{section} holds its model itself but has no {DEVICES}: ROLL would start it without a GPU")


def _read_identity(r: ReadContext, prefix: str, section: str, domain: str | None, *, service: bool) -> None:
    """Read a model's role, name, prompt and path: a judge answers in words, a reward model with a number."""
    worker, model = f"{section}.worker_cls", f"{section}.model_args.model_name_or_path"
    if domain is None:
        r.set(prefix + "role", "judge", model)
        named = section == "reward_model"
        own = r.native("reward_model.name") if named else None
        r.set(prefix + "name", own or section, "reward_model.name" if named else model)
    else:
        kind = f"{section}.{TYPE}"
        asks = _value(r, section, TYPE) is not None
        judge = asks or str(_value(r, section, "worker_cls")).endswith(JUDGE)
        r.set(prefix + "role", "judge" if judge else "reward", kind if asks else worker)
        r.set(prefix + "name", domain, worker)
        r.set(prefix + "domain", domain, worker)
        r.set(prefix + "prompt", _value(r, section, "judge_prompt"), f"{section}.judge_prompt")
    if not service:
        r.set(prefix + "path", _value(r, section, "model_args.model_name_or_path"), model)


def _read_service(r: ReadContext, prefix: str, section: str) -> None:
    """A model that a service outside the run holds; its key is never read."""
    r.set(prefix + "engine", "external", f"{section}.{TYPE}")
    r.set(prefix + "path", _value(r, section, "judge_model_name"), f"{section}.judge_model_name")
    r.set(prefix + "url", _value(r, section, "judge_api_url"), f"{section}.judge_api_url")
    r.set(prefix + "gpus", 0, f"{section}.{TYPE}")


def _read_place(
    r: ReadContext, prefix: str, section: str, ids: list[int] | None, taken: dict[str, list[int] | None]
) -> None:
    """Its GPUs, and with whom it shares them."""
    key = f"{section}.{DEVICES}"
    r.set(prefix + "gpus", len(ids) if ids else None, key, how=f"{len(ids)} devices" if ids else "")
    if ids is None or any(others is None for others in taken.values()):
        return
    mine = set(ids)
    beside = [role for role, others in taken.items() if mine & set(others or ())]
    r.set(prefix + "own_pool", not beside, key)
    r.set(prefix + "colocate_with", beside, key)


def _read_engine(r: ReadContext, prefix: str, section: str) -> None:
    """Its engine and the GPUs of one replica; engine arguments have the engine's own names."""
    name = _value(r, section, "strategy_args.strategy_name") if r.written(f"{section}.strategy_args") else None
    engine = INFER.get(name, name) if isinstance(name, str) else name
    r.set(prefix + "engine", engine, section + NAME)
    r.set(prefix + "dtype", DTYPES.get(_value(r, section, "model_args.dtype"), r, None), f"{section}.model_args.dtype")
    worker, batch = f"{section}.{WORKER}", f"{section}.infer_batch_size"
    if engine not in SERVERS:
        _count(r, prefix + "pp", worker, _value(r, section, WORKER) if engine == "hf" else None)
        r.set(prefix + "sequences_per_pass", _value(r, section, "infer_batch_size"), batch)
        return
    r.inactive[batch] = f"{engine} takes as many requests at once as it has room for"
    config = f"{section}.{CONFIG}"
    tp = r.native(config + "tensor_parallel_size")
    if engine == "vllm" or tp is not None:
        r.inactive[worker] = "the parallel sizes of the engine say it"
        r.set(prefix + "tp", 1 if tp is None else tp, config + "tensor_parallel_size")
    else:
        r.set(prefix + "tp", _value(r, section, WORKER), worker)
    take(r, config + "pipeline_parallel_size", prefix + "pp", 1)
    r.set(prefix + "dp", 1, kind=Kind.DEFAULT, how="every worker is an engine of its own")
    share = config + SHARES[engine]
    take(r, share, prefix + "gpu_memory_fraction", 0.9 if engine == "vllm" else None)
    for keys, field in ((LENGTHS, "model_max_tokens"), (REQUESTS, "max_num_seqs")):
        take(r, config + keys[engine], prefix + field)
    if engine == "vllm":
        take(r, config + "enforce_eager", prefix + "enforce_eager", False)
        take(r, config + "load_format", prefix + "load_format", "dummy")
        if not r.written(config + "load_format"):
            r.note(f"{config}load_format is not set: vllm_strategy's default is dummy, so this model answers with random weights")  # fmt: skip


def _count(r: ReadContext, path: str, key: str, value: Any) -> None:
    if value is not None:
        r.set(path, value, key, how="layers are spread over the GPUs of a worker")


def _read_answers(r: ReadContext, prefix: str, section: str) -> None:
    """Read a judge's sampling and its lengths in tokens; without generating_args nothing is drawn."""
    if not r.written(f"{section}.{DRAWN}"):
        return
    key = f"{section}.{DRAWN}.max_new_tokens"
    r.set(prefix + "response_max_tokens", _value(r, section, f"{DRAWN}.max_new_tokens"), key)
    whole, response = r.values.get(prefix + "model_max_tokens"), r.values.get(prefix + "response_max_tokens")
    if isinstance(whole, int) and isinstance(response, int) and whole > response:
        how = f"{whole} - {response} tokens"
        place = f"{section}.{CONFIG}{LENGTHS[r.values[prefix + 'engine']]}"
        r.set(prefix + "prompt_max_tokens", whole - response, place, key, how=how, kind=Kind.DERIVED)
    for name, field in SAMPLING.items():
        r.set(f"{prefix}sampling.{field}", _value(r, section, f"{DRAWN}.{name}"), f"{section}.{DRAWN}.{name}")


def _read_teacher(r: ReadContext) -> None:
    """The model whose distribution the student follows: it scores each batch before the student learns from it."""
    prefix, section = f"{AUXILIARY}[0].", "teacher"
    path, key = (None, TEACHER_PATH) if follows_teacher(r) else weights_of(r, "teacher")
    if follows_teacher(r):
        path = r.native(
            "pretrain" if r.plan("stage.model.path") is None or TEACHER_PATH in r.inactive else TEACHER_PATH
        )
    r.set(prefix + "role", "teacher", key)
    r.set(prefix + "name", "teacher", key)
    named = several_teachers(key for key, _ in r.source.leaves())
    if named:
        sentence = f"teacher: {', '.join(named)} score the rows of their tags"
        r.note(f"{sentence}; the plan has one teacher, so name them in another framework")
        return
    r.set(prefix + "path", path, key)
    _read_place(
        r, prefix, section, device_ids(r, f"{section}.{DEVICES}"), {"actor": device_ids(r, f"{trained(r)}.{DEVICES}")}
    )  # it scores while the engines sleep: with them it shares whatever it shares with the trainer
    name = r.native(section + NAME)
    r.set(prefix + "engine", INFER.get(name, name) if isinstance(name, str) else name, section + NAME)
    r.set(prefix + "dtype", DTYPES.get(r.native(f"{section}.model_args.dtype"), r, None), f"{section}.model_args.dtype")
    batch = f"{section}.{'infer_batch_size' if follows_teacher(r) else 'training_args.per_device_train_batch_size'}"
    take(r, batch, prefix + "sequences_per_pass")
    for kind, field in (("tensor", "tp"), ("pipeline", "pp")) if name == "megatron_infer" else ():
        size = f"{section}.{CONFIG}{kind}_model_parallel_size"
        take(r, size, prefix + field, 1)
