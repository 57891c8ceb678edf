"""The runner's drawing of answers by their rewards beside veRL's. Prints one JSON object: differences by way."""

import json
import sys
from types import SimpleNamespace

import numpy
import torch
from rftconf_runner.resampling import resampled
from verl.trainer.ppo import core_algos

CASES = int(sys.argv[1])
differences = {}


class Batch(dict):
    """Tensors by name, as much of a TensorDict as the function reads."""

    batch_size = (16,)


for way in (("pow", 2.0), ("pow", 0.5), ("max_min", 2.0), ("max_random", 2.0)):
    for seed in range(CASES):
        torch.manual_seed(1000 + seed)
        rewards = torch.randint(-2, 3, (16,)).float() * torch.rand(16).round(decimals=1)
        tokens = torch.zeros(16, 5)
        tokens[torch.arange(16), torch.randint(0, 5, (16,))] = rewards
        batch = {"token_level_scores": tokens, "number": torch.arange(16)}
        data = SimpleNamespace(batch=Batch(batch), non_tensor_batch={"number": numpy.arange(16)}, meta_info={})
        torch.manual_seed(seed)
        theirs = core_algos.compute_pf_ppo_reweight_data(data, *way).batch["number"].tolist()
        mine = resampled(range(16), rewards.tolist(), way, seed)
        name = f"{way[0]} {way[1]}"
        differences[name] = differences.get(name, 0) + (theirs != mine)
print(json.dumps(differences))
