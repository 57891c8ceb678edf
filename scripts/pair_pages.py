"""The pages of docs/pairs/: two frameworks side by side, from the tables of both."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from fnmatch import fnmatchcase
from itertools import combinations

from rftconf.base.errors import RftconfError
from rftconf.base.symbols import Expr
from rftconf.explain.fields import FieldSupport, field_support
from rftconf.explain.hazards import HAZARDS, Hazard
from rftconf.load.effective import effective
from rftconf.mappers.reading import Reading
from rftconf.mappers.tables import table_of
from rftconf.plan.derive import derive
from rftconf.plan.field_roles import BOOKKEEPING
from rftconf.plan.index import fields, role_of, unit_of
from rftconf.schemas.framework import Framework
from rftconf.schemas.guess import Guess
from rftconf.schemas.registry import FRAMEWORKS

PAIRS = tuple(combinations(FRAMEWORKS.values(), 2))
EXAMPLES = {
    name: "run_grpo.sh" if framework.usual_form == "sh" else f"grpo_{name}.yaml"
    for name, framework in FRAMEWORKS.items()
}
"""Files that the commands of the pages name; tests/test_commands.py lays them down."""
MAIN = (
    "batch.prompts_per_rollout", "batch.responses_per_prompt", "batch.sequences_per_update", "batch.passes",
    "batch.micro.dynamic", "batch.micro.sequences_per_rank", "batch.micro.tokens_per_rank",
    "run_length.rollouts", "run_length.epochs", "sync.every_rollouts", "sync.run_ahead_rollouts", "sync.old_logprob",
    "placement.layout", "placement.rollout.gpus", "placement.rollout.tp", "placement.rollout.gpu_memory_fraction",
    "placement.actor.gpus", "length.prompt_max_tokens", "length.response_max_tokens",
    "algorithm.advantage", "algorithm.std_scope", "algorithm.loss_agg", "algorithm.policy_loss.family",
    "algorithm.policy_loss.clip_low", "algorithm.policy_loss.clip_high", "algorithm.policy_loss.dual_clip_c",
    "algorithm.kl_loss.enabled", "algorithm.kl_loss.coef", "algorithm.kl_loss.estimator",
    "algorithm.kl_reward.enabled", "algorithm.kl_reward.coef", "algorithm.entropy_coef", "algorithm.critic.enabled",
    "optim.actor.lr", "optim.actor.schedule", "optim.actor.warmup_updates", "optim.actor.grad_clip",
    "sampling.train.temperature", "sampling.train.top_p", "sampling.train.top_k",
    "cadence.save_rollouts", "cadence.eval_rollouts", "model.path", "data.train[].uri",
)  # fmt: skip
"""Plan fields that people translate by hand, without `stage.`."""
_MOST = 3
_NAMES = {name: re.compile(rf"\b{framework.title.removesuffix('-RFT')}\b") for name, framework in FRAMEWORKS.items()}
Row = Callable[..., str]


def name_of(framework_a: Framework, framework_b: Framework) -> str:
    """File name of a pair's page."""
    return f"pairs/{framework_a.name}-{framework_b.name}.md"


def pages(row: Row, head: Row) -> dict[str, str]:
    """File name to text, without the note."""
    return {
        name_of(framework_a, framework_b): _page(framework_a, framework_b, row, head)
        for framework_a, framework_b in PAIRS
    }


