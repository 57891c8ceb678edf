"""A config becomes a plan, the plan a config of some framework, and that config a plan again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import isclose
from typing import Any
from unittest import mock

from rftconf.base.ledger import State
from rftconf.base.span import Place, Span
from rftconf.base.symbols import Expr
from rftconf.convert import convert as conversions
from rftconf.load.load import load
from rftconf.mappers.outcomes import Outcome
from rftconf.mappers.paths import without_indices
from rftconf.mappers.writing import Writing
from rftconf.plan.chat_templates import THINKING, thinks_by_default, without_switch
from rftconf.plan.field_roles import PERFORMANCE
from rftconf.plan.index import role_of
from rftconf.plan.trainer_numbers import number_type
from rftconf.schemas import registry
from rftconf.schemas.registry import VERL
from rftconf.text.document import Document, Launch, Leaf
from tests.laws.decay_lengths import falls_alike

KEPT = frozenset({State.EXACT, State.DERIVED, State.DEFAULT})
"""Outcomes that say the plan value is the same in the target."""
ROWS = 7473
ROLES = ("actor", "rollout")
ENGINE = "stage.placement.actor.backend"
HERE = Place("law", Span(0, 0, 1, 1))


@dataclass(frozen=True)
class Trip:
    """The plan values on the way out, what the conversion said of each, and the plan values that came back."""

    values: Mapping[str, Any]
    outcomes: Mapping[str, Outcome]
    target: Mapping[str, Any]
    back: Mapping[str, Any]

    def claimed(self) -> Iterator[str]:
        """Plan paths whose value, the conversion says, the target has too.

        Left out: what nothing was written for because the target does so by itself, and tuning that nobody wrote.
        """
        for path, outcome in self.outcomes.items():
            silent = outcome.state is State.DEFAULT or self.values.get(path) is None
            tuning = silent and role_of(without_indices(path)) == PERFORMANCE
            alone = outcome.state is State.DEFAULT and not outcome.targets and self.back.get(path) is None
            if outcome.state in KEPT and not alone and not tuning and path in self.values:
                yield path

    def broken_claims(self) -> dict[str, tuple[Any, Any, str]]:
        """Paths that were said to be kept and came back as something else: before, after, state."""
        return {
            path: (self.values[path], self.back.get(path), self.outcomes[path].state.value)
            for path in self.claimed()
            if not same(self.values[path], self.back.get(path)) and not self.equivalent(path)
        }

    def equivalent(self, path: str) -> bool:
        """True where two plan values train the same way in this run."""
        holds = EQUIVALENT.get(without_indices(path))
        return holds is not None and holds(self.values, self.back)

    def differences(self) -> dict[str, tuple[Any, Any]]:
        """Every path whose value is not what it was."""
        paths = {*self.values, *self.back}
        pairs = {path: (self.values.get(path), self.back.get(path)) for path in paths}
        return {path: pair for path, pair in pairs.items() if not same(*pair)}


def document(framework: str, flat: Mapping[str, Any], trainer: str) -> Document:
    """A config as if it had been read."""
    if framework == "verl":
        flat = {**dict(word.split("=") for word in VERL.config_groups.get(trainer, ())), **flat}
    leaves = tuple(Leaf(key, value, HERE, HERE, str(value)) for key, value in flat.items())
    if framework != "verl":
        return Document("law.yaml", "", "yaml", leaves)
    program = VERL.recipes[trainer].program if trainer in VERL.recipes else VERL.mains[0]
    launch = Launch(program, HERE, {"--config-name": VERL.config_names[trainer]})
    return Document("law.sh", "", "shell", leaves, launch=launch)


def convert_flat(framework: str, to: str, flat: Mapping[str, Any], trainer: str) -> conversions.Conversion:
    """Convert flat keys of the newest release."""
    newest = registry.framework(framework).newest
    return conversions.convert(document(framework, flat, trainer), to, framework=framework, release=newest, rows=ROWS)


def travel(framework: str, to: str, flat: Mapping[str, Any], trainer: str) -> Trip:
    """Read `flat`, write it for `to`, read that."""
    caught: list[Writing] = []
    write = conversions._write

    def spy(*args: Any) -> Writing:
        caught.append(write(*args))
        return caught[-1]

    with mock.patch.object(conversions, "_write", spy):
        done = convert_flat(framework, to, flat, trainer)
    (writing,) = caught
    target = {line.key.lstrip("+"): line.value for line in done.ledger.targets}
    text = done.ledger.target_framework  # a supervised run has a program of its own
    newest = registry.framework(text).newest
    again = load(document(text, target, writing.trainer), framework=text, release=newest, rows=ROWS)
    return Trip(writing.values, writing.outcomes, target, again.stages[-1].values)


def one_update(values: Mapping[str, Any]) -> bool:
    """True when a rollout period has one update, so that all of its policies are the same."""
    batch = "stage.batch."
    whole = values[batch + "prompts_per_rollout"] * values[batch + "responses_per_prompt"]
    return bool(whole == values[batch + "sequences_per_update"] * (values[batch + "passes"] or 1))


def one_batch(values: Mapping[str, Any]) -> bool:
    """True when a rollout period is one mini-batch, however often it is seen."""
    whole = values["stage.batch.prompts_per_rollout"] * values["stage.batch.responses_per_prompt"]
    return bool(whole == values["stage.batch.sequences_per_update"])


def same_old_policy(before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    """Recomputed before a mini-batch: the start of a period that is one, the current policy where it is seen once."""
    path, names = "stage.sync.old_logprob", {"recompute_at_update"}
    if one_batch(before):
        names.add("recompute_at_rollout")
    if before["stage.batch.passes"] in (1, None):
        names.add("current")
    return {before.get(path), after.get(path)} <= names


def even(values: Mapping[str, Any]) -> bool:
    """True when no update is incomplete."""
    whole = values["stage.batch.prompts_per_rollout"] * values["stage.batch.responses_per_prompt"]
    return bool(whole % values["stage.batch.sequences_per_update"] == 0)


OVERRIDES = "stage.placement.actor.megatron.transformer_overrides"


def without_kernels(values: Mapping[str, Any], path: str = OVERRIDES) -> dict[str, Any]:
    """Overrides of Megatron's config but for nulls, attention kernels and modules, which Megatron chooses by itself."""
    arguments = values.get(path) or {}
    own = ("attention_backend", "recompute_modules" if arguments.get("recompute_modules") == ["core_attn"] else "")
    return {name: value for name, value in arguments.items() if name not in own and value is not None}


