"""Models that see, really run: the engine reads the images that the trainer reads, and holds the trainer's weights."""

from __future__ import annotations

import json
import shutil
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path

import pytest

pytest.importorskip("vllm", reason="needs the runner's environment (make runner-env)")
from rftconf_runner.images import Picture
from rftconf_runner.ledger import faults

from tests.runner.with_vllm import seeing, session
from tests.runner.with_vllm.test_demo import planned, without_times

pytestmark = [
    pytest.mark.filterwarnings("default"),
    pytest.mark.skipif(find_spec("torchvision") is None, reason="vLLM reads images with torchvision"),
]
SHORT = {
    "trainer__total_training_steps": "2", "trainer__save_freq": "1", "data__image_key": "images", "data__max_prompt_length": "40",
    "actor_rollout_ref__rollout__n": "4", "data__train_batch_size": "4", "actor_rollout_ref__actor__ppo_mini_batch_size": "2",
}  # fmt: skip
PACKED = {
    "actor_rollout_ref__model__use_remove_padding": "True", "actor_rollout_ref__actor__use_dynamic_bsz": "True",
    "actor_rollout_ref__actor__ppo_max_token_len_per_gpu": "256", "actor_rollout_ref__actor__use_kl_loss": "True",
    "actor_rollout_ref__ref__fsdp_config__dtype": "float32",
}  # fmt: skip


@pytest.fixture(scope="module", params=sorted(seeing.TOWER))
def seeing_demo(request: pytest.FixtureRequest, demo: Path) -> Path:
    """The demo with a model that sees, and rows of which every fourth has no image."""
    folder: Path = demo.parent / request.param
    shutil.copytree(demo, folder, ignore=shutil.ignore_patterns("model"))
    script = folder / "run_grpo.sh"
    script.write_text(script.read_text().replace(str(demo), str(folder)))
    seeing.make_model(folder / "model", request.param)
    sizes = [[(30, 44)], [(64, 40), (28, 28)], [(90, 60)], []]
    images = [[seeing.png(*size, index) for size in sizes[index % 4]] for index in range(16)]
    rows = [seeing.row(index, "<image>" * len(images[index]) + f"{index}=", images[index]) for index in range(16)]
    seeing.write_rows(folder / "train.parquet", rows, decoded=True)
    return folder


def test_a_run_and_its_resumption_bit_for_bit(seeing_demo: Path) -> None:
    plan, folder = planned(seeing_demo, "seen", **SHORT), seeing_demo / "seen"
    whole = session.run(plan, folder)
    assert faults([json.loads(line) for line in (folder / "ledger.jsonl").read_text().splitlines()]) == []
    assert all(period["parity"] < 1e-5 for period in whole)
    assert (folder / "step-000002" / "preprocessor_config.json").is_file()
    shutil.copytree(folder, seeing_demo / "resumed")
    shutil.rmtree(seeing_demo / "resumed" / "step-000002")
    again = session.run(plan, seeing_demo / "resumed", resume=True)
    assert without_times(again) == without_times(whole)


def test_rows_that_are_packed_and_two_ranks(seeing_demo: Path) -> None:
    """One rank's part of an update may have no image at all, and is computed all the same."""
    single = session.run(planned(seeing_demo, "packed", **SHORT, **PACKED), seeing_demo / "packed")
    double = session.run(
        planned(seeing_demo, "two", **SHORT, **PACKED, trainer__n_gpus_per_node="2"), seeing_demo / "two"
    )
    assert all(metrics["parity"] < 1e-5 for metrics in (*single, *double))
    assert double[0]["loss"] == pytest.approx(single[0]["loss"], abs=1e-5)
    assert double[0]["gradient_norm"] == pytest.approx(single[0]["gradient_norm"], rel=1e-3)


def test_prompts_are_those_of_the_models_own_processor(seeing_demo: Path) -> None:
    from PIL import Image
    from rftconf_runner.vision import Vision
    from transformers import AutoConfig, AutoProcessor

    files = str(seeing_demo / "model")
    processor = AutoProcessor.from_pretrained(files)
    vision = Vision(files, AutoConfig.from_pretrained(files))
    pictures = tuple(Picture(seeing.png(*size, 1)) for size in ((30, 44), (200, 90)))
    text = "a<|vision_start|><|image_pad|><|vision_end|>b<|vision_start|><|image_pad|><|vision_end|>="
    text = seeing.marked(seeing_demo.name, text)
    theirs = processor(
        text=[text], images=[Image.open(BytesIO(picture.encoded)) for picture in pictures], return_tensors="pt"
    )
    short = processor.tokenizer(text, add_special_tokens=False)["input_ids"]
    assert [*vision.expanded(short, pictures)] == theirs["input_ids"][0].tolist()
    assert vision.pixels(pictures)[0].equal(theirs["pixel_values"])


def test_adapters(seeing_demo: Path) -> None:
    more = {"actor_rollout_ref__model__lora_rank": "4", "actor_rollout_ref__model__target_modules": "all-linear"}
    metrics = session.run(planned(seeing_demo, "adapted", **SHORT, **more), seeing_demo / "adapted")
    assert all(period["parity"] < 1e-5 for period in metrics)
