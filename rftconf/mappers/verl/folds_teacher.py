"""veRL's teacher: its divergence as advantage or loss, its engines and their pool."""

from __future__ import annotations

from rftconf.base.ledger import State
from rftconf.base.symbols import Expr, formula
from rftconf.mappers.codecs import words
from rftconf.mappers.context import ReadContext, When, WriteContext
from rftconf.mappers.rates import longest_sample
from rftconf.mappers.rows import Fold
from rftconf.mappers.shapes import known_below, leave_open, lose_known, settle_known, take
from rftconf.mappers.verl.reward_pool import shape, teacher
from rftconf.mappers.verl.rows_training import KL_ESTIMATORS
from rftconf.mappers.verl.teachers import ALONE, LOSS, REWARDS, SWITCH, follows_teacher
from rftconf.plan.origin import Kind

A = "stage.algorithm."
T = A + "distillation."
MODEL = "distillation.teacher_models.teacher_model."
POOL = ("distillation.nnodes", "distillation.n_gpus_per_node")
SERVED = {
    "model_path": "path", "inference.name": "engine", "inference.tensor_model_parallel_size": "tp",
    "inference.data_parallel_size": "dp", "inference.gpu_memory_utilization": "gpu_memory_fraction",
    "inference.max_num_seqs": "max_num_seqs", "inference.dtype": "dtype", "inference.enforce_eager": "enforce_eager",
    "inference.max_model_len": "model_max_tokens", "inference.load_format": "load_format",
}  # fmt: skip
PLANS = tuple(T + f for f in ("objective", "estimator", "teacher_coef", "teacher_top_k", "as_advantage", "mixture"))
TOPK, GRADIENT, MODE = LOSS + "topk", LOSS + "use_policy_gradient", LOSS + "loss_mode"
NATIVES = (SWITCH, REWARDS, MODE, TOPK, GRADIENT)
FORWARD = "forward_kl_topk"
ENGINES = words(
    {name: name for name in ("vllm", "sglang")},
    narrowed=dict.fromkeys(
        ("hf", "fsdp2", "megatron", "deepspeed"),
        ("vllm", "veRL's teacher is an engine, here vllm; the source scores with a back end of its own"),
    ),
    asks=True,
)


def _read(r: ReadContext) -> None:
    mode = r.native(MODE)
    r.set(T + "objective", mode if isinstance(mode, Expr) else "forward_kl" if mode == FORWARD else "reverse_kl", MODE)
    if mode == FORWARD:
        take(r, TOPK, T + "teacher_top_k")
    else:
        r.inactive[TOPK] = f"only {FORWARD} reads it"
        r.set(T + "estimator", KL_ESTIMATORS.get(mode, r, None), MODE)
    take(r, GRADIENT, T + "as_advantage", False)
    r.set(T + "teacher_coef", 1.0, kind=Kind.DEFAULT, how="without task rewards the divergence has no coefficient")
    for key in ("actor.use_kl_loss", "actor.entropy_coeff", "actor.kl_loss_coef", "actor.kl_loss_type"):
        r.inactive[f"actor_rollout_ref.{key}"] = ALONE
    r.inactive.update(dict.fromkeys(("algorithm.use_kl_in_reward", LOSS + "distillation_loss_coef"), ALONE))


def _several(r: ReadContext) -> bool:
    """True where teachers have names of their own, each for the rows whose distillation.teacher_key says so: the plan's teacher
    then stands for all of them and has no model. veRL takes `teacher_model` out beside them (DistillationConfig)."""
    section, _, usual = MODEL.rstrip(".").rpartition(".")
    written = [key for key, _ in r.source.leaves() if key.startswith(f"{section}.")]
    names = sorted({key[len(section) + 1 :].partition(".")[0] for key in written} - {usual})
    if names:
        why = f"veRL takes {usual} out where another teacher is named (DistillationConfig)"
        r.inactive.update({key: why for key in written if key.startswith(MODEL)})
        r.note(
            f"{section}: {', '.join(names)} score the rows of their keys; the plan has one teacher, so name them in another framework"
        )
    return bool(names)


def read_model(r: ReadContext, index: int) -> None:
    """The teacher's engines, on a pool of their own."""
    if not follows_teacher(r):
        return
    prefix = f"stage.placement.auxiliary[{index}]."
    r.set(prefix + "role", "teacher", SWITCH, REWARDS)
    for key, field in SERVED.items() if not _several(r) else ():
        take(r, MODEL + key, prefix + field)
    nodes, each = (r.native(key) for key in POOL)
    known = all(isinstance(size, (int, Expr)) for size in (nodes, each))
    r.set(prefix + "gpus", nodes * each if known else None, *POOL, how="nnodes x n_gpus_per_node")
    r.set(prefix + "own_pool", True, *POOL)
    r.set(prefix + "colocate_with", [], *POOL)


