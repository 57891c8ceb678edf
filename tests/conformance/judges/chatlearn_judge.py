"""Would this state of ChatLearn accept this config? Usage: chatlearn_judge.py RELEASE (see protocol.py).

A case is `{"id", "file"}` for a YAML config or `{"id", "args"}` for what follows `entrypoint.py grpo`. Stages: `parse`,
`load` (structured merge: unknown keys, wrong types, missing values), `init` (Megatron's config from the model's),
`validate` (ChatLearn's own arithmetic), `run` (engine classes and data, which are stood in for), `reads` (each key is read
by something) and `start` (what its modules make of the config, and one step's mathematics; chatlearn_start.py). A case with
`mathematics`, a list of seeds, asks what the functions make of random periods (chatlearn_mathematics.py). What comes back is
the config as ChatLearn holds it when it would start.
"""

import importlib
import os
import sys
import types
from pathlib import Path

import chatlearn_mathematics
import chatlearn_start
import import_stubs
import verl_reads
from protocol import plain, serve
from tiny_model import write_tiny_model
from trinity_sandbox import answer_for_the_hub, name_variables

GPU_PACKAGES = (
    *("vllm", "sglang", "flash_attn", "transformer_engine", "transformer_engine_torch", "apex", "cupy", "pynvml"),
    *("langgraph", "langchain_core", "langchain", "qwen_vl_utils", "torchtyping", "mathruler", "timeout_decorator"),
    *(
        "pylatexenc",
        "energon",
        "megatron_energon",
        "swanlab",
        "decord",
        "torchvision",
        "latex2sympy2_extended",
        "math_verify",
    ),
)
CLAIMED_VERSIONS = {"vllm": "0.8.5", "sglang": "0.4.9", "flash_attn": "2.8.0", "transformer_engine": "2.2.0"}
NEEDED_OVERRIDE = "runtime_args.debug=False"
"""1.2.0 fails to unpack its overrides when there are none; this one says what holds anyway."""
STOOD_IN = (
    *("megatron.training", "megatron.legacy", "megatron.inference", "chatlearn.models.agent"),
    *("chatlearn.models.vllm_module", "chatlearn.models.sglang_module"),
)
"""Modules that need a GPU, or Megatron-LM beside Megatron-Core."""
ACTORS = (
    *(
        "PolicyTrainer",
        "MegatronPolicyTrainer",
        "VLLMModule",
        "SGLangModule",
        "AsyncSGLangModule",
        "AgentModule",
        "RuleReward",
    ),
    *(
        "VLLMPolicyInference",
        "SGLangPolicyInference",
        "AsyncSGLangPolicyInference",
        "RolloutManager",
        "PartialRolloutManager",
    ),
    *("RolloutManagerGRPOEngine", "GRPOEngine", "AdvantageComputer"),
)
"""What GrpoAlgorithm.run makes; its own assertions about them stay."""


def preload():
    """Import the launcher and the algorithm once."""
    for name in ("chatlearn.hooks", "chatlearn.models.vllm.hooks"):  # they patch vLLM's insides
        sys.modules[name] = types.ModuleType(name)
    importlib.import_module("entrypoint").ChatlearnLauncher()._load_algorithm("grpo")
    for package in chatlearn_start.PACKAGES:
        verl_reads.read_names(package)


def like_a_real_model(model_folder, progress):
    """Models that are not here are the tiny one, with the fields that real configs have and update_cfg reads."""
    import transformers

    answer_for_the_hub(model_folder, progress)
    answered = transformers.AutoConfig.from_pretrained

    def from_pretrained(path, *args, **kwargs):
        config = answered(path, *args, **kwargs)
        config.head_dim = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
        config.rope_theta = getattr(config, "rope_theta", 1e6)
        return config

    transformers.AutoConfig.from_pretrained = staticmethod(from_pretrained)


def watch(algorithm, config_seen, progress):
    """Say which stage runs; keep the config that the algorithm ends up with."""

    class Watched(algorithm):
        def __init__(self, cfg):
            progress.stage = "init"
            config_seen.append(cfg)
            super().__init__(cfg)
            config_seen.append(self.cfg)

        def validate(self):
            progress.stage = "validate"
            return super().validate()

        def run(self):
            progress.stage = "run"
            return super().run()

    return Watched


def judge_one(case, progress):
    """The config as ChatLearn would start with it; raises what ChatLearn raises."""
    import chatlearn
    import entrypoint

    progress.stage = "parse"
    if "file" in case:
        name_variables(Path(case["file"]).read_text())
    like_a_real_model(write_tiny_model(os.environ["RFTCONF_TINY_MODEL"]), progress)
    launcher = entrypoint.ChatlearnLauncher()
    words = case.get("args") or ["--config-file", case["file"], NEEDED_OVERRIDE]
    arguments = launcher.parser.parse_args(["grpo", *words])
    algorithm, config = launcher._load_algorithm("grpo")
    module = sys.modules[algorithm.__module__]
    chatlearn.init = lambda *args, **kwargs: None
    for name in ACTORS:
        setattr(module, name, import_stubs.Stub)
    module.read_data_path_list = lambda paths: []
    observed = []
    launcher._load_algorithm = lambda name: (watch(algorithm, observed, progress), config)
    progress.stage = "load"
    root = Path(entrypoint.__file__).resolve().parents[1]
    if arguments.config_file and not Path(arguments.config_file).exists():
        arguments.config_file = str(root / arguments.config_file)
    launcher._run_algorithm(arguments)
    if "mathematics" in case:
        return chatlearn_mathematics.measure(observed[-1], case["mathematics"], progress)
    loaded = plain(observed[-1])
    progress.stage = "reads"
    chatlearn_start.check_keys(words)
    progress.stage = "start"
    chatlearn_start.start(observed[-1], progress)
    return loaded


def main():
    checkout = next(path for path in sys.path if Path(path, "chatlearn", "entrypoint.py").exists())
    sys.path.insert(0, str(Path(checkout, "chatlearn")))  # entrypoint.py imports `algorithm.grpo` from its own folder
    import_stubs.install(GPU_PACKAGES, CLAIMED_VERSIONS)
    import_stubs.replace(STOOD_IN)
    serve(judge_one, preload)


if __name__ == "__main__":
    main()
