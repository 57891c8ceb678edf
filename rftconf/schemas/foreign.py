"""Frameworks that rftconf does not read, and what only their configs and launch scripts have: a table.

A mark is enough to name the framework, so each is something that nobody else writes. `source` is the file of that
framework's code that reads it.
"""

from __future__ import annotations

from rftconf.base.record import record


@record
class Mark:
    """One of: a `program` (a pattern that a command matches), `fewest` of `flags`, or all of `keys`.

    A key ending in `.` is a section with something below it; one that begins with `*.` may stand anywhere. `toml`: its
    keys count in a TOML file alone, where they are too plain to tell frameworks apart elsewhere.
    """

    source: str
    program: str = ""
    flags: tuple[str, ...] = ()
    fewest: int = 2
    keys: tuple[str, ...] = ()
    toml: bool = False
    without: tuple[str, ...] = ()
    """Keys of which one shows that it is a framework's that is read after all."""


@record
class Foreign:
    """A framework that rftconf does not read: its name, what it is called, and its marks."""

    name: str
    title: str
    marks: tuple[Mark, ...]


GRPO = (
    "num_generations",
    "max_completion_length",
    "max_prompt_length",
    "reward_funcs",
    "use_vllm",
    "scale_rewards",
    "num_iterations",
)
"""Keys that only GRPO's runs of TRL have; the others of its trainers are not read."""