def _write(w: WriteContext) -> None:
    w.put(SWITCH, True, "stage.kind", always=True)
    w.put(REWARDS, False, "stage.kind", always=True)
    _write_mode(w)
    advantage = w.plan(T + "as_advantage")
    paths = [T + "as_advantage"] if advantage is not None else []
    w.put(GRADIENT, True if advantage is None else advantage, *paths, always=True)
    mixed = "veRL's divergence is taken against the teacher, not a mixture"
    lose_known(w, State.NO_COUNTERPART, mixed, T + "mixture")
    why = "without task rewards veRL's divergence has no coefficient: gradients are larger or smaller by it"
    settle_known(w, T + "teacher_coef", w.plan(T + "teacher_coef") == 1, "1", why, State.NO_COUNTERPART)
    if not w.same_framework:
        w.note(
            "veRL takes the divergence at the weights of each update, the source at those that made the answers: "
            "the same only while a rollout period is one update"
        )
    if not teacher(w) and not w.same_framework:
        how = "the source's teacher is not named"
        w.put(MODEL + "model_path", "???", always=True, how=how)


def _write_mode(w: WriteContext) -> None:
    objective, estimator, top = (w.plan(T + field) for field in ("objective", "estimator", "teacher_top_k"))
    paths = [T + field for field in ("objective", "estimator") if w.plan(T + field) is not None]
    native = KL_ESTIMATORS.back.get(estimator) if isinstance(estimator, str) else None
    if objective == "forward_kl" and top is not None:
        w.put(MODE, FORWARD, *paths, always=True)
        w.put(TOPK, top, T + "teacher_top_k", always=True)
    elif objective == "reverse_kl" and native is not None:
        w.put(MODE, native, *paths, always=True)
    elif w.same_framework:
        w.put(MODE, objective, *paths, always=True)
    else:
        what = " by ".join(formula(w.plan(path)) for path in paths) or "a divergence that the source does not name"
        note = f"veRL takes the reverse KL divergence of the tokens drawn (k1, k2, k3, abs) or {FORWARD}, not {what}"
        leave_open(w, MODE, note, *paths, state=State.NO_COUNTERPART)


def write_model(w: WriteContext, prefix: str) -> None:
    """The teacher's engines; it reads the student's prompt and answer, and draws nothing."""
    for key, field in SERVED.items():
        if w.plan(prefix + field) is not None and field not in ("engine", "model_max_tokens"):
            w.put(MODEL + key, w.plan(prefix + field), prefix + field, always=True)
    if w.plan(prefix + "path") is None and not w.same_framework:
        w.put(MODEL + "model_path", "???", always=True, how="the source's teacher is not named, or is several")
    engine = w.plan(prefix + "engine")
    if engine is not None:
        put = ENGINES.put(engine, w, None)
        w.put(MODEL + "inference.name", put.value, prefix + "engine", state=put.state, note=put.note, always=True)
    _write_context(w, prefix)
    gpus = w.plan(prefix + "gpus")
    paths = [prefix + "gpus"] if gpus is not None else []
    chosen = w.chosen(prefix + "gpus")
    for key, value in zip(POOL, shape(gpus, w.plan("cluster.gpus_per_node")), strict=True):
        w.put(key, "???" if value is None else value, *paths, always=True, chosen=chosen)
    own = (prefix + field for field in ("role", "own_pool", "colocate_with", "name"))
    lose_known(w, State.DEFAULT, "the teacher has a pool of its own", *own)
    scores = "veRL's teacher is an engine that scores the student's answers: it draws nothing, and has no such setting"
    lose_known(w, State.DEAD_IN_TARGET, scores, *(path for path in known_below(w, prefix) if path not in w.outcomes))


def _write_context(w: WriteContext, prefix: str) -> None:
    """The teacher must hold prompt, answer and one token more (DistillationTeacherModelConfig)."""
    most, path = w.plan(prefix + "model_max_tokens"), prefix + "model_max_tokens"
    if most is None:
        return
    longest = longest_sample(w)
    need = 0 if longest is None else longest + 1
    short = isinstance(most, int) and most < need and not w.same_framework
    note = f"{most} tokens would not hold prompt, answer and one token more" if short else ""
    state = State.ROUNDED if short else State.EXACT
    w.put(MODEL + "inference.max_model_len", need if short else most, path, state=state, note=note, always=True)


TAUGHT = When(follows_teacher, "no teacher is followed")
FOLD = Fold(NATIVES, PLANS, _read, _write, "trainer/distillation/losses: distillation_ppo_loss", TAUGHT)