def same_pools(before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    """Trainer and engines have the GPUs they had, wherever the nodes are cut."""
    return all(same(before.get(path), after.get(path)) for path in (f"stage.placement.{r}.gpus" for r in ROLES))


def same_file(path: str) -> Callable[[Mapping[str, Any], Mapping[str, Any]], bool]:
    """The same data, as a file on one side and as a folder with a split on the other."""

    def holds(before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
        for index in range(9):
            first, second = before.get(f"{path}[{index}].uri"), after.get(f"{path}[{index}].uri")
            if (
                isinstance(first, str)
                and isinstance(second, str)
                and not (first.startswith(second) or second.startswith(first))
            ):
                return False
        return True

    return holds


def same_prompt_column(path: str) -> Callable[[Mapping[str, Any], Mapping[str, Any]], bool]:
    """The prompt is in the same column, whether its key is named after chat messages or plain text."""

    def column(values: Mapping[str, Any], index: int) -> Any:
        keys = f"{path}[{index}].keys."
        chat = values.get(f"{path}[{index}].prompt_type") != "plaintext"
        names = [values.get(keys + name) for name in (("messages", "prompt") if chat else ("prompt", "messages"))]
        return next((name for name in names if name is not None), None)

    return lambda before, after: all(column(before, i) == column(after, i) for i in range(9))


def same_floor(role: str) -> Callable[[Mapping[str, Any], Mapping[str, Any]], bool]:
    """True where the lowest learning rate came back as it was, as a number or as a share of the rate."""
    to = f"stage.optim.{role}."

    def lowest(values: Mapping[str, Any]) -> Any:
        least, share, rate = (values.get(to + name) for name in ("min_lr", "min_lr_ratio", "lr"))
        if least is not None or not isinstance(share, int | float) or not isinstance(rate, int | float):
            return share if least is None else least
        return share * rate

    def holds(before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
        first, second = lowest(before), lowest(after)
        if first is None and (isinstance(after.get(to + "schedule"), Expr) or before.get(ENGINE) == "other"):
            return True  # a schedule left to the reader, and an engine without a catalogue, have no floor that is known
        numbers = isinstance(first, int | float) and isinstance(second, int | float)
        return isclose(first, second) if numbers else same(first, second)

    return holds


EQUIVALENT: dict[str, Callable[[Mapping[str, Any], Mapping[str, Any]], bool]] = {
    "stage.data.train[].uri": same_file("stage.data.train"),
    "stage.data.eval[].uri": same_file("stage.data.eval"),
    "stage.data.train[].split": same_file("stage.data.train"),
    "stage.data.eval[].split": same_file("stage.data.eval"),
    "stage.data.mixing": lambda before, after: "stage.data.train[1].uri" not in before,
    "stage.batch.uneven_tail": lambda before, after: even(before),
    "stage.sync.old_logprob": lambda before, after: one_update(before) or same_old_policy(before, after),
    "stage.run_length.last_partial": lambda before, after: before.get("stage.run_length.rollouts") is not None,
    "stage.run_length.epochs": lambda before, after: same(
        before.get("stage.run_length.rollouts"), after.get("stage.run_length.rollouts")
    ),
    "stage.data.seed": lambda before, after: before.get("stage.data.shuffle") is False,
    "stage.optim.actor.decay_updates": falls_alike,
    "cluster.nodes": lambda before, after: same_pools(before, after),
    "cluster.gpus_per_node": lambda before, after: same_pools(before, after),
    "stage.algorithm.divide_logits_by_temperature": lambda before, after: (
        before["stage.sampling.train.temperature"] == 1
    ),
    "identity.loggers": lambda before, after: (
        {*after["identity.loggers"]} - {"console"} <= {*before["identity.loggers"]}
    ),
    "stage.placement.reference.megatron.seed": lambda before, after: (
        before["stage.placement.reference.megatron.seed"] is None
    ),
    "stage.model.tokenizer_path": lambda before, after: (
        before["stage.model.tokenizer_path"] == before["stage.model.path"]
    ),
    "stage.algorithm.advantage_scope": lambda before, after: one_update(before) and one_update(after),
    "identity.project": lambda before, after: before["identity.project"] is None,
    "identity.log_level": lambda before, after: before["identity.log_level"] is None,
    "stage.placement.actor.megatron.transformer_overrides": lambda before, after: same(
        without_kernels(before), without_kernels(after)
    ),
}
for _role in ("actor", "critic"):
    EQUIVALENT |= dict.fromkeys((f"stage.optim.{_role}.min_lr", f"stage.optim.{_role}.min_lr_ratio"), same_floor(_role))
EQUIVALENT[THINKING] = lambda before, after: (  # no such switch, or what the model's template does untold
    without_switch(before) or (thinks_by_default(before) and "off" not in (before[THINKING], after.get(THINKING)))
)
FSDP = ("fsdp", "fsdp2")
for _role in ("actor", "reference", "critic"):  # FSDP's precision where another engine trains, or no model is loaded
    for _dtype in ("model_dtype", "compute_dtype"):
        EQUIVALENT[f"stage.placement.{_role}.{_dtype}"] = lambda before, after, role=_role, dtype=_dtype: (  # type: ignore[misc]
            before.get(ENGINE) not in FSDP
            or before.get(f"stage.placement.{role}.backend") not in (*FSDP, None)
            or after.get(f"stage.placement.{role}.backend") is None
        )
EQUIVALENT["stage.data.train[].name"] = lambda before, after: (  # ROLL calls a domain by it
    {after.get(f"stage.data.domains[{i}].name") for i in range(9)}
    >= {before.get(f"stage.data.train[{i}].name") for i in range(9)}
)
EQUIVALENT["stage.algorithm.kl_reward.order"] = lambda before, after: (  # nothing is added, so nothing has an order
    not before.get("stage.algorithm.kl_reward.enabled") and not after.get("stage.algorithm.kl_reward.enabled")
)
for _role in ("reference", "critic"):
    _at = f"stage.placement.{_role}.megatron.transformer_overrides"
    EQUIVALENT[_at] = lambda before, after, position=_at: same(  # type: ignore[misc]
        *(without_kernels(values, position) for values in (before, after))
    )
for _listed in ("train", "eval"):  # one column holds the prompt; its type, and so its key, has a law of its own
    for _column in ("prompt", "messages"):
        EQUIVALENT[f"stage.data.{_listed}[].keys.{_column}"] = same_prompt_column(f"stage.data.{_listed}")
for _field in ("temperature", "top_p", "top_k", "repetition_penalty", "responses"):  # nothing is evaluated
    EQUIVALENT[f"stage.sampling.eval.{_field}"] = lambda before, after: "stage.data.eval[0].uri" not in before
CLIPS = tuple(f"stage.algorithm.policy_loss.{name}" for name in ("clip_low", "clip_high", "dual_clip_c"))
for _path in CLIPS:  # a loss that does not clip by it, or a config that the source would not start with
    EQUIVALENT[_path] = lambda before, after, path=_path: before.get(path) is None  # type: ignore[misc]
EQUIVALENT["stage.placement.actor.full_determinism"] = lambda before, after: (  # off, as where nobody speaks of it
    not before.get("stage.placement.actor.full_determinism") and not after.get("stage.placement.actor.full_determinism")
)
EQUIVALENT["stage.batch.prompts_per_rollout"] = lambda before, after: (  # processes over open machines, times machines
    isinstance(before.get("cluster.nodes"), Expr) and isinstance(after["stage.batch.prompts_per_rollout"], Expr)
)
# nobody named the run, and each framework has a name of its own then
EQUIVALENT["identity.experiment"] = lambda before, after: before.get("identity.experiment") is None
EQUIVALENT["stage.algorithm.critic.warmup_rollouts"] = lambda before, after: (  # nothing warms up without a critic
    before.get("stage.algorithm.critic.enabled") is False and after.get("stage.algorithm.critic.enabled") is False
)
NOTHING: tuple[Any, ...] = (None, {}, [], "")


def same(first: Any, second: Any) -> bool:
    """Equal as plan values: 1 is 1.0, an empty value is none, and a type of numbers has several names."""
    if number_type(first) == number_type(second) or (first in NOTHING and second in NOTHING):
        return True
    numbers = (int, float, Fraction)
    if isinstance(first, numbers) and isinstance(second, numbers) and not isinstance(first, bool):
        return abs(float(first) - float(second)) <= 1e-9 * max(1.0, abs(float(first)))
    return False
