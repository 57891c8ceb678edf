"""Converted rows and a converted reward in ChatLearn's own code. One case on stdin, its answer on stdout.

The case is `{"file", "worker", "path", "responses"}`. The reward's constructor needs ChatLearn's global arguments, so it
is left out; reading, the prompt pipeline and the reward's step are ChatLearn's.
"""

import importlib
import json
import os
import sys
import types

import import_stubs
from protocol import own_stdout

GPU_PACKAGES = (
    "vllm",
    "sglang",
    "flash_attn",
    "qwen_vl_utils",
    "deepspeed",
    "megatron",
    "nvtx",
    "apex",
    "mathruler",
    "cupy",
)


HOOKS = "chatlearn.models.vllm.hooks"
"""Patches of the vLLM that is not here."""


class Log:
    """Stands for the module's logger."""

    def info(self, *args):
        """Nothing is kept."""


def main():
    answers = own_stdout()
    case = json.load(sys.stdin)
    sys.path[:0] = case["path"]
    import_stubs.install(GPU_PACKAGES, {"vllm": "0.8.5"})
    sys.modules[HOOKS] = types.ModuleType(HOOKS)
    from tiny_model import write_tiny_model
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(write_tiny_model(os.environ["RFTCONF_TINY_MODEL"]))
    from chatlearn.data.data import read_data_path_list
    from chatlearn.data.prompt_dataset import PromptPipeline

    request = PromptPipeline(read_data_path_list([case["file"]]), 4096, tokenizer, raw_chat=False)
    module, _, name = case["worker"].rpartition(".")
    reward_class = getattr(importlib.import_module(module), name)
    reward = reward_class.__new__(reward_class)
    reward._logger = Log()
    result = []
    for row in request:
        judged = [reward._forward_step([{**row, "str_outputs": answer}])[1][0] for answer in case["responses"]]
        scores = dict(zip(case["responses"], judged, strict=True))
        result.append({"asked": row["prompt"], "truth": row["ground_truth"], "scores": scores})
    answers.write(json.dumps(result))
    answers.flush()


if __name__ == "__main__":
    main()