def _page(framework_a: Framework, framework_b: Framework, row: Row, head: Row) -> str:
    example_a, example_b = EXAMPLES[framework_a.name], EXAMPLES[framework_b.name]
    text = f"# {framework_a.title} and {framework_b.title}\n\n"
    text += f"Names and defaults are those of {framework_a.title} {framework_a.newest} and {framework_b.title} {framework_b.newest}.\n\n"
    text += "```console\n"
    text += f"rftconf convert {example_a} --to {framework_b.name} --rows 7473 -o from_{framework_a.name}.{_suffix(framework_b)}\n"
    text += f"rftconf convert {example_b} --to {framework_a.name} --rows 7473 -o from_{framework_b.name}.{_suffix(framework_a)}\n"
    text += f"rftconf diff {example_a} from_{framework_a.name}.{_suffix(framework_b)} --rows 7473    # exit 1 where they differ\n```\n\n"
    text += "## One thing, two names\n\n"
    text += (
        "Each plan field, and what it is in the keys of each side. Without a formula, key and field have one value.\n\n"
    )
    text += head("what", "counted in", framework_a.title, framework_b.title)
    for short in MAIN:
        path = f"stage.{short}"
        unit = unit_of(path)
        text += row(
            f"`{short}`",
            str(unit) if unit else "",
            *(_support_text(field_support(f.name, path)) for f in (framework_a, framework_b)),
        )
    text += (
        "\n## Hazards\n\nWhere a conversion by hand that looks right goes wrong; `rftconf explain H1` prints one.\n\n"
    )
    text += "".join(f"* **{hazard.name}** {hazard.says}\n" for hazard in hazards(framework_a, framework_b))
    text += _lacking(framework_a, framework_b, row, head) + _lacking(framework_b, framework_a, row, head)
    return text + _defaults(framework_a, framework_b, row, head)


def _suffix(framework: Framework) -> str:
    return framework.usual_form


def _support_text(entry: FieldSupport) -> str:
    if not entry.keys:
        return f"*{entry.state}*: {entry.how}"
    if entry.formula:
        return f"`{entry.formula}`"
    names = [f"`{key}`" for key in entry.keys[:_MOST]]
    more = f" and {len(entry.keys) - _MOST} more" if len(entry.keys) > _MOST else ""
    return ", ".join(names) + more


def hazards(framework_a: Framework, framework_b: Framework) -> tuple[Hazard, ...]:
    """Those that speak of one of the two, or of no framework by name."""
    return tuple(h for h in HAZARDS if (named := named_in(h)) == set() or named & {framework_a.name, framework_b.name})


def named_in(hazard: Hazard) -> set[str]:
    """The frameworks that a hazard names, in its sentence or by a key."""
    by_key = {glob.partition(":")[0] for glob in hazard.concerns if ":" in glob}
    return by_key | {name for name, pattern in _NAMES.items() if pattern.search(hazard.says)}


def _lacking(framework_a: Framework, framework_b: Framework, row: Row, head: Row) -> str:
    """What one cannot hold and the other can."""
    keys: dict[str, list[str]] = {}
    for path in _acting_fields():
        if field_support(framework_b.name, path).keys and not field_support(framework_a.name, path).keys:
            lacking = next((c for c in table_of(framework_a.name).cannot if fnmatchcase(path, c.plan)), None)
            if lacking is not None:
                keys.setdefault(lacking.why, []).append(f"`{path.removeprefix('stage.')}`")
    text = f"\n## What {framework_a.title} cannot hold\n\n{framework_b.title} has keys for these.\n\n" + head(
        "what", "why"
    )
    return text + "".join(row(_few(names), why) for why, names in keys.items())


def _few(names: list[str]) -> str:
    return ", ".join(names) if len(names) <= _MOST + 1 else f"{', '.join(names[:_MOST])} and {len(names) - _MOST} more"


def _acting_fields() -> Iterator[str]:
    return (path for path in fields() if path.startswith("stage.") and role_of(path) != BOOKKEEPING)


def _defaults(framework_a: Framework, framework_b: Framework, row: Row, head: Row) -> str:
    """What a silent config means, where the two differ."""
    left, right = bare(framework_a), bare(framework_b)
    text = (
        "\n## Other defaults\n\nWhat a config that says nothing means, in the plan's terms, where the two differ.\n\n"
    )
    text += head("what", framework_a.title, framework_b.title)
    for path in _acting_fields():
        mine, theirs = left.get(path), right.get(path)
        plain = not any(isinstance(v, (Expr, dict, list)) for v in (mine, theirs))
        if mine is not None and theirs is not None and mine != theirs and plain:
            text += row(f"`{path.removeprefix('stage.')}`", f"`{mine}`", f"`{theirs}`")
    return text


def bare(framework: Framework) -> dict[str, object]:
    """The plan of an empty config, as far as there is one."""
    native = effective(Guess(framework.name, framework.newest, framework.trainer, (), certain=True), {}).native
    reading = Reading(table_of(framework.name), native)
    reading.read_all()
    with suppress(RftconfError):  # a bare config does not tell every size
        derive(reading.values, reading.origins)
    return reading.values
