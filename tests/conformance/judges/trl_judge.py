"""Would this release of TRL start with this file? Usage: trl_judge.py RELEASE (see protocol.py).

A case is `{"id", "file", "starts": optional}`: the YAML of `trl grpo --config`. Stages: `parse` (TRL's parser and every
`__post_init__`, on as many processes as the file starts), `launch` (accelerate's own parser and checks on the words that
are left), and with `starts` also `start` (GRPOTrainer on a tiny model, its adapters, optimizer, schedule and samplers).
A case with `mathematics`, a list of seeds, asks what the trainer makes of random periods (trl_grpo_mathematics.py). What
comes back is what the parser made of every key, and what the launcher did.
"""

import copy
import functools
import os
import tempfile
from pathlib import Path

import trl_config
import trl_grpo_mathematics
import yaml
from protocol import serve
from tiny_model import write_weights

SCRATCH = tempfile.TemporaryDirectory(prefix="rftconf_trl_")
MODEL = Path(SCRATCH.name, "model")
"""The folder of the tiny model, which has weights there."""
STEPS = 8
"""Updates that a schedule gets whose number hangs on the data."""


def preload():
    """Import what the cases need, and give the tiny model weights: TRL loads the policy and the reference by their folder."""
    import peft  # noqa: F401 - for every case
    from trl import GRPOTrainer  # noqa: F401 - for every case

    write_weights(os.environ["RFTCONF_TINY_MODEL"], MODEL)


def judge_one(case, progress):
    """Return what TRL makes of a file; raises what TRL raises."""
    progress.stage = "parse"
    processes = yaml.safe_load(Path(case["file"]).read_text()).get("num_processes", 1)
    script, config, model, words = trl_config.parsed(["--config", case["file"], "--use_cpu", "True"], processes)
    arguments = copy.deepcopy({**vars(script), **vars(model), **vars(config)})
    if "mathematics" in case:
        progress.stage = "mathematics"
        with tempfile.TemporaryDirectory() as folder:
            config.output_dir = folder
            build = functools.partial(trainer_of, model=model, progress=progress)
            return trl_grpo_mathematics.measure(build, config, processes, case["mathematics"])
    progress.stage = "launch"
    launcher = trl_config.launched(words)
    if case.get("starts"):
        progress.stage = "start"
        with tempfile.TemporaryDirectory() as folder:
            config.output_dir = folder
            start(config, model, progress)
    return {"arguments": arguments, "launcher": launcher}


def start(config, model, progress):
    """Build the trainer that the config describes, and what its first step takes."""
    trainer = trainer_of(config, model, progress)
    trainer.create_optimizer_and_scheduler(num_training_steps=config.max_steps if config.max_steps > 0 else STEPS)
    next(iter(trainer._get_train_sampler(trainer.train_dataset)))
    if config.eval_strategy != "no":
        next(iter(trainer._get_eval_sampler(trainer.train_dataset)))


def trainer_of(config, model, progress):
    """Return the trainer that the config describes, on the tiny model and as many prompts as a period takes."""
    from datasets import Dataset
    from trl import GRPOTrainer, get_peft_config

    stand_in(config, progress)
    count = (
        config.generation_batch_size // config.num_generations
    )  # prompts of one period, of which none may be left over
    rows = Dataset.from_dict({"prompt": [f"question {number}" for number in range(count)]})
    return GRPOTrainer(
        model=str(MODEL),
        reward_funcs=[lambda completions, **_: [0.0] * len(completions)] * len(config.reward_weights or [1.0]),
        args=config,
        train_dataset=rows,
        eval_dataset=rows if config.eval_strategy != "no" else None,
        peft_config=get_peft_config(model),
    )


def stand_in(config, progress):
    """Put what this machine has in place of engines, kernels, trackers and the weights of a run."""
    for name, value in {"use_vllm": False, "use_liger_kernel": False, "report_to": [], "deepspeed": None}.items():
        if getattr(config, name, value) != value:
            progress.note(f"{name} is {value}")
            setattr(config, name, value)
    config.model_init_kwargs = None


if __name__ == "__main__":
    serve(judge_one, preload)
