"""The config of veRL cannot say everything about a run that came from elsewhere; a person is asked for the rest."""

from __future__ import annotations

from rftconf.base.ledger import Decision
from rftconf.base.symbols import formula
from rftconf.mappers.context import WriteContext
from rftconf.mappers.placing import Target
from rftconf.mappers.verl.reward_pool import served

FILES = "data.train_files"
TARGET = Target(
    True,
    0.5,
    "the engine shares its GPUs with the trainer now; veRL's default",
    one_back_end="veRL's config has the parts of one engine for all roles (ppo_megatron_trainer or ppo_trainer)",
)


def acts_in(writing: WriteContext) -> list[Decision]:
    """Ask which agent loop plays the environments of the source."""
    names = [
        str(writing.plan(f"stage.data.environments[{i}].name")) for i in range(writing.items("stage.data.environments"))
    ]
    if not names:
        return []
    why = f"the source's agent acts in {', '.join(names)}, turn by turn; environments, their rewards and their tags are not carried over"
    choices = (
        "write an agent loop and name it in rollout.agent",
        "or give tools with rollout.multi_turn.tool_config_path",
    )
    return [Decision("actor_rollout_ref.rollout.multi_turn", why, choices)]


def without_rows(writing: WriteContext) -> list[Decision]:
    """Ask which rows start the episodes of a source that names no data."""
    if not writing.items("stage.data.environments"):
        return []
    evaluates = writing.plan("stage.kind") == "eval"
    validates = evaluates or writing.plan("stage.cadence.eval_rollouts") is not None
    questions = [] if evaluates else [(FILES, "train")]
    questions += [("data.val_files", "eval")] if validates else []
    return [_rows(writing, files) for files, sets in questions if not writing.items(f"stage.data.{sets}")]


def _rows(writing: WriteContext, files: str) -> Decision:
    own = writing.defaults(files)
    why = f"the source names no data; veRL takes every prompt from a file, {own} where none is named"
    return Decision(files, why, ("a parquet file with one prompt an episode",))


def questions(writing: WriteContext) -> list[Decision]:
    """Ask whether the source's reward exists here."""
    worlds = [*without_rows(writing), *acts_in(writing)]
    if writing.plan("stage.kind") == "distill" and not worlds and not writing.plan("stage.reward.function_path"):
        why = "rewards are measured and not learned from, but veRL asks its scorer for one of every answer, by data_source"
        choices = ("write a compute_score and name its file here", "or rely on data_source")
        return [Decision("reward.custom_reward_function.path", why, choices)]
    if worlds or writing.plan("stage.reward.function_path"):
        return worlds
    why = "the source's workflow or reward function does not exist in veRL; its built-in scorer chooses by data_source"
    choices = ("write a compute_score and name its file here", "or rely on data_source")
    block = "reward." if writing.since("0.7.1") else ""  # H59
    return [Decision(f"{block}custom_reward_function.path", *_of_the_model(writing) or (why, choices))]


def _of_the_model(writing: WriteContext) -> tuple[str, tuple[str, ...]] | None:
    """Tell who asks the reward model, where there is one: veRL itself for a number, or a function in words."""
    prefix = served(writing)
    if not prefix:
        return None
    path, ask = writing.model_beside(prefix), "write a compute_score that asks it at reward_router_address"
    if writing.plan(prefix + "role") == "judge":
        prompt = writing.plan(prefix + "prompt")
        words = f", with the source's prompt {formula(prompt)}" if prompt is not None else ""
        why = f"veRL serves the judge {path}, and without a function it takes it for a classifier that gives a number"
        return why, (f"{ask}{words}",)
    why = f"without a function veRL asks the reward model {path} for a number about every answer; the source's reward code is not carried over"
    return why, ("leave it out: the model is a classifier", ask)
