"""NeMo-RL's data sets, trackers, checkpoints, validation and length of a run."""

from __future__ import annotations

from rftconf.mappers.context import WriteContext
from rftconf.mappers.data_sections import DataSections, TextAround
from rftconf.mappers.precedence import Block
from rftconf.mappers.run_limits import StepsAndEpochs
from rftconf.mappers.shapes import together
from rftconf.mappers.statements import Every, Refused, Stated, SwitchedCount
from rftconf.mappers.thinking import TemplateArgument
from rftconf.mappers.trackers import TrackerKeys
from rftconf.mappers.usual_values import Limit, Repeats
from rftconf.plan.units import Unit

NO_LIMIT = 1_000_000
"""Steps, or epochs, that no run has: NeMo-RL's own examples write so many steps where the epochs end a run."""
SETS = DataSections(
    {"train": "data.train", "eval": "data.validation"},
    "data.default",
    "dataset_name",
    "data_path",
    "ResponseDataset",
    {
        "split": "split",
        "subset": "subset",
        "keys.prompt": "input_key",
        "keys.response": "output_key",
        "reward": "env_name",
    },
    "split_validation_size",
    "0.6.0",
)
"""nemo_rl/data/utils.py: setup_response_data; nemo_rl/data/datasets/response_datasets."""
TEXTS = TextAround(
    ("data.default.prompt_file", "data.default.system_prompt_file"),
    "its text stands around each question; the target asks the question alone",
)
LOGGERS = TrackerKeys(
    "NeMo-RL", {name: f"logger.{name}_enabled" for name in ("wandb", "tensorboard", "mlflow", "swanlab")}
)


def _missing_rows(w: WriteContext) -> str:
    """Return a sentence where a step takes more prompts than there are rows; it is empty elsewhere, and where a number is not known."""
    rows, prompts = w.facts.rows, w.plan("stage.batch.prompts_per_rollout")
    known = isinstance(rows, int) and isinstance(prompts, int)
    return (
        f"a step takes {prompts} prompts of {rows} rows, and NeMo-RL leaves out what makes no whole step"
        if known and rows < prompts
        else ""
    )


EMPTY = Refused(lambda w: bool(_missing_rows(w)), _missing_rows, ("more rows", "fewer prompts a rollout"))
FOLDS = (
    together(SETS, why="nemo_rl/data/utils.py: setup_response_data"),
    together(Limit("checkpointing.keep_top_k", "stage.checkpoint.keep", NO_LIMIT),
             why="utils/checkpoint.py: CheckpointManager.remove_old_checkpoints (H97); MasterConfig takes no null since 0.7.0"),
    together(Repeats("policy.tokenizer.name", "stage.model.tokenizer_path", "policy.model_name"), why="algorithms/utils.py: get_tokenizer"),
    together(TEXTS, why="nemo_rl/data/datasets/raw_dataset.py: set_task_spec"),
    together(LOGGERS, why="nemo_rl/utils/logger.py: Logger"),
    together(
        Block("checkpointing", "enabled"),
        SwitchedCount("checkpointing.save_period", "checkpointing.enabled", "stage.cadence.save_rollouts"),
        why="grpo_train: checkpointing.enabled, should_save_by_step",
    ),
    together(Every("grpo.val_period", "stage.cadence.eval_rollouts", Unit.ROLLOUTS),
             Stated("grpo.val_period", 0, "nothing is validated in the source", unless="stage.cadence.eval_rollouts"), why="grpo_train: val_period"),
    together(EMPTY, why="grpo.py: setup, StatefulDataLoader(drop_last=True)"),
    together(StepsAndEpochs("grpo.max_num_steps", "grpo.max_num_epochs", NO_LIMIT), why="grpo_train: while current_epoch < max_num_epochs (H95)"),
    together(TemplateArgument("policy.tokenizer.chat_template_kwargs", "0.4.0", "this release hands no arguments to the chat template"),
             why="nemo_rl/algorithms/utils.py: get_tokenizer"),
)  # fmt: skip
