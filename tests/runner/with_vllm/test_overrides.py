"""Values that a plan sets in the model's config: trainer, engine and checkpoint have them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("vllm", reason="needs the runner's environment (make runner-env)")
from rftconf_runner.asking import GenerationRequest
from rftconf_runner.demo import make
from rftconf_runner.job_reader import job_of
from rftconf_runner.policy import _load
from rftconf_runner.rollout import engine_actor

from tests.runner.test_job import plan

pytestmark = pytest.mark.filterwarnings("default")
LONGER = {"+actor_rollout_ref__model__override_config__max_position_embeddings": "2048"}


def test_a_longer_context_reaches_trainer_engine_and_checkpoint(tmp_path: Path) -> None:
    make(tmp_path, layers=1)
    model = str(tmp_path / "model")
    job = replace(job_of(plan(**LONGER)), model=model, tokenizer=model, prompt_tokens=600, response_tokens=4)
    assert job.overrides == {"max_position_embeddings": 2048}
    trained = _load(model, job, "")
    assert trained.config.max_position_embeddings == 2048
    trained.save_pretrained(tmp_path / "saved")
    assert json.loads((tmp_path / "saved" / "config.json").read_text())["max_position_embeddings"] == 2048
    engine = object.__new__(engine_actor(job).__ray_metadata__.modified_class)
    engine.__init__(job)  # vLLM refuses lengths above the config's
    (answer,) = engine.generate([GenerationRequest(tuple(place % 20 + 3 for place in range(600)), seed=0)])
    assert answer.tokens
