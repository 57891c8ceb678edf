"""ROLL's adapters, and what Megatron takes beside parallel sizes."""

from __future__ import annotations

from typing import Any

from rftconf.base.errors import RefusedError
from rftconf.base.ledger import State
from rftconf.base.symbols import Expr
from rftconf.mappers.codecs import MISSING
from rftconf.mappers.context import Context, ReadContext, WriteContext
from rftconf.mappers.lora import transformers_layers
from rftconf.mappers.roll.conditions import ACTOR, CRITIC_MEGATRON, REFERENCE_MEGATRON, trained
from rftconf.mappers.shapes import carry, lose_known
from rftconf.mappers.supposing import may_hold
from rftconf.schemas.roll.megatron_arguments import REST, arguments, inherited_arguments, training_arguments

OVERRIDES = "stage.model.config_overrides"


def read_overrides(r: ReadContext) -> None:
    """Read the settings that are merged into the trained model's own config."""
    if trained(r) != "student":
        key = f"{trained(r)}.model_args.model_config_kwargs"
        r.set(OVERRIDES, r.source.branch(key) or r.native(key) or None, key)


def write_overrides(w: WriteContext) -> None:
    """Key by key, under the model's own names."""
    overrides = w.plan(OVERRIDES)
    for name, value in overrides.items() if isinstance(overrides, dict) else ():
        w.put(f"{trained(w)}.model_args.model_config_kwargs.{name}", value, OVERRIDES, always=True)


LORA = "stage.model_options.lora."
ALL_LINEAR = "all-linear"
"""Every linear layer, for PEFT and ROLL alike; `all`, which ROLL's own help names, is no module of any model."""
ENGINE = "actor_infer.model_args."
RANK = 8
"""ROLL's default rank; without an alpha it scales by 2 (H54)."""


def read_lora(r: ReadContext) -> None:
    """lora_target switches adapters on; alpha is twice the rank unless written (H54)."""
    section = f"{trained(r)}.model_args."
    target = r.native(section + "lora_target")
    _check_engine(r, section)
    if target is None:
        r.set(LORA + "rank", None, section + "lora_target")
        r.inactive.update(
            dict.fromkeys((section + "lora_rank", section + "lora_alpha"), "no adapter without lora_target")
        )
        return
    rank = r.native(section + "lora_rank", RANK)
    alpha = r.native(section + "lora_alpha")
    r.set(LORA + "rank", rank, section + "lora_rank", section + "lora_target")
    scale, how = (rank * 2, "2 x rank") if alpha is None else (alpha, "")
    r.set(LORA + "alpha", scale, section + "lora_alpha", section + "lora_rank", how=how)
    r.set(LORA + "targets", _targets(target), section + "lora_target")


def _check_engine(r: ReadContext, section: str) -> None:
    """The engine serves the trainer's adapter; its own keys only have to agree."""
    for name in ("lora_target", "lora_rank", "lora_alpha"):
        key = f"{ENGINE}{name}"
        if not r.written(key):
            continue
        if r.native(key) == r.native(section + name):
            r.inactive[key] = f"repeats {section}{name}, which counts"
        else:
            r.narrowed[key] = (
                f"the engine's adapter differs from the trainer's ({section}{name}); elsewhere there is one"
            )


def _targets(target: Any) -> Any:
    if not isinstance(target, str) or any(c in target for c in "*$|("):
        return target
    names = [name.strip() for name in target.split(",")]
    return ALL_LINEAR if names in (["all"], [ALL_LINEAR]) else names if len(names) > 1 else names[0]


def write_lora(w: WriteContext) -> None:
    """Trainer and engine both need to know."""
    rank = w.plan(LORA + "rank")
    if rank in (None, 0):
        fields = ("rank", "alpha", "targets", "dtype", "excluded", "path") if rank == 0 else ()
        lose_known(w, State.DEFAULT, "no adapter", *(LORA + field for field in fields))
        return
    if _role(w, "actor") and not w.since(MEGATRON_ADAPTERS_SINCE):
        raise RefusedError(
            f"ROLL {w.release} gives Megatron's models no adapter: it would train every weight (model_providers: setup_lora_training)",
            choices=(f"--to-release {MEGATRON_ADAPTERS_SINCE} or newer",),
        )
    targets, state, note = w.plan(LORA + "targets"), State.EXACT, ""
    if not _role(w, "actor"):
        targets, state, note = transformers_layers(targets)
    everything = targets in (ALL_LINEAR, None)
    value = ",".join(map(str, targets)) if isinstance(targets, list) else ALL_LINEAR if everything else targets
    roles = (trained(w), *(["actor_infer"] if ACTOR.test(w) and w.trainer != "dpo" else []))
    if everything and not (w.since("0.2.1") and _role(w, "actor")):
        value = MISSING
        why = (
            f"ROLL {w.release} takes names of modules here (its word for all linear layers came with 0.2.1, and finds "
            "the layers of Megatron alone)"
        )
        newer = [] if w.since("0.2.1") else ["--to-release 0.3.0"]
        for role in roles:
            w.decide(f"{role}.model_args.lora_target", why, "the names, e.g. q_proj,k_proj,v_proj,o_proj", *newer)
    for role in roles:
        section = f"{role}.model_args."
        target_field = (LORA + "targets",) if targets is not None else ()
        w.put(section + "lora_target", value, *target_field, state=state, note=note, always=True)
        w.put(section + "lora_rank", rank, LORA + "rank", always=True)
        carry(w, section + "lora_alpha", LORA + "alpha", always=True, how="else twice the rank (H54)")


