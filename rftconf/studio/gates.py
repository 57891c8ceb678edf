"""When a key of the form does anything: the tables' own conditions, and switches of whole sections beside them.

The conditions of keys that the plan knows stand in the mappers' tables. Here are those of keys that it does not know: each
names the code that reads the switch, and holds for the newest release.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Any

from rftconf.base.ledger import State
from rftconf.base.symbols import is_symbolic
from rftconf.mappers.paths import without_indices
from rftconf.mappers.reading import Reading
from rftconf.mappers.rows import natives_of
from rftconf.mappers.tables import reason_for, table_of
from rftconf.mappers.trinity.algorithms import ALGORITHMS, class_of
from rftconf.mappers.trinity.switches import SWITCHES
from rftconf.schemas import registry
from rftconf.schemas.catalogue import Catalogue

Test = Callable[[Reading], bool]


@dataclass(frozen=True, slots=True)
class Block:
    """All keys below a section act only while its own switch is on. `section` is a pattern."""

    section: str
    switch: str
    source: str


@dataclass(frozen=True, slots=True)
class Gate:
    """The keys that fit act only while `acts`; `why` is said where they do not."""

    keys: tuple[str, ...]
    acts: Test
    why: str
    source: str


def _is(key: str, *values: Any) -> Test:
    """True while the key has one of the values, or one that nobody knows."""

    def test(r: Reading) -> bool:
        value = r.native(key)
        return bool(is_symbolic(value) or value in values)

    return test


def _critic(r: Reading) -> bool:
    return r.plan("stage.algorithm.critic.enabled") is not False


def _critic_class(r: Reading) -> bool:
    """The algorithm class decides; a symbol or a class of one's own may have one."""
    name = r.native("algorithm.algorithm_type", "ppo")
    return bool(name not in ALGORITHMS or class_of(r).critic)


def _megatron(r: Reading) -> bool:
    return r.plan("stage.placement.actor.backend") in ("megatron", None)


def _fsdp(r: Reading) -> bool:
    return bool(r.plan("stage.placement.actor.backend") != "megatron")


def _rolls_out(r: Reading) -> bool:
    return r.native("algorithm.algorithm_type", "ppo") not in ("sft", "cpt", "dpo")


def _fsdp2(r: Reading) -> bool:
    return r.plan("stage.placement.actor.backend") in ("fsdp2", None)


