"""The checks of veRL want keys that nothing reads: these are written so that a run starts, and never read."""

from __future__ import annotations

from rftconf.base.ledger import State
from rftconf.base.record import record
from rftconf.base.symbols import Expr, formula
from rftconf.mappers.context import ReadContext, When, WriteContext
from rftconf.mappers.outcomes import Outcome
from rftconf.mappers.rates import data_parallel, longest_sample
from rftconf.mappers.rows import Fold
from rftconf.mappers.shapes import OneSided
from rftconf.mappers.verl import folds_critic
from rftconf.mappers.verl.rows_critic import CRITIC_BLOCKS
from rftconf.plan.origin import Kind

REFERENCE_TOTAL = "actor_rollout_ref.ref.log_prob_micro_batch_size"
REFERENCE_SIZE = f"{REFERENCE_TOTAL}_per_gpu"
TRAINED, TRAINED_SIZE = (
    "actor_rollout_ref.actor.use_dynamic_bsz",
    "actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu",
)
SCORED, SCORED_SIZE, SCORED_TOKENS = (
    "actor_rollout_ref.rollout.log_prob_use_dynamic_bsz",
    "actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu",
    "actor_rollout_ref.rollout.log_prob_max_token_len_per_gpu",
)
MICRO = {
    REFERENCE_SIZE: "stage.batch.reference.sequences_per_rank",
    TRAINED_SIZE: "stage.batch.micro.sequences_per_rank",
}
CRITIC_SIZES = {"micro_batch_size_per_gpu": "critic", "infer_micro_batch_size_per_gpu": "critic_infer"}
ENGINES = "stage.placement.rollout"
IN_PIECES, ENGINE_BATCH = (
    "actor_rollout_ref.rollout.enable_chunked_prefill",
    "actor_rollout_ref.rollout.max_num_batched_tokens",
)
ACTORS_CAP, ACTORS_TOKENS = "actor_rollout_ref.actor.ppo_max_token_len_per_gpu", "stage.batch.micro.tokens_per_rank"
PASSES_CAPS = {
    SCORED_TOKENS: ("actor", "stage.batch.log_prob.tokens_per_rank"),
    "actor_rollout_ref.ref.log_prob_max_token_len_per_gpu": ("reference", "stage.batch.reference.tokens_per_rank"),
}


def _read(r: ReadContext) -> None:
    """Every rank takes the same share of an update (H8)."""
    if _checks_fixed_sizes(r):
        r.requirements.update((*MICRO, *(key.removesuffix("_per_gpu") for key in MICRO)))
    if not r.since("0.4.1"):  # ray_trainer._validate_config, whether there is a reference or not
        r.requirements.update((REFERENCE_SIZE, REFERENCE_TOTAL))
    _read_the_critics_values(r)
    update, key = r.plan("stage.batch.sequences_per_update"), "actor_rollout_ref.actor.ppo_mini_batch_size"
    try:
        ranks = data_parallel(r, megatron=r.backend == "megatron")
    except KeyError:
        return
    if isinstance(ranks, Expr) or not isinstance(update, int) or ranks < 1 or update % ranks == 0:
        return
    share = f"{update} sequences an update are not a whole number on each of {formula(ranks)} ranks"
    became = "veRL stops" if r.since("0.8.0") else f"veRL takes {update // ranks * ranks}"
    r.narrowed[key] = f"{share}: {became} (H8)"
    r.note(r.narrowed[key])


def _read_the_critics_values(r: ReadContext) -> None:
    """Up to 0.7 Megatron computes values as it cuts updates (megatron_workers.py, CriticWorker.compute_values)."""
    size = r.plan("stage.batch.critic.sequences_per_rank")
    if r.since("0.8.0") or r.backend != "megatron" or size is None or r.plan("stage.batch.critic.dynamic") is not False:
        return
    own = "critic.ppo_micro_batch_size_per_gpu"
    r.set("stage.batch.critic_infer.sequences_per_rank", size, own, kind=Kind.DERIVED, how="as an update is cut")


def _write(w: WriteContext) -> None:
    _fit_longest(w)
    _size_the_critics_engine(w)
    for padding in UNPADDED:
        padding.write(w)
    _write_fixed_sizes(w)
    _score_as_trained(w)
    _write_reference_size(w)
    _take_prompts_in_pieces(w)
    _take_whole_contexts_at_once(w)
    _shard_over_all_gpus(w)
    _take_the_bridge_of_adapters(w)


