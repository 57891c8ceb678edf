"""ChatLearn's releases, its old configs, and what gives a release away."""

from __future__ import annotations

import pytest

from rftconf.base.errors import RefusedError
from rftconf.base.symbols import Value
from rftconf.load.load import load
from rftconf.schemas import catalogue, versions
from rftconf.schemas.acceptance import Verdict, judge
from rftconf.schemas.guess import guess
from rftconf.text.read.read import read
from rftconf.text.source import Source
from tests.schemas.shared import CORPUS, needs_corpus

COMMON: dict[str, Value] = {
    "runtime_args.train_backend": "fsdp",
    "runtime_args.sample_per_episode": 512,
    "models.policy.num_inference_per_prompt": 8,
}


@pytest.mark.parametrize(
    ("key", "release"),
    [
        ("runtime_args.num_inference_per_prompt", "2025.10.23"),
        ("models.policy.max_new_tokens", "1.2.0"),
        ("models.policy.seq_length", "1.2.0"),
    ],
)
def test_one_key_gives_the_release_away(key: str, release: str) -> None:
    assert (guess({**COMMON, key: 8}).framework, guess({**COMMON, key: 8}).release) == ("chatlearn", release)


def test_the_backend_is_the_trainer() -> None:
    assert guess(COMMON).trainer == "fsdp"
    assert guess({**COMMON, "runtime_args.train_backend": "megatron"}).trainer == "megatron"
    assert guess({"models.policy.load": "x"}, config_name="template/grpo_megatron.yaml").trainer == "megatron"


def test_a_prefix_is_a_part_of_the_name() -> None:
    assert judge(catalogue.load("chatlearn"), "++models.policy.load", "x") is Verdict.UNKNOWN


def test_the_length_was_live_once() -> None:
    assert versions.dead("chatlearn", "1.2.0", "models.policy.seq_length") is None
    assert versions.dead("chatlearn", "2025.10.23", "models.policy.seq_length")


def test_the_shipped_template_is_known() -> None:
    known = catalogue.load("chatlearn", None, "megatron")
    assert (
        known.template["models.policy_trainer.optimizer.min_lr"]
        == known.template["models.policy_trainer.optimizer.lr"]
        == 2e-6
    )
    assert set(known.template) <= set(known.keys)


OLD = "models:\n  policy: {num_gpu: 1, trainable: false}\nruntime: {num_episode: 2, sample_per_episode: 16}\n"


def test_a_config_of_1_0_is_named_as_what_it_is() -> None:
    with pytest.raises(RefusedError, match=r"belongs to ChatLearn up to 1\.0\.3") as refused:
        load(read(Source("old.yaml", OLD)))
    assert "1.2.0" in refused.value.choices[0]


@needs_corpus
def test_every_old_config_of_the_corpus_is_named() -> None:
    files = sorted((CORPUS / "chatlearn").glob("tests__configs__*.yaml"))
    texts = {file.name: file.read_text(encoding="utf-8") for file in files}
    old = {name: text for name, text in texts.items() if "\nruntime:" in text}
    for name, text in old.items():
        with pytest.raises(RefusedError, match=r"up to 1\.0\.3"):
            load(read(Source(name, text)))
    assert len(old) > 10
    # the rest are models' own files: no run in them
    assert all("models:" not in text for name, text in texts.items() if name not in old)