BLOCKS: dict[str, tuple[Block, ...]] = {
    "verl": (
        Block("*.profiler", "enable", "utils/profiler/profile.py: check_enable"),
        Block("*.qat", "enable", "workers/engine/fsdp/transformer_impl.py: _qat_enabled"),
        Block("*.mtp", "enable", "workers/config/model.py, workers/engine/megatron/transformer_impl.py"),
        Block("*.tiled_mlp", "enabled", "models/transformers/monkey_patch.py: use_tiled_mlp"),
        Block("*.disaggregation", "enabled", "workers/rollout/replica.py, vllm_async_server.py"),
        Block("distillation", "enabled", "trainer/distillation: is_distillation_enabled"),
    ),
    "trinity": tuple(Block(block.name, block.switch, "mappers/trinity/switches.py") for block in SWITCHES),
    "roll": (Block("train_infer_correction.is_weight", "enabled", "utils/train_infer_corrections.py"),),
    "chatlearn": (),
}
_ONLY = {block.name: block.only for block in SWITCHES if block.only}
_NO_CRITIC = "there is no critic in this run"
_TRAINS = ("both", "train", "colocate")
_EXPLORES = ("both", "explore", "bench", "serve", "colocate")
_BUFFER, _OLD = "buffer.trainer_input.experience_buffer", "trainer.trainer_config"
GATES: dict[str, tuple[Gate, ...]] = {
    "verl": (
        Gate(("critic.*",), _critic, _NO_CRITIC, "trainer/ppo/utils.py: need_critic"),
        Gate(("trainer.resume_from_path",), _is("trainer.resume_mode", "resume_path"),
             "no effect unless trainer.resume_mode is resume_path", "trainer/ppo/ray_trainer.py: _load_checkpoint"),
        Gate(("actor_rollout_ref.model.fused_kernel_options.*",),
             _is("actor_rollout_ref.model.use_fused_kernels", True),
             "no effect while actor_rollout_ref.model.use_fused_kernels is False",
             "models/transformers/monkey_patch.py: apply_monkey_patch"),
        *(Gate((f"trainer.v1.{mode}.*",), _is("trainer.v1.trainer_mode", mode), f"trainer.v1.trainer_mode is not {mode}",
               "trainer/ppo/v1: one trainer a mode") for mode in ("separate_async", "colocate_async")),
        Gate(("actor_rollout_ref.actor.fsdp_config.offload_policy",), _fsdp2, "only fsdp2 reads it",
             "workers/engine/fsdp/transformer_impl.py: strategy"),
    ),
    "trinity": (
        Gate((f"{_OLD}.critic.*", "model.critic_model_path", "trainer.critic_warmup"), _critic_class, _NO_CRITIC,
             "algorithm/algorithm.py: use_critic"),
        Gate(("trainer.megatron.*", f"{_OLD}.*.megatron.*"), _megatron, "only the Megatron trainer reads it",
             "trainer/verl/config.py: trainer_strategy"),
        Gate((f"{_OLD}.*.fsdp_config.*", f"{_OLD}.*.fsdp.*"), _fsdp, "the Megatron trainer does not read it",
             "trainer/verl/config.py: trainer_strategy"),
        Gate(("algorithm.advantage_fn", "algorithm.advantage_fn_args*", "algorithm.kl_penalty_fn",
              "algorithm.kl_penalty_fn_args*"), _rolls_out, "an SFT or DPO run has no rewards and no advantages",
             "algorithm/algorithm.py: schema, default_config"),
        Gate((f"{_OLD}.trainer.resume_from_path",), _is(f"{_OLD}.trainer.resume_mode", "resume_path"),
             "no effect unless resume_mode is resume_path", "trainer/verl_legacy/verl_trainer.py"),
        Gate((f"{_OLD}.actor_rollout_ref.model.fused_kernel_options.*",),
             _is(f"{_OLD}.actor_rollout_ref.model.use_fused_kernels", True),
             "no effect while use_fused_kernels is false", "verl: apply_monkey_patch"),
        Gate(("explorer.*", "buffer.explorer_input.*"), _is("mode", *_EXPLORES), "mode is train: no explorer runs",
             "cli/launcher.py: MODE_MAP; config_validator.py: explorer_input"),
        Gate(("trainer.*",), _is("mode", *_TRAINS), "nothing is trained in this mode", "cli/launcher.py: MODE_MAP"),
        Gate((f"{_BUFFER}.format.*", f"{_BUFFER}.split", f"{_BUFFER}.subset_name"),
             _is("algorithm.algorithm_type", "sft", "cpt", "dpo"), "read for data of an SFT or DPO run only",
             "buffer/reader/file_reader.py"),
        Gate((f"{_BUFFER}.format.chosen_key", f"{_BUFFER}.format.rejected_key"),
             _is("algorithm.algorithm_type", "dpo"), "only DPO has pairs", "buffer/schema/formatter.py"),
        Gate(("trainer.offload_policy", f"{_OLD}.*.offload_policy"), _fsdp2, "only fsdp2 reads it", "trainer/verl/config.py"),
    ),
    "roll": (
        Gate(("critic.*",), _critic, _NO_CRITIC, "pipeline/rlvr/rlvr_pipeline.py: adv_estimator gae"),
        *(Gate((f"{role}.sequence_packing_args.*",), _is(f"{role}.use_sequence_packing", True),
               f"no effect while {role}.use_sequence_packing is false", "distributed/strategy/megatron_strategy.py")
          for role in ("actor_train", "actor_infer", "reference", "critic")),
    ),
    "chatlearn": (
        *(Gate((f"runtime_args.log_args_dict.{name}_*",), _is(f"runtime_args.log_args_dict.enable_{name}", True),
               f"no effect while runtime_args.log_args_dict.enable_{name} is false", "configs/runtime_config.py")
          for name in ("wandb", "tensorboard")),
    ),
}  # fmt: skip


def inactive(reading: Reading, known: Catalogue, newest: Mapping[str, str]) -> dict[str, str]:
    """Key of the form to why it does nothing beside the others. `newest` maps it to its name in the newest release."""
    reasons = {key: why for key, name in newest.items() if (why := reading.inactive.get(name))}
    for key, why in _switched(reading, known, newest):
        reasons.setdefault(key, why)
    return reasons


