"""Converted rows and a converted reward in ROLL's own code. One case on stdin, its answer on stdout.

The case is `{"file", "module", "path", "responses"}`: JSON lines, the reward worker's module and where it lies. The
worker's constructor needs a Ray cluster, so it is left out; everything else is ROLL's.
"""

import json
import os
import sys
import types
from functools import partial

import import_stubs
from protocol import own_stdout

GPU_PACKAGES = ("vllm", "sglang", "flash_attn", "codetiming", "modelscope", "math_verify", "imageio")


def leave_telemetry_out():
    """The exporter of traces is not installed here, and nothing is traced."""
    exporter = types.ModuleType("opentelemetry.exporter.otlp.proto.grpc.trace_exporter")
    exporter.OTLPSpanExporter = object
    sys.modules[exporter.__name__] = exporter


def rows_of(file, tokenizer):
    """The rows as RLVRPipeline prepares them, with the template and the domain's assignment."""
    from roll.configs.data_args import DataArguments
    from roll.datasets.dataset import get_dataset
    from roll.pipeline.rlvr.rlvr_pipeline import get_encode_function, preprocess_dataset, update_dataset_domain

    data_args = DataArguments(file_name=[file], messages="messages", response="ground_truth")
    encode = get_encode_function("native", tokenizer, data_args)
    rows = preprocess_dataset(get_dataset(data_args), 4096, encode, data_args)
    return rows.map(partial(update_dataset_domain, {}))


def score(worker, row, response):
    """The reward of a response, as the scheduler asks for it: one prompt at a time."""
    import numpy
    import torch
    from roll.distributed.scheduler.protocol import DataProto

    columns = {name: numpy.array([value], dtype=object) for name, value in row.items() if isinstance(value, str)}
    tokens = torch.tensor([worker.tokenizer.encode(response)])
    result = worker.compute_rewards(DataProto.from_dict(tensors={"responses": tokens}, non_tensors=columns))
    new_result = result.batch["response_level_rewards"]
    assert torch.equal(new_result, result.batch["scores"])
    assert result.batch["token_level_rewards"].shape == tokens.shape
    return float(new_result[0])


def main():
    answers = own_stdout()
    case = json.load(sys.stdin)
    sys.path[:0] = case["path"]
    import_stubs.install(GPU_PACKAGES, {"vllm": "0.11.0"})
    leave_telemetry_out()
    from tiny_model import write_tiny_model
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(write_tiny_model(os.environ["RFTCONF_TINY_MODEL"]))
    rows = rows_of(case["file"], tokenizer)
    from roll.utils.import_utils import safe_import_class

    worker_class = safe_import_class(case["worker"])
    worker = worker_class.__new__(worker_class)
    worker.tokenizer = tokenizer
    result = [
        {
            "asked": tokenizer.decode(row["input_ids"]),
            "truth": row["ground_truth"],
            "domain": row["domain"],
            "scores": {response: score(worker, row, response) for response in case["responses"]},
        }
        for row in rows
    ]
    answers.write(json.dumps(result))
    answers.flush()


if __name__ == "__main__":
    main()
