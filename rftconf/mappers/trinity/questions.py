"""Trinity's config cannot say everything about a run that came from elsewhere; a person is asked for the rest."""

from __future__ import annotations

from collections.abc import Iterator

from rftconf.base.ledger import Decision, State
from rftconf.base.symbols import formula
from rftconf.mappers.codecs import MISSING
from rftconf.mappers.context import WriteContext
from rftconf.mappers.images import columns_of_images
from rftconf.mappers.placing import Target
from rftconf.plan.kinds import WITH_ROLLOUTS

TARGET = Target(
    *(False, 0.9, "the engine owns its GPUs now; Trinity's default"), spread_since="0.6.0", node_of_both_since="0.4.1"
)


MODELS = {"model.model_path": "stage.model.path", "model.critic_model_path": "stage.model.critic_path"}
TRAINER = "trainer.trainer_config."
SIZES = tuple(
    f"{TRAINER}actor_rollout_ref.{name}_micro_batch_size_per_gpu" for name in ("actor.ppo", "rollout.log_prob", "ref.log_prob")
)  # fmt: skip
"""Fixed micro-batches that the FSDP trainer wants, the reference's even where it is not used."""


def complete(writing: WriteContext) -> None:
    """A model without a name is not loaded; and since 0.6 the FSDP trainer wants a micro-batch where tokens do not size it."""
    for key, path in MODELS.items():
        if key in writing.out and writing.out[key].value == "":
            note = "the source leaves it empty"
            writing.put(key, MISSING, path, state=State.UNRESOLVED, note=note, always=True)
    fixed = writing.plan("stage.batch.micro.dynamic") is False and writing.plan("stage.kind") in WITH_ROLLOUTS
    if fixed and writing.since("0.6.0") and writing.backend != "megatron":
        how = "micro-batches of a fixed size, and the source tells none"
        for size in (*SIZES, *_sizes_of_the_critic(writing)):
            if writing.effective(size) is None:
                writing.put(size, MISSING, state=State.UNRESOLVED, how=how, always=True)


def _sizes_of_the_critic(writing: WriteContext) -> Iterator[str]:
    """Yield the sizes that the critic's config demands, and those that its engine reads."""
    if writing.plan("stage.algorithm.critic.enabled") is True:
        engine = "megatron" if writing.plan("stage.placement.actor.backend") == "megatron" else "fsdp"
        sizes = (
            "ppo_micro_batch_size_per_gpu",
            f"{engine}.micro_batch_size_per_gpu",
            f"{engine}.infer_micro_batch_size_per_gpu",
        )
        yield from (f"{TRAINER}critic.{size}" for size in sizes)


def questions(writing: WriteContext) -> list[Decision]:
    """Ask which workflow and reward to take, and whether the columns fit."""
    kind = writing.plan("stage.kind")
    if kind not in (*WITH_ROLLOUTS, "eval"):
        return []
    tasks = f"buffer.explorer_input.{'eval_tasksets' if kind == 'eval' else 'tasksets'}[]"
    count = writing.items("stage.data.environments")
    names = ", ".join(str(writing.plan(f"stage.data.environments[{i}].name")) for i in range(count))
    worlds = f"the source's agent acts in {names}, turn by turn; environments, their rewards and their tags are not carried over"
    return [
        *(
            [Decision(f"{tasks}.workflow_args", worlds, ("write a multi-step workflow and give it these arguments",))]
            if count
            else []
        ),
        *(_validated(writing) if count and kind != "eval" else []),
        Decision(f"{tasks}.default_workflow_type", *(_teachers(writing) if kind == "distill" else _workflow(writing))),
        Decision(f"{tasks}.format", _columns(writing), ("check prompt_key and response_key", "or convert the data")),
    ]


def _columns(writing: WriteContext) -> str:
    """Tell where the source's rows have what Trinity reads from columns of their own."""
    keys = "stage.data.train[0].keys."
    answer, prompt = writing.plan(keys + "response"), writing.plan(keys + "prompt") or writing.plan(keys + "messages")
    contents = "chat messages and reward_model.ground_truth"
    if writing.plan("stage.reward.manager") is None and prompt is not None:  # reward code of its own reads its rows
        contents = f"the prompt in {formula(prompt)}, and what its rewards read in columns of their own"
    if answer is not None:
        contents = f"the answer in {formula(answer)}" + (
            "" if prompt is None else f" and the prompt in {formula(prompt)}"
        )
    return f"the source's rows hold {contents}; Trinity reads the columns named here"


def _validated(writing: WriteContext) -> list[Decision]:
    """Ask which tasks are played at every validation, where the source validates on environments."""
    if writing.plan("stage.cadence.eval_rollouts") is None or writing.items("stage.data.eval"):
        return []
    why = "the source validates on environments; Trinity evaluates on task sets, and without one not at all"
    return [Decision("buffer.explorer_input.eval_tasksets", why, ("a task set with one task an episode",))]


def _teachers(writing: WriteContext) -> tuple[str, tuple[str, ...]]:
    """The workflow of a run without rewards measures none either, in training and in evaluation."""
    del writing
    why = "the workflow that asks the teacher gives every answer the reward 0: nothing is learned from it, and nothing measured"
    own = "on_policy_distill_math_workflow, which scores mathematics", "a workflow of your own, for evaluation too"
    return why, own


def _workflow(writing: WriteContext) -> tuple[str, tuple[str, ...]]:
    """Answers and rewards come from a workflow; so does every question to a model beside the policy."""
    why = "Trinity asks a workflow for answers and rewards; the source's reward code is not carried over"
    paths = [f"stage.placement.auxiliary[{i}]." for i in range(writing.items("stage.placement.auxiliary"))]
    models = [writing.model_beside(prefix) for prefix in paths if writing.plan(prefix + "role") in ("reward", "judge")]
    columns = columns_of_images(writing)
    if columns and not models:
        why = f"{why}; its rows may hold images (column {' and '.join(columns)}), which a workflow for text drops"
        own = "a workflow of your own that reads them"
        return why, ("simple_mm_workflow: it reads images", "math_workflow: where no row has images", own)
    if not models:
        return why, ("math_workflow", "math_boxed_workflow", "a workflow or reward class of your own")
    more = f"{why}, and nothing but a workflow asks {', '.join(models)}"
    known = "math_ruler_workflow or rubric_judge_workflow, which judge answers with the first one"
    return more, ("a workflow of your own that asks auxiliary_models for its verdict", known)
