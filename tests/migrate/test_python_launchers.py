"""A launcher in Python goes to another release of TRL: arguments are renamed, taken out and added in place."""

from __future__ import annotations

import ast

import pytest

from rftconf.base.patch import apply
from rftconf.text.document import Document, Leaf
from rftconf.text.read.read import read
from rftconf.text.read.read_options import ReadOptions
from rftconf.text.source import from_bytes
from rftconf.text.write import edit_python
from tests.migrate.texts import migrated

HEAD = """\
from peft import LoraConfig
from trl import GRPOConfig, GRPOTrainer

adapter = LoraConfig(r=16, lora_alpha=32)
"""
TAIL = """
trainer = GRPOTrainer(model="Qwen/Qwen2-0.5B", reward_funcs=reward, args=args, train_dataset=rows, peft_config=adapter)
trainer.train()
"""
CONFIG = """\
args = GRPOConfig(
    output_dir="out",  # where it goes
    per_device_train_batch_size=8,
    num_generations=8,
    max_prompt_length=512,  # longer ones are cut
    use_vllm=True,
    vllm_guided_decoding_regex="a+",
)
"""


def document_of(config: str) -> Document:
    return read(from_bytes("train.py", f"{HEAD}{config}{TAIL}".encode()), ReadOptions())


def leaf_of(document: Document, key: str) -> Leaf:
    return next(leaf for leaf in document.leaves if leaf.key == key)


def arguments(text: str, name: str) -> dict[str, object]:
    """The literal keyword arguments of the first call of `name`."""
    calls = (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call))
    call = next(call for call in calls if isinstance(call.func, ast.Name) and call.func.id == name)
    return {str(each.arg): ast.literal_eval(each.value) for each in call.keywords}


def test_arguments_are_renamed_taken_out_and_pinned_and_nothing_is_lost() -> None:
    result = migrated(f"{HEAD}{CONFIG}{TAIL}", "0.18.2", "1.0.0", "train.py", "trl")
    assert result.faithful
    assert arguments(result.text, "GRPOConfig") == {
        "output_dir": "out", "per_device_train_batch_size": 8, "num_generations": 8, "use_vllm": True,
        "vllm_structured_outputs_regex": "a+",
        # what 0.18.2 does without them, and 1.0.0 otherwise
        "loss_type": "bnpo", "beta": 0.04, "bf16": False, "gradient_checkpointing": False, "vllm_mode": "server",
        "vllm_importance_sampling_correction": False,
    }  # fmt: skip
    assert 'output_dir="out",  # where it goes\n' in result.text
    assert "longer ones are cut" not in result.text, "the comment of a line goes with its argument"
    assert arguments(result.text, "LoraConfig") == {"r": 16, "lora_alpha": 32}, "no other call takes a new argument"


@pytest.mark.parametrize(
    ("config", "rest"),
    [
        ("args = GRPOConfig(beta=0.1, max_steps=3, seed=1)\n", "args = GRPOConfig(beta=0.1, seed=1)\n"),
        ("args = GRPOConfig(beta=0.1, max_steps=3)\n", "args = GRPOConfig(beta=0.1)\n"),
        ("args = GRPOConfig(max_steps=3)\n", "args = GRPOConfig()\n"),
        ("args = GRPOConfig(\n    max_steps=3\n)\n", "args = GRPOConfig(\n)\n"),
        ("args = GRPOConfig(\n    beta=0.1, max_steps=3,\n)\n", "args = GRPOConfig(\n    beta=0.1, \n)\n"),
        ("args = GRPOConfig(\n    max_steps=3, beta=0.1,\n)\n", "args = GRPOConfig(\n    beta=0.1,\n)\n"),
        ("NÄHE = 3; args = GRPOConfig(seed=NÄHE, max_steps=NÄHE)\n", "NÄHE = 3; args = GRPOConfig(seed=NÄHE)\n"),
    ],
)
def test_an_argument_goes_with_its_comma_and_a_line_of_its_own(config: str, rest: str) -> None:
    document = document_of(config)
    patches = edit_python.drop(document, leaf_of(document, "max_steps"))
    assert patches is not None
    text = apply(document.text, patches)
    assert text == f"{HEAD}{rest}{TAIL}"
    assert ast.parse(text)


@pytest.mark.parametrize("value", ["count()", "2 * 3", "[count()]"])
def test_an_argument_that_is_computed_stays(value: str) -> None:
    document = document_of(f"args = GRPOConfig(beta=0.1, max_steps={value})\n")
    assert edit_python.drop(document, leaf_of(document, "max_steps")) is None


def test_an_attribute_that_is_set_later_stays() -> None:
    document = document_of("args = GRPOConfig(beta=0.1)\nargs.max_steps = 3\n")
    assert edit_python.drop(document, leaf_of(document, "max_steps")) is None


@pytest.mark.parametrize(
    ("key", "near"),
    [("lora_r", "beta"), ("num_processes", "beta"), ("model_init_kwargs.dtype", "beta"), ("epsilon", "lora_alpha")],
)
def test_only_the_config_takes_a_new_argument_and_only_one_of_its_own(key: str, near: str) -> None:
    document = document_of("args = GRPOConfig(beta=0.1)\n")
    assert edit_python.add(document, leaf_of(document, near), key, 1) is None


def test_a_text_with_quotes_stays_one_literal() -> None:
    document = document_of("args = GRPOConfig(beta=0.1)\n")
    patches = edit_python.add(document, leaf_of(document, "beta"), "loss_type", "a\"b'c\\")
    assert patches is not None
    assert arguments(apply(document.text, patches), "GRPOConfig") == {"loss_type": "a\"b'c\\", "beta": 0.1}
