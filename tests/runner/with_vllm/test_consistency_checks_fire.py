"""On a real engine, each way of being stale is made to happen: a gate names it, and is silent once it is put right."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("vllm", reason="needs the runner's environment (make runner-env)")
import numpy as np
import torch
from rftconf_runner import consistency_checks
from rftconf_runner.demo import make
from rftconf_runner.rollout import CPU_CACHE_BYTES, ENVIRONMENT
from rftconf_runner.weights import differing, digest_model, expected, layout

pytestmark = pytest.mark.filterwarnings("default")
BLOCK = 32
PROMPT = [3 + index % 60 for index in range(2 * BLOCK + 5)]
"""Longer than what the prefix cache keeps as one: a shorter one hides that it is stale."""
Weights = list[tuple[str, torch.Tensor]]


class Pair:
    """An engine, and the trainer's model that it should be equal to."""

    def __init__(self, folder: Path, *, tied: bool) -> None:
        from transformers import AutoConfig, AutoModelForCausalLM
        from vllm import LLM

        make(folder)
        model = folder / "model"
        config = AutoConfig.from_pretrained(model)
        config.tie_word_embeddings = tied
        torch.manual_seed(1)
        self.trainer = AutoModelForCausalLM.from_config(config, dtype=torch.float32).eval()
        self.trainer.save_pretrained(model)
        self.engine: Any = LLM(
            str(model), dtype="float32", enforce_eager=True, distributed_executor_backend="uni", max_model_len=128,
            kv_cache_memory_bytes=CPU_CACHE_BYTES, block_size=BLOCK, logprobs_mode="raw_logprobs",
        )  # fmt: skip

    def learn(self) -> Weights:
        """The trainer's weights after something that moved all of them."""
        with torch.no_grad():
            for parameter in self.trainer.parameters():
                parameter.add_(0.05 * torch.randn_like(parameter))
        return [(name, tensor.clone()) for name, tensor in self.trainer.state_dict().items()]

    def load(self, weights: Weights, *, forget: bool = True) -> list[str]:
        """As the runner does it, but that it may not `forget` the prefix cache: what the engine does not hold then."""
        self.engine.collective_rpc("reload_weights", kwargs={"weights_iterator": list(weights)})
        if forget:
            self.engine.reset_prefix_cache()
        whole = list(self.trainer.state_dict().items())
        rows = {name: len(tensor) for name, tensor in whole}
        (own,) = self.engine.collective_rpc(lambda worker: layout(worker.get_model()))
        (result,) = self.engine.collective_rpc(lambda worker: digest_model(worker.get_model(), rows))
        return differing(expected(whole, own), result)

    def parity(self) -> float:
        """Of an answer drawn now. Raises GateError as the runner does."""
        from vllm import SamplingParams

        request = SamplingParams(max_tokens=8, logprobs=0, seed=7, ignore_eos=True)
        (done,) = self.engine.generate([{"prompt_token_ids": PROMPT}], request, use_tqdm=False)
        (output,) = done.outputs
        drawn = [step[token].logprob for token, step in zip(output.token_ids, output.logprobs, strict=True)]
        ids = torch.tensor([[*PROMPT, *output.token_ids]])
        with torch.no_grad():
            rows = self.trainer(ids).logits[0, len(PROMPT) - 1 : -1].log_softmax(-1)
        own = rows.gather(-1, torch.tensor(output.token_ids).unsqueeze(-1)).squeeze(-1).tolist()
        return consistency_checks.parity([consistency_checks.gap_between(np.array(drawn), np.array(own))], "float32")


@pytest.fixture(scope="module", params=[False, True], ids=["own-head", "tied-head"])
def pair(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    with pytest.MonkeyPatch.context() as patch:
        for name, value in ENVIRONMENT.items():
            patch.setitem(os.environ, name, value)
        yield Pair(tmp_path_factory.mktemp("model"), tied=request.param)


def test_a_stale_prefix_cache_shows_in_the_log_probs(pair: Pair) -> None:
    """The weights are right, and their digests too."""
    pair.load(pair.learn())
    assert pair.parity() <= consistency_checks.PARITY_MAX["float32"]
    assert pair.load(pair.learn(), forget=False) == []
    with pytest.raises(consistency_checks.GateError, match="its prefix cache are stale"):
        pair.parity()
    pair.engine.reset_prefix_cache()
    assert pair.parity() <= consistency_checks.PARITY_MAX["float32"]


def test_a_stale_head_is_named(pair: Pair) -> None:
    """The head's tensor is left out, as FSDP's names and a checkpoint's leave it out where it is tied: the engine's parameter
    is right then, and what it computes with is not."""
    weights = pair.learn()
    names = pair.load([weight for weight in weights if weight[0] != "lm_head.weight"])
    assert names == ["lm_head.weight"]
    with pytest.raises(consistency_checks.GateError, match=r"does not hold the trainer's lm_head\.weight"):
        consistency_checks.same_weights([names])
    with pytest.raises(consistency_checks.GateError, match="log-probs of engine and trainer differ"):
        pair.parity()
    assert pair.load(weights) == []
    assert pair.parity() <= consistency_checks.PARITY_MAX["float32"]


@pytest.mark.parametrize("tensor", ["lm_head.weight", "model.norm.weight", "model.layers.2.mlp.up_proj.weight"])
def test_a_wrong_tensor_is_named(pair: Pair, tensor: str) -> None:
    weights = pair.learn()
    wrong = [(name, value + (0.5 if name == tensor else 0.0)) for name, value in weights]
    names = pair.load(wrong)
    assert tensor.replace("up_proj", "gate_up_proj") in names
    with pytest.raises(consistency_checks.GateError, match="does not hold the trainer's"):
        consistency_checks.same_weights([names])