FOREIGN = (
    Foreign(
        "openrlhf",
        "OpenRLHF's trainers beside train_ppo_ray",
        (Mark("openrlhf/cli", program=r"openrlhf[./]cli[./](?!train_ppo_ray)\w+"),),
    ),
    Foreign(
        "trl",
        "TRL's trainers beside GRPO",
        (
            Mark("trl/cli/commands/training.py", program=r"\btrl\s+(?:sft|dpo|rloo|kto|reward)\b"),
            Mark("trl/scripts", program=r"\b(?:trl/(?:scripts|examples/scripts)|src/open_r1)/(?!grpo)\w+\.py"),
            Mark("trl/scripts/utils.py", keys=("model_name_or_path", "dataset_name"), without=GRPO),
        ),
    ),
    Foreign(
        "accelerate",
        "Accelerate (it starts TRL's and others' training)",
        (Mark("accelerate/commands/config/config_args.py", keys=("compute_environment", "distributed_type")),),
    ),
    Foreign(
        "slime",
        "slime",
        (
            Mark(
                "slime/utils/arguments.py",
                flags=(
                    "--hf-checkpoint", "--ref-load", "--rollout-num-gpus", "--rollout-num-gpus-per-engine", "--rm-type",
                    "--num-steps-per-rollout", "--n-samples-per-prompt", "--actor-num-gpus-per-node", "--custom-rm-path",
                    "--rollout-function-path", "--rollout-batch-size",
                ),
                fewest=3,
            ),
        ),
    ),
    Foreign(
        "nemo-rl",
        "NeMo-RL's trainers beside run_grpo",
        (
            Mark("examples/run_sft.py and others", program=r"examples/run_(?:sft|dpo|rm|ppo|eval|distillation\w*|vlm_sft)\.py"),
            Mark("nemo_rl/algorithms/sft.py", keys=("sft.max_num_steps",)),
            Mark("nemo_rl/algorithms/dpo.py", keys=("dpo.max_num_steps",)),
            Mark("nemo_rl/algorithms/rm.py", keys=("rm.max_num_steps",)),
            Mark("nemo_rl/algorithms/ppo.py", keys=("ppo.num_prompts_per_step",)),
            Mark("nemo_rl/algorithms/distillation.py", keys=("distillation.num_prompts_per_step",)),
        ),
    ),
    Foreign(
        "areal",
        "AReaL",
        (
            Mark("areal/infra/launcher", program=r"\bareal[./](?:infra[./])?launcher[./]\w+"),
            Mark("areal/api/cli_args.py, BaseExperimentConfig", keys=("experiment_name", "trial_name")),
            Mark("areal/api/cli_args.py, InferenceEngineConfig", keys=("rollout.max_head_offpolicyness",)),
            Mark("areal/api/cli_args.py, GenerationHyperparameters", keys=("gconfig.",)),
            Mark("examples, whose configs areal/api/cli_args.py reads", program=r"examples/\w+/\w+\.py\s+--config\s+\S+\s.*scheduler\.type="),
        ),
    ),
    Foreign(
        "prime-rl",
        "prime-rl",
        (
            Mark("pyproject.toml, scripts", program=r"\buv\s+run\s+(?:rl|sft|trainer|orchestrator|inference|evals)\s+@"),
            Mark("prime_rl/entrypoints", program=r"\bprime_rl[./]entrypoints\b"),
            Mark("prime_rl/configs/rl.py, RLConfig", keys=("orchestrator.",), toml=True),
            Mark("prime_rl/configs/sft.py, SFTConfig", keys=("data.fake.",), toml=True),
            Mark("prime_rl/configs/sft.py, SFTConfig", keys=("model.name", "data.", "optim.lr"), toml=True),
            Mark("prime_rl/configs/evals.py, EvalsConfig", keys=("model", "eval."), toml=True),
        ),
    ),
    Foreign(
        "skyrl",
        "SkyRL",
        (
            Mark("skyrl/train/entrypoints", program=r"\b(?:skyrl_train|skyrl[./]train|skyrl_gym)[./]\w+"),
            Mark("skyrl/train/config/config.py, TrainerConfig", keys=("trainer.policy.model.path",)),
            Mark("skyrl/train/config/config.py, PlacementConfig", keys=("trainer.placement.",)),
            Mark("skyrl/train/config/config.py, GeneratorConfig", keys=("generator.n_samples_per_prompt",)),
            Mark("skyrl/train/config/config.py, InferenceEngineConfig", keys=("generator.inference_engine.",)),
            Mark("skyrl/tinker", program=r"\bskyrl[./]tinker\b"),
        ),
    ),
    Foreign(
        "verl-omni",
        "verl-omni (diffusion and omni-modal models)",
        (
            Mark("verl_omni/trainer/main_diffusion.py", program=r"\bverl_omni[./]trainer[./]main_diffusion\w*"),
            Mark("verl_omni/workers/config/diffusion/actor.py", keys=("actor_rollout_ref.actor.diffusion_loss.",)),
            Mark("verl_omni/workers/config/omni/actor.py", keys=("actor_rollout_ref.actor.omni_loss.",)),
            Mark("verl_omni/workers/config/diffusion/rollout.py", keys=("actor_rollout_ref.rollout.pipeline.",)),
        ),
    ),
    Foreign(
        "verl-vla",
        "verl-vla (robots: models that see, read and act)",
        (
            Mark("verl_vla/entrypoints", program=r"\bvvla-\w[\w-]*|\bverl_vla[./]entrypoints\b"),
            Mark("verl_vla/workflows/config", keys=("cluster.actor_rollout_ref.",)),
        ),
    ),
    Foreign(
        "dance-grpo",
        "veRL's recipe DanceGRPO (diffusion models)",
        (
            Mark(
                "dance_grpo/dance_grpo_fsdp/workers/diffusion_actor.py",
                keys=("actor_rollout_ref.actor.timestep_fraction", "actor_rollout_ref.actor.sampling_steps"),
            ),
        ),
    ),
    Foreign(
        "roll-reward-fl",
        "ROLL's reward-feedback pipeline (diffusion models)",
        (
            Mark(
                "roll/pipeline/diffusion/reward_fl", program=r"start_reward_fl_pipeline\.py|\breward_fl_pipeline\.py"
            ),
            Mark(
                "roll/pipeline/diffusion/modules/wan_module.py",
                keys=(
                    "actor_train.model_args.model_config_kwargs.model_paths",
                    "actor_train.model_args.model_config_kwargs.reward_model_path",
                ),
            ),
        ),
    ),
    Foreign(
        "llama-factory",
        "LLaMA-Factory",
        (
            Mark("src/llamafactory/cli.py", program=r"\bllamafactory-cli\s+\w+"),
            Mark("src/llamafactory/hparams/finetuning_args.py", keys=("stage", "finetuning_type")),
            Mark("src/llamafactory/hparams/data_args.py", keys=("cutoff_len", "template")),
            Mark("src/llamafactory/hparams/finetuning_args.py", flags=("--stage", "--finetuning_type", "--cutoff_len")),
        ),
    ),
    Foreign(
        "ms-swift",
        "ms-swift",
        (
            Mark("swift/cli/main.py", program=r"\bswift\s+(?:sft|rlhf|pt|infer|rollout|export|eval|deploy|sample|app|merge-lora)\b"),
            Mark("swift/cli/_megatron/main.py", program=r"\bmegatron\s+(?:sft|rlhf|pt|export)\b"),
            Mark("swift/cli", program=r"\bswift/cli/\w+\.py"),
            Mark("swift/arguments/rlhf_args.py", keys=("rlhf_type",)),
        ),
    ),
    Foreign(
        "axolotl",
        "axolotl",
        (
            Mark("src/axolotl/cli/main.py", program=r"\baxolotl\s+(?:train|preprocess|inference|merge-lora|evaluate|quantize)\b"),
            Mark("src/axolotl/cli", program=r"\baxolotl\.cli\.\w+"),
            Mark("src/axolotl/utils/schemas/model.py and config.py", keys=("base_model", "datasets.")),
            Mark("src/axolotl/utils/schemas/model.py and config.py", keys=("base_model", "sequence_len")),
            Mark("src/axolotl/utils/schemas/model.py and training.py", keys=("base_model", "micro_batch_size")),
        ),
    ),
    Foreign(
        "unsloth",
        "Unsloth",
        (
            Mark("unsloth-cli.py", program=r"\bunsloth-cli\.py\b"),
            Mark("unsloth_cli/commands", program=r"\bunsloth\s+(?:train|studio|export|inference)\b"),
            Mark("studio/backend/models/training.py", keys=("training.train_on_completions",)),
            Mark("studio/backend/models/training.py", keys=("training.max_seq_length", "lora.lora_r")),
        ),
    ),
    Foreign(
        "torchtune",
        "torchtune",
        (
            Mark("torchtune/_cli/run.py", program=r"\btune\s+(?:run|cp|validate|download)\b"),
            Mark("torchtune/config/_instantiate.py", keys=("*._component_",)),
        ),
    ),
    Foreign(
        "open-instruct",
        "open-instruct",
        (
            Mark("open_instruct", program=r"\bopen_instruct[./]\w+"),
            Mark("mason.py", program=r"\bmason\.py\b"),
            Mark("open_instruct/data_loader.py", flags=("--num_unique_prompts_rollout", "--num_samples_per_prompt_rollout"), fewest=1),
            Mark("open_instruct/data_loader.py", keys=("dataset_mixer_list",)),
        ),
    ),
)  # fmt: skip
