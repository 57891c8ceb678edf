"""Looks at a run that spare it the memory account, which takes longer than all other rules."""

from __future__ import annotations

from functools import cache, lru_cache

from rftconf.lint.subject import Subject
from rftconf.plan.index import fields

_OVERRIDES = tuple(
    f"stage.placement.{role}.megatron.transformer_overrides" for role in ("actor", "reference", "critic")
)


def surely_divided(s: Subject) -> bool:
    """True where the model's heads, experts and layers are multiples of every parallel size that the run names.

    To ask this first spares most runs the account, which takes longer than all other rules.
    """
    values, extras = (
        s.reading.values,
        [f"stage.placement.auxiliary[{index}]." for index in s.items("placement.auxiliary")],
    )
    named = (*_sizes(), *((extra + word, word) for extra in extras for word in ("tp", "pp")))
    sizes = {(word, size) for path, word in named if (size := _size(values.get(path))) != 1}
    fields_of_models = ("stage.model.path", "stage.model.critic_path", *(f"{extra}path" for extra in extras))
    models = [path for path in map(values.get, fields_of_models) if path]
    if not all(isinstance(path, str) for path in models):
        return False
    override_values = (values.get(path) for path in _OVERRIDES)
    uneven = any(
        "pipeline" in str(key) for overrides in override_values if isinstance(overrides, dict) for key in overrides
    )
    divided = bool(models) and all(_divided(path, frozenset(sizes)) for path in models)
    return not uneven and (divided or not sizes)


def _size(value: object) -> int:
    """A parallel size: 1 where nothing is said, 0 for whatever is no number of GPUs, which divides nothing."""
    if value is None:
        return 1
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


@lru_cache(maxsize=4096)
def _divided(path: str, sizes: frozenset[tuple[str, int]]) -> bool:
    """True where every size, by the last word of its field, divides what it cuts, and virtual stages need no look."""
    from rftconf.budget.facts.models import find

    model = find(path)
    if model is None or any(size == 0 for _, size in sizes):
        return False
    a = model.architecture
    heads = [n for word, n in sizes if word in ("tp", "sp")]
    layers = [n for word, n in sizes if word == "pp"]
    experts = [n for word, n in sizes if word == "ep"]
    return (
        all(a.heads % n == 0 and (a.kv_heads % n == 0 or n % a.kv_heads == 0) for n in heads)
        and all(a.depth % n == 0 for n in layers)
        and all((a.experts or n) % n == 0 for n in experts)
        and not any(word == "vpp" for word, _ in sizes)
    )


def all_gpus_used(s: Subject) -> bool:
    """True where trainer and engines alone, by what the run says of them, take every GPU; asked first as `surely_divided` is."""
    nodes = s.count("cluster.nodes") or s.cluster.nodes
    each = s.count("cluster.gpus_per_node") or s.cluster.gpus_per_node
    trained, served = s.count("placement.actor.gpus"), s.count("placement.rollout.gpus")
    if not nodes or not each or not trained or not served:
        return False
    separate = s.value("placement.layout") == "disaggregated"
    return (trained + served if separate else trained) >= nodes * each


@cache
def _sizes() -> tuple[tuple[str, str], ...]:
    """The plan's parallel sizes of actor, reference, critic and engines: paths with their last words."""
    words = ((path, path.rpartition(".")[2]) for path in fields() if path.startswith("stage.placement."))
    return tuple((path, word) for path, word in words if word in ("tp", "pp", "vpp", "ep", "sp") and "[]" not in path)
