"""Options of a command line are changed in place: another value, another name, one more, or one that goes."""

from __future__ import annotations

import pytest

from rftconf.base.patch import apply
from rftconf.base.symbols import Value
from rftconf.text.document import Document, Leaf
from rftconf.text.read.read import read
from rftconf.text.source import from_bytes
from rftconf.text.write import edit_options, edit_overrides
from rftconf.text.write.editors import editor_of

PROGRAM = "python3 -m openrlhf.cli.train_ppo_ray"
ON_LINES = f"""\
STEPS=20
{PROGRAM} \\
    --eval.steps $STEPS \\
    --actor.adam.betas 0.9 0.95 \\
    --train.colocate_all \\
    --vllm.gpu_memory_utilization=0.5 \\
    --rollout.batch_size "512"  # prompts
"""


def document_of(text: str) -> Document:
    return read(from_bytes("run.sh", text.encode()))


def leaf_of(document: Document, key: str) -> Leaf:
    return next(leaf for leaf in document.leaves if leaf.key == key)


def on_a_line(options: str) -> Document:
    return document_of(f"{PROGRAM} {options}\n")


@pytest.mark.parametrize(
    ("options", "value", "rest"),
    [
        ("--rollout.batch_size 512 --train.seed 3", 64, "--rollout.batch_size 64 --train.seed 3"),
        ("--rollout.batch_size=512", 64, "--rollout.batch_size=64"),
        ("--rollout.batch_size '512'", 64, "--rollout.batch_size '64'"),
        ("--rollout.batch_size 512 8", [1, 2, 3], "--rollout.batch_size 1 2 3"),
        ("--rollout.batch_size", 64, "--rollout.batch_size 64"),
        ("--rollout.batch_size 512 --train.seed 3", True, "--rollout.batch_size --train.seed 3"),
    ],
)
def test_another_value(options: str, value: Value, rest: str) -> None:
    document = on_a_line(options)
    patches = edit_options.put(document, leaf_of(document, "rollout.batch_size"), value)
    assert patches is not None
    assert apply(document.text, patches) == f"{PROGRAM} {rest}\n"


@pytest.mark.parametrize("value", [None, "two words"])
def test_a_value_that_no_word_says_is_not_written(value: Value) -> None:
    document = on_a_line("--rollout.batch_size 512")
    assert edit_options.put(document, leaf_of(document, "rollout.batch_size"), value) is None


def test_a_switch_is_on_as_it_is_and_goes_when_it_is_off() -> None:
    document = on_a_line("--train.colocate_all --rollout.batch_size 512")
    leaf = leaf_of(document, "train.colocate_all")
    assert edit_options.put(document, leaf, True) is None
    patches = edit_options.put(document, leaf, False)
    assert patches is not None
    assert apply(document.text, patches) == f"{PROGRAM} --rollout.batch_size 512\n"


@pytest.mark.parametrize(
    ("options", "rest"),
    [
        ("--eval.steps 20 --train.seed 3", "--cadence 20 --train.seed 3"),
        ("--eval.steps=20", "--cadence=20"),
        ('--eval.steps "$STEPS"', '--cadence "$STEPS"'),
        ("--eval.steps", "--cadence"),
        ("--no_eval.steps", "--no_cadence"),
    ],
)
def test_another_name(options: str, rest: str) -> None:
    document = on_a_line(options)
    patches = edit_options.rename(document, leaf_of(document, "eval.steps"), "cadence")
    assert patches is not None
    assert apply(document.text, patches) == f"{PROGRAM} {rest}\n"


def test_a_shortened_name_is_written_in_full() -> None:
    document = on_a_line("--rollout.batch 512")
    (leaf,) = document.leaves
    assert leaf.key == "rollout.batch_size"
    patches = edit_options.rename(document, leaf, leaf.key)
    assert patches is not None
    assert apply(document.text, patches) == f"{PROGRAM} --rollout.batch_size 512\n"


def test_a_name_that_is_put_together_stays() -> None:
    document = document_of(f"ROLE=actor\n{PROGRAM} --$ROLE.num_nodes 2 --train.seed 3\n")
    leaves = [leaf for leaf in document.leaves if leaf.key != "train.seed"]
    assert [edit_options.rename(document, leaf, "nodes") for leaf in leaves] == [None] * len(leaves)


@pytest.mark.parametrize(
    ("key", "without"),
    [
        ("eval.steps", "    --eval.steps $STEPS \\\n"),
        ("actor.adam.betas", "    --actor.adam.betas 0.9 0.95 \\\n"),
        ("train.colocate_all", "    --train.colocate_all \\\n"),
        ("vllm.gpu_memory_utilization", "    --vllm.gpu_memory_utilization=0.5 \\\n"),
    ],
)
def test_an_option_goes_with_its_words_and_its_line(key: str, without: str) -> None:
    document = document_of(ON_LINES)
    patches = edit_options.drop(document, leaf_of(document, key))
    assert patches is not None
    assert apply(document.text, patches) == ON_LINES.replace(without, "")


def test_the_last_option_goes_with_the_backslash_above_it() -> None:
    document = document_of(ON_LINES)
    patches = edit_options.drop(document, leaf_of(document, "rollout.batch_size"))
    assert patches is not None
    assert "=0.5  # prompts\n" in apply(document.text, patches)


def test_words_of_a_variable_that_may_be_several_stay() -> None:
    document = document_of(f'BETAS=(0.9 0.95)\n{PROGRAM} --actor.adam.betas "${{BETAS[@]}}"\n')
    assert edit_options.drop(document, leaf_of(document, "actor.adam.betas")) is None


@pytest.mark.parametrize(
    ("near", "key", "value", "line"),
    [
        ("eval.steps", "train.seed", 3, "    --train.seed 3 \\\n    --eval.steps"),
        ("train.colocate_all", "vllm.enable_sleep", True, "    --vllm.enable_sleep \\\n    --train.colocate_all"),
        ("rollout.batch_size", "actor.adam.betas", [0.9, 0.99], "    --actor.adam.betas 0.9 0.99 \\\n    --rollout"),
    ],
)
def test_a_new_option_stands_on_a_line_of_its_own(near: str, key: str, value: Value, line: str) -> None:
    document = document_of(ON_LINES)
    patches = edit_options.add(document, leaf_of(document, near), key, value)
    assert patches is not None
    assert line in apply(document.text, patches)


def test_a_copy_has_the_same_words() -> None:
    document = document_of(ON_LINES)
    patches = edit_options.copy(document, leaf_of(document, "eval.steps"), "ckpt.save_steps")
    assert patches is not None
    assert "    --ckpt.save_steps $STEPS \\\n    --eval.steps $STEPS \\\n" in apply(document.text, patches)


def test_overrides_have_an_editor_of_their_own() -> None:
    document = document_of("python3 -m verl.trainer.main_ppo data.train_batch_size=8\n")
    assert editor_of(document, document.leaves[0]) is edit_overrides
    options = on_a_line("--train.seed 3")
    assert editor_of(options, options.leaves[0]) is edit_options
