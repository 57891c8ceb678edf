"""Megatron-Core: states and activations of the fullest pipeline stage."""

from __future__ import annotations

from functools import lru_cache
from itertools import accumulate

from rftconf.budget.facts.architecture import Architecture, Dense, Experts, Layers
from rftconf.budget.terms import activations
from rftconf.budget.terms import lm_head as head
from rftconf.budget.terms.fsdp_sharding import adapter_parameters
from rftconf.budget.terms.term import Term, grouped, term, total
from rftconf.budget.terms.training_job import MegatronSizes, Training


def data_parallel(job: Training) -> int:
    """Replicas of the dense parameters: GPUs / (TP x PP x CP)."""
    m = job.megatron
    return max(1, job.gpus // (m.tp * m.pp * m.cp))


def expert_data_parallel(job: Training) -> int:
    """Replicas of the experts: GPUs / (ETP x EP x PP)."""
    m = job.megatron
    return max(1, job.gpus // (m.etp * m.ep * m.pp))


@lru_cache(maxsize=8)
def stage_layers(arch: Architecture, m: MegatronSizes) -> tuple[int, ...]:
    """Layers of each pipeline stage; the first and last may have their own number, the rest share what is left."""
    if m.pp == 1:
        return (arch.depth,)
    if m.chunks:
        return tuple(sum(m.chunks[stage :: m.pp]) for stage in range(m.pp))
    first, last = m.first_stage_layers, m.last_stage_layers
    fixed = [count for count in (first, last) if count is not None]
    others = m.pp - len(fixed)
    free = arch.depth - sum(fixed)
    each = -(-free // others) if others else 0
    middle = (each,) * (m.pp - 2)
    return (each if first is None else first, *middle, each if last is None else last)


def held_layers(arch: Architecture, m: MegatronSizes, stage: int) -> list[tuple[Layers, float]]:
    """Layers that a pipeline stage holds: kinds of layers and how many of each; virtual stages take turns.

    Dense layers of a mixture come before the others. Kinds of attention alternate, so a stage has its share of each.
    """
    dense = sum(group.count for group in arch.layers if isinstance(group.feed_forward, Dense))
    own = _chunks(arch, m)[stage :: m.pp]
    first = sum(max(min(start + count, dense) - start, 0) for start, count in own)
    held_by_others = sum(count for _, count in own) - first
    groups = []
    for group in arch.layers:
        plain = isinstance(group.feed_forward, Dense)
        share = first / dense if plain else held_by_others / (arch.depth - dense)
        groups.append((group, group.count * share))
    return groups


@lru_cache(maxsize=8)
def _chunks(arch: Architecture, m: MegatronSizes) -> tuple[tuple[int, int], ...]:
    """Each virtual stage in the order of the model: its first layer, and how many it has."""
    counts = m.chunks or _equal_chunks(arch, m)
    return tuple(zip(accumulate(counts, initial=0), counts, strict=False))


def _equal_chunks(arch: Architecture, m: MegatronSizes) -> tuple[int, ...]:
    """Layers of each virtual stage where no layout gives them."""
    each = stage_layers(arch, m)
    if m.vpp == 1 or any(count % m.vpp for count in each):
        return each
    return tuple(count // m.vpp for _ in range(m.vpp) for count in each)


def in_flight(stage: int, m: MegatronSizes, micro_batches: int) -> float:
    """Micro-batches whose activations wait in a stage under 1F1B; interleaving adds a share of (PP-1)/(PP x VPP)."""
    waiting = min(m.pp - stage, max(micro_batches, 1))
    if m.vpp > 1 and stage == 0:
        return waiting * (1 + (m.pp - 1) / (m.pp * m.vpp))
    return float(waiting)


def stage_parameters(job: Training, stage: int) -> tuple[float, float]:
    """Parameters of one GPU in a stage, dense ones and experts apart."""
    arch, m = job.architecture, job.megatron
    dense = experts = 0.0
    for group, count in held_layers(arch, m, stage):
        feed = group.feed_forward
        of_experts = feed.count * Dense(feed.width).parameters(arch.hidden) if isinstance(feed, Experts) else 0
        experts += count * of_experts / (m.etp * m.ep)
        dense += count * (group.parameters(arch.hidden) - of_experts) / m.tp
    ends = int(stage == 0) + int(stage == m.pp - 1 and not (arch.tied and m.pp == 1) and not job.value_head)
    return dense + ends * arch.embedding / m.tp, experts


def states(job: Training, stage: int) -> list[Term]:
    """bf16 weights, fp32 gradient buffers, fp32 master copy and Adam: 18 B, or 6 + 12 / DP when distributed."""
    dense, experts = stage_parameters(job, stage)
    count, m = dense + experts, job.megatron
    where = f"{grouped(round(count))} parameters; stage {stage}"
    resident = 0 if job.offload_parameters and not job.trains else 2
    terms = [term("weights", "weights", resident * count, f"{resident} B × {where}")]
    if not job.trains:
        return terms
    if job.adapter is not None:
        return [*terms, *_adapters(job, stage)]
    dp, edp = (data_parallel(job), expert_data_parallel(job)) if m.distributed_optimizer else (1, 1)
    copies = m.cp if m.distributed_optimizer else 1
    adam = 12 * (dense / (dp * copies) + experts / edp)
    how = f"12 B × ({grouped(round(dense))} / {dp * copies} + {grouped(round(experts))} / {edp})"
    if job.offload_optimizer:
        adam, how = 0.0, f"0 B; {how} wait in host memory"
    terms.append(term("gradients", "gradient buffers", 4 * count, f"4 B × {where}"))
    terms.append(term("optimizer", "master weights and Adam", adam, how))
    return terms


def _adapters(job: Training, stage: int) -> list[Term]:
    """Adapters beside frozen weights: DDP's buffers and the optimizer hold only what has gradients."""
    m = job.megatron
    share = stage_layers(job.architecture, m)[stage] / job.architecture.depth
    count = adapter_parameters(job) * share / m.tp
    ways = data_parallel(job) * m.cp if m.distributed_optimizer else 1
    where = f"{grouped(round(count))} adapter parameters; stage {stage}"
    adam, how = 12 * count / ways, f"12 B × {grouped(round(count))} / {ways}"
    if job.offload_optimizer:
        adam, how = 0.0, f"0 B; {how} wait in host memory"
    return [
        term("weights", "adapters", 2 * count, f"2 B × {where}"),
        term("gradients", "gradient buffers", 4 * count, f"4 B × {where}"),
        term("optimizer", "master weights and Adam", adam, how),
    ]


def stage_activations(job: Training, stage: int) -> list[Term]:
    """Activations that wait in a stage: whole layers' tensors, or their inputs where layers are recomputed."""
    arch, m = job.architecture, job.megatron
    layers = stage_layers(arch, m)[stage]
    if m.recompute != "full":
        back = [activations.again(job)] if m.recompute == "selective" and m.recompute_modules else []
        return [_saved(job, stage, layers), *back]
    inputs = layers if m.recompute_block is None else min(m.recompute_block, layers)
    terms = _recomputed(job, stage, inputs)
    return [*terms, _saved(job, stage, layers - inputs)] if inputs < layers else terms


def _recomputed(job: Training, stage: int, layers: int) -> list[Term]:
    """Inputs of recomputed layers, one for each unit of them, and the one unit that is at work."""
    m = job.megatron
    tokens, waiting = -(-job.tokens // m.cp), in_flight(stage, m, job.micro_batches)
    each, units = 2 * job.architecture.hidden / (m.tp if m.sequence_parallel else 1), -(-layers // m.recompute_unit)
    formula = f"{grouped(each)} B × {grouped(tokens)} tokens × {units} layers × {waiting:g} micro-batches"
    block, unit = activations.block(job), min(m.recompute_unit, layers)
    inner = f"{_numbers(block)} × {unit} / {m.cp} CP / {m.tp} TP; one recomputed unit"
    return [
        term("activations", "checkpoints", each * tokens * units * waiting, formula),
        term("activations", "recomputed layer", unit * block.size / m.cp / m.tp, inner),
    ]


def _saved(job: Training, stage: int, layers: int) -> Term:
    """All that `layers` of a stage save; what tensor parallelism leaves whole without sequence parallelism is on top."""
    arch, m = job.architecture, job.megatron
    tokens, waiting = -(-job.tokens // m.cp), in_flight(stage, m, job.micro_batches)
    groups = held_layers(arch, m, stage)
    whole = sum(count * activations.kept_by(job, group) for group, count in groups)
    saved = whole * layers / max(sum(count for _, count in groups), 1) / m.tp
    if not m.sequence_parallel and m.tp > 1:
        saved += 10 * arch.hidden * layers * (1 - 1 / m.tp)
    formula = f"{grouped(round(saved))} B × {grouped(tokens)} tokens × {waiting:g} micro-batches"
    return term("activations", "saved by the stage's layers", saved * tokens * waiting, formula)


def _loss(job: Training, stage: int) -> list[Term]:
    if stage != job.megatron.pp - 1:
        return []
    logits, cp = head.logits(job), job.megatron.cp
    return [term("logits", logits.name, logits.size / cp, f"{_numbers(logits)} / {cp} CP")]


def _numbers(entry: Term) -> str:
    """A formula without its comment."""
    return entry.formula.split(";")[0]


def update(job: Training) -> tuple[str, list[Term]]:
    """The fullest stage, with its gradients, activations and (the last one) logits."""
    last = job.megatron.pp - 1
    filled = min(
        job.megatron.pp, job.architecture.depth + 1
    )  # stages behind those hold no layer, but the last has the head
    moments = {
        f"pipeline stage {stage}": [
            *states(job, stage),
            *stage_activations(job, stage),
            *_loss(job, stage),
        ]
        for stage in sorted({*range(filled), last})
    }
    return max(moments.items(), key=lambda moment: total(moment[1]))


def scoring(job: Training) -> list[Term]:
    """A forward for log-probabilities in the last stage, which also holds the head."""
    m, last = job.megatron, job.megatron.pp - 1
    resident = [t for t in states(job, last) if t.part != "gradients"]
    saved, logits = activations.inference(job), head.logits(job, backward=False)
    scaled = term("activations", saved.name, saved.size / m.cp / m.tp, f"{_numbers(saved)} / {m.cp} CP / {m.tp} TP")
    return [*resident, scaled, term("logits", logits.name, logits.size / m.cp, f"{_numbers(logits)} / {m.cp} CP")]
