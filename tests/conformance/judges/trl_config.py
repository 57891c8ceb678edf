"""TRL's own parser and `GRPOConfig.__post_init__` on command lines: a file with a list of {arguments, processes, config}, one
JSON object on the last line, with what each line comes to or why it is refused. Runs on a CPU; nothing is trained."""

import json
import sys
import tempfile
import warnings
from pathlib import Path

from transformers import TrainingArguments
from trl import GRPOConfig, ModelConfig, TrlParser
from trl.scripts.grpo import GRPOScriptArguments

ASKED = (
    *("generation_batch_size", "steps_per_generation", "per_device_train_batch_size", "gradient_accumulation_steps"),
    *(
        "num_generations",
        "num_iterations",
        "learning_rate",
        "beta",
        "epsilon",
        "epsilon_high",
        "loss_type",
        "scale_rewards",
    ),
    *(
        "max_completion_length",
        "use_vllm",
        "vllm_mode",
        "shuffle_dataset",
        "max_steps",
        "bf16",
        "gradient_checkpointing",
    ),
)


def answer(case):
    """Read one command line with so many processes."""
    TrainingArguments.world_size = property(lambda self: case["processes"])
    with tempfile.TemporaryDirectory() as folder:
        arguments = ["--output_dir", folder, *case["arguments"]]
        if "config" in case:
            file = Path(folder) / "config.yaml"
            file.write_text(case["config"])
            arguments += ["--config", str(file)]
        try:
            parser = TrlParser((GRPOScriptArguments, GRPOConfig, ModelConfig))
            script, config, model = parser.parse_args_and_config(arguments)
        except (ValueError, SystemExit) as why:
            return {"refused": str(why)}
    result = {name: getattr(config, name) for name in ASKED}
    result["warmup"] = config.get_warmup_steps(config.max_steps)
    result["reward_funcs"], result["use_peft"] = script.reward_funcs, model.use_peft
    return result


def main():
    """Judge every case of the file."""
    warnings.simplefilter("ignore")
    cases = json.loads(Path(sys.argv[1]).read_text())
    print(json.dumps({"answers": [answer(case) for case in cases]}))


if __name__ == "__main__":
    main()
