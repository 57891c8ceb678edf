"""Models that see: what the trainer computes is what transformers computes for each sequence by itself."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("vllm", reason="needs the runner's environment (make runner-env)")
import torch
from rftconf_runner.architectures import SEEING
from rftconf_runner.data import Prompt, Prompts, tokenizer_of
from rftconf_runner.job import Job, Micro
from rftconf_runner.job_data import ImageColumn, Rows
from rftconf_runner.job_reader import job_of
from rftconf_runner.lessons import Lesson, Sample
from rftconf_runner.policy import Policy
from rftconf_runner.ulysses import Sequences

from tests.runner.test_job import plan
from tests.runner.with_vllm import seeing

pytestmark = pytest.mark.filterwarnings("default")
CONTENTS = ("<image>what=", "a<image>b<image>=", "no image=", "<image>c")
SIZES: tuple[list[tuple[int, int]], ...] = ([(40, 60)], [(30, 30), (90, 50)], [], [(28, 28)])


def test_every_type_that_is_accepted_is_tried() -> None:
    assert set(seeing.TOWER) == SEEING


@pytest.fixture(scope="module", params=sorted(seeing.TOWER))
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    root: Path = tmp_path_factory.mktemp(request.param)
    seeing.make_model(root / "model", request.param)
    images = [[seeing.png(width, height, index) for width, height in sizes] for index, sizes in enumerate(SIZES)]
    rows = [seeing.row(index, *pair) for index, pair in enumerate(zip(CONTENTS, images, strict=True))]
    seeing.write_rows(root / "rows.parquet", rows, decoded=True)
    return root


def job(folder: Path, **changes: Any) -> Job:
    column = ImageColumn("images", resizes=False, patch=0)
    rows = Rows(str(folder / "rows.parquet"), "train", "prompt", chats=True, truth="answer", images=column)
    files = str(folder / "model")
    base = {"model": files, "tokenizer": files, "data": (rows,), "prompts": 2, "responses": 2, "update": 4, "ranks": 1,
            "prompt_tokens": 64, "response_tokens": 8, "shuffle": False, "micro": Micro(4, 0), "rollouts": 2, "dtype": "float32",
            "stored": "float32"}  # fmt: skip
    return replace(job_of(plan()), **{**base, **changes})


def prompts(job: Job) -> list[Prompt]:
    return Prompts(job, tokenizer_of(job)).prompts


def samples(prompts_of_rows: list[Prompt], vocabulary: int) -> list[Sample]:
    """Two answers to each, of tokens of the whole vocabulary, also of those that stand for images."""
    draw = torch.Generator().manual_seed(1)
    lengths = (5, 8, 1, 3, 7, 2, 6, 4)
    answers = [tuple(torch.randint(vocabulary, (length,), generator=draw).tolist()) for length in lengths]
    answers[0] = (*answers[0][:-1], vocabulary - 2)
    return [
        Sample(prompt.tokens, answers[2 * index + turn], 0, 2 * index + turn, pictures=prompt.pictures)
        for index, prompt in enumerate(prompts_of_rows)
        for turn in range(2)
    ]


def plain(model: Any, job: Job, sample: Sample) -> torch.Tensor:
    """Log-probs of transformers' own forward of one sequence, which has the images' places from the prompt's tokens."""
    from transformers import AutoImageProcessor

    ids = torch.tensor([[*sample.prompt, *sample.answer]])
    more: dict[str, Any] = {}
    if sample.pictures:
        processor = AutoImageProcessor.from_pretrained(job.model)
        more = dict(processor(images=[picture.opened() for picture in sample.pictures], return_tensors="pt"))
        more["mm_token_type_ids"] = (ids == model.config.image_token_id).int()
    logits = model(input_ids=ids, use_cache=False, **more).logits[0, len(sample.prompt) - 1 : -1]
    log_probs = torch.log_softmax(logits.float() / job.temperature, -1)
    return log_probs.gather(-1, torch.tensor(sample.answer)[:, None]).squeeze(-1)


