"""Data and tokenizers that cannot be read are named by plan field, whatever the library says of them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("vllm", reason="needs the runner's environment (make runner-env)")
from rftconf_runner.data import Prompts, tokenizer_of
from rftconf_runner.job_reader import job_of

from tests.runner.test_job import plan

pytestmark = pytest.mark.filterwarnings("default")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("bad.parquet", "no", "Parquet file size is 2 bytes"),
        ("bad.jsonl", "{nope\n", "JSON parse error: Missing a name for object member"),
        ("no", None, "Couldn.t find any data file"),
        ("empty/", None, "doesn't contain any data files"),
    ],
)
def test_rows(tmp_path: Path, name: str, content: str | None, message: str) -> None:
    file = tmp_path / name
    if content is not None:
        file.write_text(content)
    elif name.endswith("/"):
        file.mkdir()
    job = job_of(plan())
    new_job = replace(job, data=(replace(job.data[0], uri=str(file)),))
    with pytest.raises(ValueError, match=rf"^stage\.data\.train\[\]\.uri: {file} cannot be read: .*{message}"):
        Prompts(new_job, None)


def test_tokenizers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    for name in ("nobody/nothing", str(tmp_path)):
        with pytest.raises(
            ValueError, match=f"^stage.model.tokenizer_path: no tokenizer of {name} can be read: [^\n]+$"
        ):
            tokenizer_of(replace(job_of(plan()), tokenizer=name))