def _switched(reading: Reading, known: Catalogue, newest: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    if known.family == "trinity":
        yield from _arguments(reading, newest)
    if known.release != registry.framework(known.framework).newest:
        return  # the code that was looked at is the newest release's
    for key, switch in _below(known.framework, tuple(newest.items())):
        value = reading.native(switch)
        if not is_symbolic(value) and not value:
            yield key, f"no effect while {switch} is {'0' if value == 0 and value is not False else 'off'}"
    for gate in GATES.get(known.family, ()):
        if not gate.acts(reading):
            yield from ((key, gate.why) for key, name in newest.items() if any(fnmatchcase(name, p) for p in gate.keys))
    used = {key for origin in reading.origins.values() for key in origin.keys}
    yield from ((key, why) for key, why in dead(known.framework, tuple(newest.items())) if newest[key] not in used)


@lru_cache(maxsize=16)
def _below(framework: str, keys: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    """Keys below a section with a switch, and that switch."""
    family, names = registry.framework(framework).family, {name for _, name in keys}
    pairs = []
    for key, name in keys:
        for block in BLOCKS.get(family, ()):
            section_node = next((node for node in _nodes(name) if fnmatchcase(node, block.section)), None)
            if (
                section_node is None
                or name == f"{section_node}.{block.switch}"
                or f"{section_node}.{block.switch}" not in names
            ):
                continue
            if (
                family != "trinity"
                or section_node not in _ONLY
                or name.removeprefix(f"{section_node}.") in _ONLY[section_node]
            ):
                pairs.append((key, f"{section_node}.{block.switch}"))
    return tuple(pairs)


def _nodes(name: str) -> Iterator[str]:
    position = name.find(".")
    while position > 0:
        yield name[:position]
        position = name.find(".", position + 1)


@lru_cache(maxsize=16)
def dead(framework: str, keys: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    """Keys of the newest release that nothing reads, or that the framework writes over, with the tables' sentence.

    A key that a row speaks for is none of them: reasons are patterns, and catch what stands below other sections.
    """
    table = table_of(framework)
    spoken = {native for row in table.rows for native in natives_of(row)}
    reasons = ((key, reason_for(table, name, None)) for key, name in keys if without_indices(name) not in spoken)
    return tuple((key, reason.why) for key, reason in reasons if reason and reason.state is State.DEAD_IN_SOURCE)


ARGUMENTS = {
    "advantage_fn": "advantage", "policy_loss_fn": "policy_loss", "kl_loss_fn": "kl_loss", "entropy_loss_fn": "entropy",
}  # fmt: skip
"""Trinity's key for a function, and what its algorithm class brings along where the key is left out."""


def chosen(reading: Reading, key: str) -> Any:
    """The function that a Trinity config uses under `algorithm.<key>`."""
    value = reading.native(f"algorithm.{key}")
    if value is None and key in ARGUMENTS:
        return getattr(class_of(reading), ARGUMENTS[key])
    return ("default" if key == "sample_strategy" else "none") if value is None else value


def takes(known: Catalogue, key: str) -> Mapping[str, Mapping[str, Any]]:
    """Registered names under a Trinity function key, each with the arguments that it takes."""
    return known.arguments.get(key, {})


def _arguments(reading: Reading, newest: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Arguments that the chosen functions do not take."""
    from rftconf.schemas import catalogue

    known = catalogue.load("trinity", reading.release)
    for function in known.arguments:
        now = chosen(reading, function)
        if is_symbolic(now) or now not in takes(known, function):
            continue
        node = f"algorithm.{function}_args."
        for key in newest:
            name = key.removeprefix(node)
            if name == key or "." in name:
                continue
            if now == "none":
                yield key, f"no effect while algorithm.{function} is none"
            elif name not in takes(known, function)[now] and _takes_argument(known, function, name):
                who = [function_name for function_name, args in takes(known, function).items() if name in args]
                yield key, f"{function} is {now}, which does not take it: {', '.join(who)}"


def _takes_argument(known: Catalogue, function: str, name: str) -> bool:
    return any(name in args for args in takes(known, function).values())
