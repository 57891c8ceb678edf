"""What a new config needs beside the recipe, framework by framework."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from rftconf.base.ledger import Decision

WORKERS = "roll.pipeline.rlvr.rewards."


@dataclass(frozen=True, slots=True)
class Program:
    """How `rftconf new` starts a run in one framework.

    `by_tokens`: micro-batches are filled up to a number of tokens. `rollouts`: the length of a run, with its source,
    where the framework counts no epochs. `values` are what its own examples add. `opens_evaluation`: it opens evaluation files even where it evaluates nothing.
    """

    backend: str
    by_tokens: bool = True
    rollouts: tuple[int, str] | None = None
    opens_evaluation: bool = False
    values: Mapping[str, Any] = field(default_factory=dict)
    decisions: tuple[Decision, ...] = ()


PROGRAMS: Mapping[str, Program] = {
    "verl": Program(
        "fsdp",
        opens_evaluation=True,
        decisions=(
            Decision(
                "reward.custom_reward_function.path",
                "without a function veRL's built-in scorer chooses by each row's data_source",
                ("check that the rows have a data_source it knows", "or write a compute_score and name its file here"),
            ),
        ),
    ),
    "trinity": Program(
        "fsdp",
        decisions=(
            Decision(
                "buffer.explorer_input.tasksets[0].default_workflow_type",
                "a workflow asks the model and scores its answers",
                ("math_workflow", "math_boxed_workflow", "a workflow or reward class of your own"),
            ),
            Decision(
                "buffer.explorer_input.tasksets[0].format",
                "Trinity-RFT reads the columns named here, `question` and `answer` where none are",
                ("check prompt_key and response_key",),
            ),
        ),
    ),
    "roll": Program(
        "fsdp2",
        by_tokens=False,
        rollouts=(500, "max_steps of ROLL, examples/docs_examples/example_grpo.yaml"),
        values={
            "stage.data.domains[0].name": "math_rule",
            "stage.data.domains[0].tags": ["math_rule"],
            "stage.data.domains[0].weight": 1.0,
            "stage.data.domains[0].reward": f"{WORKERS}math_rule_reward_worker.MathRuleRewardWorker",
        },
        decisions=(
            Decision(
                "rewards.math_rule.worker_cls",
                "this worker class scores rows tagged math_rule by their `ground_truth`",
                ("check that it scores your data", f"{WORKERS}code_sandbox_reward_worker.CodeSandboxRewardWorker"),
            ),
            Decision(
                "actor_train.data_args",
                "ROLL reads rows with a `tag` that assigns the domain and the answer in `ground_truth`",
                ("check the columns",),
            ),
        ),
    ),
    "chatlearn": Program(
        "fsdp2",
        rollouts=(200, "num_episode of ChatLearn, scripts/fsdp_vllm/train_fsdp_vllm_qwen3_8b_grpo.sh"),
        opens_evaluation=True,
        decisions=(
            Decision(
                "models.reward",
                "ChatLearn's rule reward chooses by the data_source of a row",
                ("check that rule_reward.py knows your data_source", "or add your reward to it"),
            ),
            Decision(
                "runtime_args.data_path",
                "rows need the columns prompt, data_source and reward_model.ground_truth",
                ("check the files",),
            ),
        ),
    ),
}
