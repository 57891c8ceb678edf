"""Switches of Trinity's config beside the plan."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rftconf.base.symbols import is_symbolic
from rftconf.mappers.context import ReadContext
from rftconf.mappers.gates import NO_CRITIC, Gate, Gates, Section, has, may_be_fsdp2
from rftconf.mappers.trinity import conditions as on
from rftconf.mappers.trinity.algorithms import ALGORITHMS, class_of
from rftconf.mappers.trinity.switches import SWITCHES
from rftconf.mappers.trinity.unread_arguments import chosen
from rftconf.schemas import catalogue
from rftconf.schemas.catalogue import Catalogue

_TRAINS = ("both", "train", "colocate")
_EXPLORES = ("both", "explore", "bench", "serve", "colocate")
_BUFFER, _OLD = "buffer.trainer_input.experience_buffer", "trainer.trainer_config"


def _critic_class(r: ReadContext) -> bool:
    """The algorithm class decides; a symbol or a class of one's own may have one."""
    name = r.native("algorithm.algorithm_type", "ppo")
    return bool(name not in ALGORITHMS or class_of(r).critic)


def _rolls_out(r: ReadContext) -> bool:
    return r.native("algorithm.algorithm_type", "ppo") not in ("sft", "cpt", "dpo")


def _takes(known: Catalogue, key: str) -> Mapping[str, Mapping[str, Any]]:
    """Registered names under a Trinity function key, each with the arguments that it takes."""
    return known.arguments.get(key, {})


def _idle_arguments(r: ReadContext, newest: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Arguments that the chosen functions do not take."""
    known = catalogue.load("trinity", r.release)
    for function in known.arguments:
        now = chosen(r, function)
        if is_symbolic(now) or now not in _takes(known, function):
            continue
        node = f"algorithm.{function}_args."
        for key in newest:
            name = key.removeprefix(node)
            if name == key or "." in name:
                continue
            if now == "none":
                yield key, f"no effect while algorithm.{function} is none"
            elif name not in _takes(known, function)[now] and _takes_argument(known, function, name):
                who = [function_name for function_name, args in _takes(known, function).items() if name in args]
                yield key, f"{function} is {now}, which does not take it: {', '.join(who)}"


def _takes_argument(known: Catalogue, function: str, name: str) -> bool:
    return any(name in args for args in _takes(known, function).values())


GATES = Gates(
    sections=tuple(Section(block.name, block.switch, "mappers/trinity/switches.py", block.only) for block in SWITCHES),
    idle_arguments=_idle_arguments,
    gates=(
        Gate((f"{_OLD}.critic.*", "model.critic_model_path", "trainer.critic_warmup"), _critic_class, NO_CRITIC,
             "algorithm/algorithm.py: use_critic"),
        Gate(("trainer.megatron.*", f"{_OLD}.*.megatron.*"), on.MEGATRON.test, "only the Megatron trainer reads it",
             "trainer/verl/config.py: trainer_strategy"),
        Gate((f"{_OLD}.*.fsdp_config.*", f"{_OLD}.*.fsdp.*"), on.FSDP.test, "the Megatron trainer does not read it",
             "trainer/verl/config.py: trainer_strategy"),
        Gate(("algorithm.advantage_fn", "algorithm.advantage_fn_args*", "algorithm.kl_penalty_fn",
              "algorithm.kl_penalty_fn_args*"), _rolls_out, "an SFT or DPO run has no rewards and no advantages",
             "algorithm/algorithm.py: schema, default_config"),
        Gate((f"{_OLD}.trainer.resume_from_path",), has(f"{_OLD}.trainer.resume_mode", "resume_path"),
             "no effect unless resume_mode is resume_path", "trainer/verl_legacy/verl_trainer.py"),
        Gate((f"{_OLD}.actor_rollout_ref.model.fused_kernel_options.*",),
             has(f"{_OLD}.actor_rollout_ref.model.use_fused_kernels", True),
             "no effect while use_fused_kernels is false", "models/transformers/monkey_patch.py: apply_monkey_patch"),
        Gate(("explorer.*", "buffer.explorer_input.*"), has("mode", *_EXPLORES), "mode is train: no explorer runs",
             "cli/launcher.py: MODE_MAP; config_validator.py: explorer_input"),
        Gate(("trainer.*",), has("mode", *_TRAINS), "nothing is trained in this mode", "cli/launcher.py: MODE_MAP"),
        Gate((f"{_BUFFER}.format.*", f"{_BUFFER}.split", f"{_BUFFER}.subset_name"),
             has("algorithm.algorithm_type", "sft", "cpt", "dpo"), "read for data of an SFT or DPO run only",
             "buffer/reader/file_reader.py"),
        Gate((f"{_BUFFER}.format.chosen_key", f"{_BUFFER}.format.rejected_key"),
             has("algorithm.algorithm_type", "dpo"), "only DPO has pairs", "buffer/schema/formatter.py"),
        Gate(("trainer.offload_policy", f"{_OLD}.*.offload_policy"), may_be_fsdp2, "only fsdp2 reads it", "trainer/verl/config.py"),
    ),
)  # fmt: skip