@pytest.fixture
def policy(folder: Path, alone: None) -> Any:
    """Return a maker of ranks of one."""
    from torch.distributed.device_mesh import init_device_mesh

    def begun(job_of_rank: Job) -> Any:
        rank: Any = Policy.__new__(Policy)
        rank.rank, rank.mesh, rank.spread = 0, init_device_mesh("cpu", (1,)), Sequences(0, 1, 1)
        rank.begin(job_of_rank, None)
        return rank

    return begun


MICROS = [Micro(8, 0), Micro(3, 0), Micro(0, 200), Micro(0, 200, packs=True), Micro(0, 1000, packs=True)]


@pytest.mark.parametrize("micro", MICROS)
def test_log_probs_are_those_of_transformers(folder: Path, policy: Any, micro: Micro) -> None:
    from transformers import AutoModelForImageTextToText

    own_job = job(folder, micro=micro)
    model: Any = AutoModelForImageTextToText.from_pretrained(own_job.model, dtype=torch.float32)
    # transformers looks for images in answers too, and finds too many: those of this test have none in them
    token = model.config.image_token_id
    drawn = [
        replace(sample, answer=tuple(token + 1 if t == token else t for t in sample.answer))
        for sample in samples(prompts(own_job), 100)
    ]
    rows = policy(own_job).old_log_probs(drawn)
    for row, sample in zip(rows, drawn, strict=True):
        assert torch.tensor(row) == pytest.approx(plain(model, own_job, sample).detach(), abs=1e-6)


def test_an_answer_may_have_the_token_of_images(folder: Path, policy: Any) -> None:
    """It is a word there: what stands before it in the answer is computed as without it, padded and packed."""
    own_job = job(folder)
    rank = policy(own_job)
    token = rank.vision.token
    (first, *_) = samples(prompts(own_job), 90)
    whole = replace(first, answer=(5, token, 6))
    (short,) = rank.old_log_probs([replace(whole, answer=(5,))])
    (padded,) = rank.old_log_probs([whole])
    (packed,) = policy(replace(own_job, micro=Micro(0, 1000, packs=True))).old_log_probs([whole])
    assert padded[0] == pytest.approx(short[0], abs=1e-6)
    assert padded == pytest.approx(packed, abs=1e-6)


@pytest.mark.parametrize("frozen", [False, True])
def test_what_is_learned(folder: Path, policy: Any, frozen: bool) -> None:
    """Everything, also where no sequence of an update has an image; or all but what images go through."""
    rank = policy(job(folder, frozen=frozen))
    before = {name: value.clone() for name, value in rank.learner.weights(torch.float32)}
    drawn = samples(prompts(rank.job), 90)[:4]
    olds = rank.old_log_probs(drawn)
    lessons = [Lesson(s, (1.0,) * len(s.answer), old) for s, old in zip(drawn, olds, strict=True)]
    rank.update(lessons, 1)
    moved = {name for name, value in rank.learner.weights(torch.float32) if not value.equal(before[name])}
    sees = {name for name in before if ".visual." in name}
    assert bool(moved & sees) is not frozen
    assert moved - sees


def test_no_image_in_an_update(folder: Path, policy: Any) -> None:
    rank = policy(job(folder))
    (text,) = [prompt for prompt in prompts(rank.job) if not prompt.pictures]
    drawn = [Sample(text.tokens, (1, 2, number), 0, number) for number in range(4)]
    lessons = [Lesson(s, (1.0,) * 3, old) for s, old in zip(drawn, rank.old_log_probs(drawn), strict=True)]
    optimizer, graded = rank.learner.optimizer, list[bool]()
    learned = [parameter for group in optimizer.param_groups for parameter in group["params"]]
    step = optimizer.step

    def noted() -> None:
        graded.extend(parameter.grad is not None for parameter in learned)
        step()

    optimizer.step = noted
    rank.update(lessons, 1)
    assert len(graded) == len(learned)
    assert all(graded)
