"""Prompts that do not fit a step of the engine beside each other: each answer has a seed of its own, and is drawn."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("vllm", reason="needs the runner's environment (make runner-env)")
from rftconf_runner.asking import GenerationRequest
from rftconf_runner.demo import make
from rftconf_runner.job_reader import job_of
from rftconf_runner.rollout import engine_actor

from tests.runner.test_job import plan

pytestmark = pytest.mark.filterwarnings("default")


def test_long_prompts_with_a_seed_each(tmp_path: Path) -> None:
    make(tmp_path, layers=1)
    model, config = str(tmp_path / "model"), tmp_path / "model" / "config.json"
    config.write_text(json.dumps({**json.loads(config.read_text()), "max_position_embeddings": 2048}))
    job = replace(job_of(plan()), model=model, tokenizer=model, prompt_tokens=1800, response_tokens=4)
    engine = object.__new__(engine_actor(job).__ray_metadata__.modified_class)
    engine.__init__(job)
    requests = [
        GenerationRequest(tuple((7 * index + place) % 20 + 3 for place in range(1800)), seed=index)
        for index in range(12)
    ]
    result = engine.generate(requests)
    assert [len(entry.log_probs) == len(entry.tokens) > 0 for entry in result] == [True] * 12
    again = engine.generate(requests)  # from the prefix cache: the last bit may differ, what is drawn does not
    assert [entry.tokens for entry in again] == [entry.tokens for entry in result]
