"""ChatLearn's config cannot say everything about a run that came from elsewhere; a person is asked for the rest."""

from __future__ import annotations

from rftconf.base.errors import RefusedError
from rftconf.base.ledger import Decision, State
from rftconf.mappers.context import WriteContext
from rftconf.mappers.images import columns_of_images
from rftconf.mappers.placing import Target

TARGET = Target(True, 0.8, "the engine shares its GPUs with the trainer now; ChatLearn's default", apart=True)


MODEL, WITH_IMAGES = "runtime_args.model_type", "2025.10.23"
COLUMNS = {
    False: "rows need the columns prompt, data_source and reward_model.ground_truth",
    True: "rows need the columns messages, with the images in their contents, data_source and reward_model.ground_truth",
}
"""The columns of a row, without and with images (prompt_dataset.py, vl_prompt_dataset.py)."""


def complete(writing: WriteContext) -> None:
    """Write that the model is one of vision and language: ChatLearn would drop the images of its prompts otherwise.

    Raises RefusedError for a release that has no such models.
    """
    if writing.same_framework or not columns_of_images(writing):
        return
    if not writing.since(WITH_IMAGES):
        raise RefusedError(
            f"the source's rows may hold images; ChatLearn {writing.release} reads text alone",
            choices=(f"--to-release {WITH_IMAGES}, which has vision-language models",),
        )
    writing.put(MODEL, "vlm", state=State.DERIVED, how="the source's model reads images")


def questions(writing: WriteContext) -> list[Decision]:
    """Ask whether the rule rewards and the columns fit."""
    images = bool(columns_of_images(writing))
    return [
        Decision(
            "models.reward",
            "ChatLearn's rule reward chooses by the data_source of a row; the source's workflow or reward code is not carried over"
            + _models(writing),
            ("check that rule_reward.py knows your data_source", "or add your reward to it"),
        ),
        Decision("runtime_args.data_path", COLUMNS[images], ("check the files", "or convert them")),
    ]


def _models(writing: WriteContext) -> str:
    """The models that score in the source and are served by nobody here."""
    paths = [f"stage.placement.auxiliary[{i}]." for i in range(writing.items("stage.placement.auxiliary"))]
    lost = [writing.model_beside(prefix) for prefix in paths if writing.plan(prefix + "role") in ("reward", "judge")]
    return f", and no reward model or judge is served here: {', '.join(lost)} scores nothing" if lost else ""