def _fit_longest(w: WriteContext) -> None:
    """The cap of a micro-batch must hold the longest sequence; other frameworks derive theirs from it."""
    longest = longest_sample(w)
    if w.same_framework or longest is None:
        return
    caps = {ACTORS_CAP: ("actor", [ACTORS_TOKENS])}
    for key, (role, path) in PASSES_CAPS.items():
        if key in w.out and w.out[key].value is not None:  # unwritten, it is the actor's
            caps[key] = role, [path]
    for key, path in zip(folds_critic.capped_by(w), (folds_critic.TRAINED, folds_critic.INFERRED), strict=True):
        caps.setdefault(key, ("critic", []))[1].append(path)
    for key, (role, paths) in caps.items():
        cap, sp = w.effective(key), w.plan(f"stage.placement.{role}.sp") or 1
        if key in w.out and w.out[key].value is None:
            cap = w.defaults(key)
        cap = folds_critic.default_of(w, key) if cap is None else cap
        acts = role != "critic" or w.plan("stage.algorithm.critic.enabled") is True
        if acts and isinstance(cap, int) and isinstance(sp, int) and cap * sp < longest:
            why = f"{cap} would not hold prompt and answer of {longest} tokens"
            fields = [path for path in paths if w.plan(path) is not None]
            note = f"{why}; wrote the longest sequence" if fields else ""
            state = State.ROUNDED if fields else State.EXACT
            w.put(key, -(-longest // sp), *fields, state=state, note=note, always=True, how=why)


def _size_the_critics_engine(w: WriteContext) -> None:
    """An engine with fixed micro-batches and without a size of one stops in its first pass (prepare_micro_batches)."""
    block = CRITIC_BLOCKS.get(w.backend, "")
    if w.same_framework or not w.since("0.8.0") or not block or w.plan("stage.batch.critic.dynamic") is not False:
        return
    train, infer = (f"{block}.{name}" for name in CRITIC_SIZES)
    size = w.effective(train)
    if size is not None and w.effective(infer) is None:
        w.put(infer, size, always=True, how="as many sequences as a pass of an update")


PADS_BY_DEFAULT = When(
    lambda c: not c.since("0.7.1") and c.backend != "megatron", "padding is left out by default, or the engine has none"
)
"""Up to 0.6.1 (validate_config)."""


@record
class Unpadded(OneSided):
    """A key as it must be where several GPUs share a sequence of `role`, which only goes without its padding."""

    role: str
    key: str
    when: When = When(lambda _: True, "")

    def write(self, w: WriteContext) -> None:
        """Switch padding off, and say so where the source has it on."""
        spread = w.plan(f"stage.placement.{self.role}.sp")
        if w.same_framework or not self.when.test(w) or not isinstance(spread, int) or spread == 1:
            return
        if w.effective(self.key) is True:
            return
        path = f"stage.model_options.{'' if self.role == 'actor' else 'critic_'}remove_padding"
        paths = [path] if w.plan(path) is False else []
        why = f"{spread} GPUs share a sequence, which veRL {w.release} does without padding only"
        note = why if paths else ""
        w.put(self.key, True, *paths, note=note, always=True, how=why)


UNPADDED = (
    Unpadded("actor", "actor_rollout_ref.model.use_remove_padding", PADS_BY_DEFAULT),
    Unpadded("critic", "critic.model.use_remove_padding", PADS_BY_DEFAULT),
)


def _checks_fixed_sizes(c: ReadContext | WriteContext) -> bool:
    """True for Megatron workers up to 0.7, which check fixed micro-batches even where batches are filled by tokens
    (megatron_workers.py: ActorRolloutRefWorker; utils/config.py: validate_config)."""
    return c.backend == "megatron" and not c.since("0.8.0")


def _write_fixed_sizes(w: WriteContext) -> None:
    if not _checks_fixed_sizes(w) or w.plan("stage.batch.micro.dynamic") is not True:
        return
    how = f"checked, but not used with dynamic batches, by the Megatron workers of {w.release}"
    for key, plan in MICRO.items():
        if w.plan(plan) is None or key not in w.out:
            w.put(key, 1, always=True, how=how)


def _score_as_trained(w: WriteContext) -> None:
    """Since 0.8.0 one engine trains and scores, and engine_workers asserts that both fill micro-batches the same way."""
    if w.same_framework or not w.since("0.8.0") or SCORED not in w.out:
        return
    trained, scored = w.effective(TRAINED), w.out[SCORED].value
    if not isinstance(trained, bool) or not isinstance(scored, bool) or trained is scored:
        return
    how = "by tokens" if trained else "in fixed micro-batches"
    note = f"veRL since 0.8.0 scores as it trains: {how} (engine_workers)"
    w.put(SCORED, trained, "stage.batch.log_prob.dynamic", state=State.NARROWED, note=note, always=True)
    tokens = "stage.batch.log_prob.tokens_per_rank"
    if not trained and w.plan(tokens) is not None:
        w.out.pop(SCORED_TOKENS, None)
        w.outcomes[tokens] = Outcome(State.NARROWED, (), note)
    if not trained and w.effective(SCORED_SIZE) is None:
        share = w.effective(TRAINED_SIZE)
        w.put(SCORED_SIZE, 1 if share is None else share, always=True, how="as many sequences as a pass of an update")


def _write_reference_size(w: WriteContext) -> None:
    """Up to 0.3.0 every run has a reference, and ray_trainer._validate_config asks for its fixed micro-batches."""
    if w.since("0.4.1") or w.effective(TRAINED) is True:
        return
    if w.effective(REFERENCE_SIZE) is None and w.effective(REFERENCE_TOTAL) is None:
        share = w.effective(SCORED_SIZE)
        how = f"veRL {w.release} asks for it also where the plan has no reference"
        w.put(REFERENCE_SIZE, 1 if share is None else share, always=True, how=how)


def _take_prompts_in_pieces(w: WriteContext) -> None:
    """Megatron's config up to 0.5.0 has engines take prompts whole; a batch below one context then stops them (vLLM)."""
    if w.same_framework or w.since("0.6.1") or w.backend != "megatron":
        return
    path = f"{ENGINES}.chunked_prefill"
    longest, batch, in_pieces = longest_sample(w), w.effective(ENGINE_BATCH), w.plan(path)
    if in_pieces is not False and longest is not None and isinstance(batch, int) and batch < longest:
        how = f"an engine that takes {batch} tokens at once takes a context of {longest} in pieces only"
        w.put(IN_PIECES, True, *([path] if in_pieces else []), always=True, how=how)


def _take_whole_contexts_at_once(w: WriteContext) -> None:
    """Up to 0.3.0 an engine that takes fewer tokens at once than a context has does not start, in pieces or not: the worker
    stops (vllm_rollout_spmd.py: ValueError), and so does vLLM 0.6 without pieces (SchedulerConfig)."""
    whole = w.plan("stage.length.model_max_tokens")
    longest = whole if isinstance(whole, int) else longest_sample(w)
    batch, path = w.effective(ENGINE_BATCH), f"{ENGINES}.max_batched_tokens"
    batch = w.defaults(ENGINE_BATCH) if batch is None else batch
    if w.same_framework or w.since("0.4.1") or w.plan(f"{ENGINES}.engine") == "hf":
        return
    if longest is None or not isinstance(batch, int) or batch >= longest:
        return
    how = f"the engines of veRL {w.release} start only where they take a whole context of {longest} tokens at once"
    stated = w.plan(path) is not None
    state = State.NARROWED if stated else State.EXACT
    w.put(
        ENGINE_BATCH,
        longest,
        *([path] if stated else []),
        state=state,
        note=how if stated else "",
        always=True,
        how=how,
    )


SHARDED = {"actor_rollout_ref.actor.fsdp_config.fsdp_size": "actor", "critic.model.fsdp_config.fsdp_size": "critic"}


def _shard_over_all_gpus(w: WriteContext) -> None:
    """Copies of a model that is sharded over some GPUs each stop 0.2.0 (fsdp_workers.py: create_device_mesh, ValueError)."""
    if w.same_framework or w.since("0.3.0"):
        return
    for key, role in SHARDED.items():
        size, gpus = w.effective(key), w.plan(f"stage.placement.{role}.gpus")
        if key in w.out and isinstance(size, int) and size >= 0 and not (isinstance(gpus, int) and size >= gpus):
            note = (
                f"veRL {w.release} stops where models are sharded over some of their GPUs: it has them sharded over all"
            )
            path = f"stage.placement.{role}.fsdp_shard_gpus"
            w.put(key, -1, path, state=State.NARROWED, note=note, always=True)


def _take_the_bridge_of_adapters(w: WriteContext) -> None:
    """The older bridge knows no adapters (megatron_peft.py: get_peft_cls), and up to 0.8.0 it is the one without a key."""
    if w.same_framework or w.backend != "megatron" or not w.since("0.7.1") or w.since("0.9.0"):
        return
    if w.plan("stage.model_options.lora.rank") not in (None, 0):
        how = f"Megatron-Bridge: the older bridge, the default of veRL {w.release}, knows no adapters"
        w.put("actor_rollout_ref.actor.megatron.vanilla_mbridge", False, always=True, how=how)


NEEDS = Fold((), (), _read, _write, "megatron_workers: validation")
