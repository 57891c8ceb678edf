"""Changes to single flags of a launch script: values, switches, whole flags, and what is left as it is."""

from __future__ import annotations

import pytest

from rftconf.base.patch import Patch
from rftconf.text.document import Document, Leaf
from rftconf.text.read.read import read
from rftconf.text.source import Source
from rftconf.text.write import edit_flags

SCRIPT = """#!/bin/bash
N=3
python3 -m openrlhf.cli.train_ppo_ray \\
    --actor.num_nodes 1 \\
    --vllm.num_engines=4 \\
    --train.colocate_all \\
    --reward.remote_url "/code/reward.py" \\
    --rollout.batch_size $N --train.batch_size 128 \\
    --actor.eps_clip_low_high 0.2 0.28 \\
    --ckpt.save_steps 20
"""


def opened(key: str) -> tuple[Document, Leaf]:
    document = read(Source("run.sh", SCRIPT))
    return document, next(leaf for leaf in document.leaves if leaf.key == key)


def changed(patches: list[Patch] | None) -> str:
    """The lines that are new, and with a minus those that are gone."""
    assert patches is not None
    text = SCRIPT
    for patch in sorted(patches, key=lambda patch: -patch.span.start):
        text = text[: patch.span.start] + patch.text + text[patch.span.end :]
    old, fresh = ([line.strip(" \\") for line in part.splitlines()] for part in (SCRIPT, text))
    return "; ".join([f"-{line}" for line in old if line not in fresh] + [line for line in fresh if line not in old])


@pytest.mark.parametrize(
    ("key", "value", "result"),
    [
        ("actor.num_nodes", 2, "---actor.num_nodes 1; --actor.num_nodes 2"),
        ("vllm.num_engines", 8, "---vllm.num_engines=4; --vllm.num_engines=8"),
        ("train.colocate_all", False, "---train.colocate_all"),
        ("ckpt.save_steps", 5, "---ckpt.save_steps 20; --ckpt.save_steps 5"),
    ],
)
def test_a_value_is_put(key: str, value: object, result: str) -> None:
    document, leaf = opened(key)
    assert edit_flags.is_flag(document, leaf)
    assert changed(edit_flags.put(document, leaf, value)) == result  # type: ignore[arg-type]


def test_a_switch_that_is_on_stays() -> None:
    assert edit_flags.put(*opened("train.colocate_all"), True) is None


def test_a_flag_of_several_words_is_left_alone() -> None:
    assert not edit_flags.is_flag(*opened("actor.eps_clip_low_high"))


@pytest.mark.parametrize(
    ("key", "result"),
    [
        ("actor.num_nodes", "---actor.num_nodes 1"),
        ("vllm.num_engines", "---vllm.num_engines=4"),
        ("train.colocate_all", "---train.colocate_all"),
        (
            "train.batch_size",
            "---rollout.batch_size $N --train.batch_size 128; --rollout.batch_size $N",
        ),
        ("ckpt.save_steps", "---ckpt.save_steps 20"),
    ],
)
def test_a_flag_is_dropped_with_its_value(key: str, result: str) -> None:
    assert changed(edit_flags.drop(*opened(key))) == result


def test_a_flag_is_added_in_front_of_another() -> None:
    document, near = opened("actor.num_nodes")
    assert changed(edit_flags.add(document, near, "eval.steps", 10)) == "--eval.steps 10"
    assert changed(edit_flags.add(document, near, "ckpt.save_hf", True)) == "--ckpt.save_hf"
    assert edit_flags.add(document, near, "ckpt.save_hf", False) is None


def test_a_flag_is_renamed() -> None:
    document, leaf = opened("vllm.num_engines")
    assert changed(edit_flags.rename(document, leaf, "vllm.engines")) == "---vllm.num_engines=4; --vllm.engines=4"
