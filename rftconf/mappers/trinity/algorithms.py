"""Trinity's algorithm classes bring functions along (algorithm/algorithm.py), used where a config leaves one out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rftconf.base.symbols import Expr, OpenKey
from rftconf.mappers.context import ReadContext


@dataclass(frozen=True, slots=True)
class AlgorithmClass:
    """One registered `algorithm_type`. `in_trainer`: advantages, and so KL in the reward, are computed by the trainer."""

    advantage: Any
    policy_loss: Any
    kl_loss: Any = "k2"
    entropy: Any = "default"
    critic: bool | Expr = False
    reference: bool | Expr = True
    in_trainer: bool | Expr = False


ALGORITHMS = {
    "ppo": AlgorithmClass("ppo", "ppo", critic=True, in_trainer=True),
    "grpo": AlgorithmClass("grpo", "ppo"),
    "dapo": AlgorithmClass("grpo", "ppo", kl_loss="none", reference=False),
    "reinforceplusplus": AlgorithmClass("reinforceplusplus", "ppo", in_trainer=True),
    "rloo": AlgorithmClass("rloo", "ppo", in_trainer=True),
    "opmd": AlgorithmClass("opmd", "opmd"),
    "asymre": AlgorithmClass("asymre", "opmd", kl_loss="none", entropy="none", reference=False),
    "topr": AlgorithmClass("reinforce", "topr"),
    "cispo": AlgorithmClass("grpo", "cispo"),
    "gspo": AlgorithmClass("grpo", "gspo"),
    "sapo": AlgorithmClass("grpo", "sapo"),
    "mix": AlgorithmClass("grpo", "mix", entropy="mix"),
    "mix_chord": AlgorithmClass("grpo", "mix_chord", entropy="mix"),
    "raft": AlgorithmClass("raft", "sft", kl_loss="none", entropy="none", reference=False),
    "sppo": AlgorithmClass("opmd", "sppo", kl_loss="none", entropy="none", reference=False),
    "rec": AlgorithmClass("rec", "rec"),
    "multi_step_grpo": AlgorithmClass("step_wise_grpo", "ppo"),
    "gigpo": AlgorithmClass("gigpo", "ppo"),
    "grpo_verl": AlgorithmClass("grpo", "ppo", in_trainer=True),
    "on_policy_distill": AlgorithmClass(
        "on_policy_distill", "ppo", kl_loss="none", entropy="none", reference=False, in_trainer=True
    ),
    "jsd": AlgorithmClass("jsd", "ppo", kl_loss="none", entropy="none", reference=False, in_trainer=True),
    "sft": AlgorithmClass("sft", "sft", kl_loss="none", entropy="none", reference=False),
    "cpt": AlgorithmClass("sft", "sft", kl_loss="none", entropy="none", reference=False),
    "dpo": AlgorithmClass("dpo", "dpo"),
}

SINCE = {
    **dict.fromkeys(("gspo", "on_policy_distill", "reinforceplusplus", "rloo", "sapo"), "0.4.1"),
    **dict.fromkeys(("grpo_verl", "jsd"), "0.5.2"),
    **dict.fromkeys(("cpt", "dapo", "gigpo"), "0.6.0"),
}
"""The catalogued release that first registers a class; the others are as old as 0.3.3."""

LOSS_CLIPS = {**dict.fromkeys(("ppo", "mix", "mix_chord"), (0.2, 0.2)), "gspo": (0.0003, 0.0004), "cispo": (1.0, 0.28)}
"""Default clip range, low and high, of each policy loss that clips."""

FAMILIES = {"ppo": "ppo", "gspo": "gspo", "cispo": "cispo", "sapo": "sapo_detached"}
"""Policy losses that stand for a plan family; others keep their own name. `sapo_policy_loss.py` detaches the gate."""

ADVANTAGES = {
    # computed by the trainer; first, so that the plain names are the ones written
    "grpo_verl": "grpo", "opmd_verl": "grpo_mean_only", "asymre_verl": "asymre",
    "ppo": "gae", "grpo": "grpo", "opmd": "grpo_mean_only", "reinforceplusplus": "reinforce_pp", "rloo": "rloo",
    "remax": "remax", "reinforce": "reinforce", "asymre": "asymre",
}  # fmt: skip

TYPE_OF = {
    ("gae", "ppo"): "ppo",
    ("grpo", "ppo"): "grpo",
    ("grpo_mean_only", "ppo"): "grpo",
    ("reinforce_pp", "ppo"): "reinforceplusplus",
    ("rloo", "ppo"): "rloo",
    ("reinforce", "ppo"): "grpo",
    ("grpo", "gspo"): "gspo",
    ("grpo", "cispo"): "cispo",
    ("grpo", "sapo_detached"): "sapo",
}
"""The algorithm class that comes closest to an advantage and a policy-loss family."""


def algorithm(name: object) -> AlgorithmClass:
    """The class of `algorithm_type`. Of a symbol all of it follows from the symbol; a class of the user's own is like no
    other, and whether it computes advantages in the trainer stays open."""
    if isinstance(name, Expr):
        return AlgorithmClass(name, name, name, name, critic=name, reference=name, in_trainer=name)
    if not isinstance(name, str):
        return ALGORITHMS["ppo"]
    return ALGORITHMS.get(name) or AlgorithmClass(name, name, in_trainer=OpenKey("algorithm.algorithm_type"))


def class_of(r: ReadContext) -> AlgorithmClass:
    """The class of the config that is read."""
    return algorithm(r.native("algorithm.algorithm_type", "ppo"))


def arguments(r: ReadContext, name: str) -> dict[str, Any]:
    """Return the contents of `algorithm.<name>_args`, written as a mapping or key by key."""
    whole = r.native(f"algorithm.{name}_args")
    return whole if isinstance(whole, dict) else r.source.branch(f"algorithm.{name}_args")