MEGATRON_ADAPTERS_SINCE = "0.2.1"
KNOWN_SIZES = frozenset(
    {"tensor_model_parallel_size", "pipeline_model_parallel_size", "virtual_pipeline_model_parallel_size", "context_parallel_size",
     "expert_model_parallel_size", "expert_tensor_parallel_size", "sequence_parallel", "use_distributed_optimizer"}
)  # fmt: skip
BY_ENVIRONMENT = {
    "attention_backend": "ROLL takes it from NVTE_FLASH_ATTN and the like alone (mcore_adapter: check_and_get_attention_backend_by_env)"
}
"""What Megatron's config holds as an object, which no text in a config becomes."""
GRADIENTS = {
    "accumulate_allreduce_grads_in_fp32": "grad_reduce_in_fp32", "overlap_grad_reduce": "overlap_grad_reduce",
    "check_for_nan_in_loss_and_grad": "check_for_nan_in_grad", "ddp_bucket_size": "bucket_size",
}  # fmt: skip
"""mcore_adapter's argument to the name in Megatron's DistributedDataParallelConfig that MegatronTrainStrategy gives it."""
LAYER_BY_LAYER = {"recompute_method": "uniform", "recompute_num_layers": 1}
"""What mcore_adapter fills in beside recompute_granularity=full."""
ROLES = (("actor", ""), ("reference", "reference"), ("critic", "critic"))


def _role(c: Context, role: str) -> str | None:
    """The native role that stands for one of the plan's, where Megatron runs it."""
    if role == "actor":
        return trained(c) if c.plan("stage.placement.actor.backend") == "megatron" else None
    test = REFERENCE_MEGATRON if role == "reference" else CRITIC_MEGATRON
    return role if may_hold(test, c) else None


def _whole_recompute(options: dict[str, tuple[Any, str]]) -> dict[str, tuple[Any, str]]:
    """Megatron itself stops at `full` without a method; mcore_adapter's model_config.py recomputes layer by layer then."""
    granularity, key = options.get("recompute_granularity", (None, ""))
    if granularity != "full" or any(options.get(name, (None,))[0] is not None for name in LAYER_BY_LAYER):
        return options
    return options | {name: (value, key) for name, value in LAYER_BY_LAYER.items()}


def read_megatron(r: ReadContext) -> None:
    """Read what strategy_config says beside sizes: it goes to Megatron's own config, under Megatron's names."""
    for role, _ in ROLES:
        native = _role(r, role)
        if native is None:
            continue
        block = f"{native}.strategy_args.strategy_config"
        options = {k: (v, f"{block}.{k}") for k, v in r.source.branch(block).items() if k not in KNOWN_SIZES}
        more, key = options.pop(REST, (None, f"{block}.{REST}"))
        if isinstance(more, dict):
            options |= {k: (v, f"{key}.{k}") for k, v in more.items()}
        elif more is not None:
            r.narrowed[key] = "it names a file of further settings, which is not read here"
        buffers = {GRADIENTS[k]: options.pop(k) for k in GRADIENTS if k in options} if role != "reference" else {}
        options = _whole_recompute({k: option for k, option in options.items() if k not in training_arguments()})
        for field, entries in (("transformer_overrides", options), ("ddp_overrides", buffers)):
            path = f"stage.placement.{role}.megatron.{field}"
            r.set(path, {k: v for k, (v, _) in entries.items()} or None, *(k for _, k in entries.values()))


def write_megatron(w: WriteContext) -> None:
    """Megatron's names are the same here; what mcore_adapter's arguments lack is set on its model config by name."""
    direct = arguments(w.release) | inherited_arguments()
    for role, _ in ROLES:
        native, path = _role(w, role), f"stage.placement.{role}.megatron.transformer_overrides"
        overrides = w.plan(path)
        if native is None:
            continue
        for name, value in overrides.items() if isinstance(overrides, dict) else ():
            if w.same_framework and name in LAYER_BY_LAYER and name not in w.names(path):
                w.lose(path, State.DEFAULT, "mcore_adapter fills it in", entry=name)
            elif name in BY_ENVIRONMENT:
                w.lose(path, State.NARROWED, f"{name}: {BY_ENVIRONMENT[name]}", entry=name)
            elif isinstance(value, Expr) or name not in KNOWN_SIZES:
                key = name if name in direct else f"{REST}.{name}"
                w.put(f"{native}.strategy_args.strategy_config.{key}", value, path, always=True, entry=name)
        _write_gradients(w, native, f"stage.placement.{role}.megatron.ddp_overrides")


def _write_gradients(w: WriteContext, native: str, path: str) -> None:
    """Write what mcore_adapter has a field for; it makes the rest of DistributedDataParallelConfig by itself."""
    options = w.plan(path)
    if not isinstance(options, dict) or path.startswith("stage.placement.reference"):
        return
    back = {theirs: ours for ours, theirs in GRADIENTS.items()}
    for name, value in options.items():
        if name in back:
            w.put(f"{native}.strategy_args.strategy_config.{back[name]}", value, path, always=True, entry=name)
        elif name != "use_distributed_optimizer":  # which has a row of its own
            w.lose(path, State.NARROWED, f"{name}: ROLL gives Megatron's gradient buffers no such option", entry=name)
