"""Arguments of the trainer: its model, data, rewards and adapters become TRL's keys."""

from __future__ import annotations

import pytest

from rftconf.base.symbols import Value, Var
from tests.text.python.launchers import launcher, opened, values

IMPORTS = "from datasets import load_dataset\nfrom peft import LoraConfig, get_peft_model\nfrom transformers import AutoModelForCausalLM\nimport torch\n"


def trainer(arguments: str, before: str = "") -> dict[str, Value]:
    return values(f"{IMPORTS}{before}\nGRPOTrainer(args=GRPOConfig(), {arguments})\n")


@pytest.mark.parametrize(
    ("arguments", "before", "keys"),
    [
        ("model='a/b'", "", {"model_name_or_path": "a/b"}),
        ("model=os.environ['M']", "", {"model_name_or_path": Var("M")}),
        ("model=build()", "", {"model_name_or_path": opened("model_name_or_path")}),
        (
            "model=m",
            "m = AutoModelForCausalLM.from_pretrained('a/b', torch_dtype=torch.bfloat16)",
            {"model_name_or_path": "a/b", "model_init_kwargs.torch_dtype": "bfloat16"},
        ),
        (
            "model=AutoModelForCausalLM.from_pretrained('a/b')",
            "",
            {"model_name_or_path": "a/b", "model_init_kwargs.dtype": opened("model_init_kwargs.dtype")},
        ),
        ("model='m', reward_funcs=f", "def f(): pass", {"model_name_or_path": "m", "reward_funcs": ["f"]}),
        (
            "model='m', reward_funcs=[f, 'org/reward', r.g, lambda: 1]",
            "import r\ndef f(): pass",
            {"model_name_or_path": "m", "reward_funcs": ["f", "org/reward", "r.g", opened("reward_funcs")]},
        ),
    ],
)
def test_models_and_rewards(arguments: str, before: str, keys: dict[str, Value]) -> None:
    assert trainer(arguments, before) == keys


NAME, SPLIT = (("dataset_name", "a/b"),), (("dataset_train_split", "train"),)


@pytest.mark.parametrize(
    ("before", "keys"),
    [
        ("d = load_dataset('a/b', split='train')", (*NAME, *SPLIT)),
        ("d = load_dataset('a/b', 'main')['train']", (*NAME, ("dataset_config", "main"), *SPLIT)),
        ("d = load_dataset('a/b')['train'].map(f).shuffle(seed=1)", (*NAME, *SPLIT)),
        ("def get(split='train'):\n    d = load_dataset('a/b')[split]\n    return d.map(f)\nd = get()", (*NAME, *SPLIT)),
        ("d = load_dataset('json', data_files='x.jsonl', split='train')",
         (("datasets[0].path", "json"), ("datasets[0].data_files", "x.jsonl"), ("datasets[0].split", "train"))),
        ("d = load_dataset('a/b', split='train').train_test_split(test_size=0.1)['test']", (*NAME, *SPLIT)),
        ("d = Dataset.from_list(rows)", (("dataset_name", opened("dataset_name")),)),
    ],
)  # fmt: skip
def test_data(before: str, keys: tuple[tuple[str, Value], ...]) -> None:
    assert trainer("model='m', train_dataset=d", before) == {"model_name_or_path": "m"} | dict(keys)


def test_another_split_of_the_same_data_set_evaluates() -> None:
    before = "d = load_dataset('a/b')"
    keys = trainer("model='m', train_dataset=d['train'], eval_dataset=d['validation']", before)
    assert keys["dataset_test_split"] == "validation"
    other = trainer("model='m', train_dataset=d['train'], eval_dataset=load_dataset('c')['test']", before)
    assert other["dataset_test_split"] == opened("dataset_test_split")


def test_other_rows_are_said() -> None:
    body = (
        f"{IMPORTS}d = load_dataset('a/b', split='train').select(range(100))\nGRPOTrainer(model='m', train_dataset=d)\n"
    )
    assert [(finding.code, finding.severity.value) for finding in launcher(body).diagnostics] == [("SYN803", "info")]


def test_adapters_have_the_defaults_of_their_own_class() -> None:
    """peft/tuners/lora/config.py: r=8, lora_alpha=8, lora_dropout=0.0; TRL's ModelConfig has 16, 32 and 0.05."""
    keys = trainer(
        "model='m', peft_config=LoraConfig(r=32, target_modules=['q_proj'], task_type='CAUSAL_LM', bias='none')"
    )
    assert keys == {
        "model_name_or_path": "m",
        "use_peft": True,
        "lora_r": 32,
        "lora_alpha": 8,
        "lora_dropout": 0.0,
        "lora_target_modules": ["q_proj"],
        "lora_task_type": "CAUSAL_LM",
    }


def test_adapters_of_the_model_itself() -> None:
    keys = trainer(
        "model=get_peft_model(m, LoraConfig(r=4))", "m = AutoModelForCausalLM.from_pretrained('a/b', dtype='auto')"
    )
    assert (keys["model_name_or_path"], keys["use_peft"], keys["lora_r"]) == ("a/b", True, 4)


def test_adapters_of_unsloth() -> None:
    before = "from unsloth import FastLanguageModel as F\nm, t = F.from_pretrained(model_name='a/b', dtype=None)\nm = F.get_peft_model(m, lora_alpha=64)"
    keys = trainer("model=m", before)
    assert (keys["model_name_or_path"], keys["use_peft"], keys["lora_r"], keys["lora_alpha"]) == ("a/b", True, 16, 64)


def test_adapters_that_the_arguments_of_the_model_say() -> None:
    before = "from trl import ModelConfig, get_peft_config\nc = ModelConfig('a/b', use_peft=True, lora_r=4)"
    keys = trainer("model=c.model_name_or_path, peft_config=get_peft_config(c)", before)
    assert keys == {"model_name_or_path": "a/b", "use_peft": True, "lora_r": 4}


def test_no_adapters_and_adapters_that_nobody_knows() -> None:
    assert "use_peft" not in trainer("model='m', peft_config=None")
    assert trainer("model='m', peft_config=f()")["use_peft"] == opened("use_peft")


def test_arguments_by_place() -> None:
    body = (
        f"{IMPORTS}GRPOTrainer('m', f, GRPOConfig('out', beta=0.1), load_dataset('a', split='train'))\ndef f(): pass\n"
    )
    keys = values(body)
    assert (keys["model_name_or_path"], keys["output_dir"], keys["beta"], keys["dataset_name"]) == (
        "m",
        "out",
        0.1,
        "a",
    )


def test_a_trainer_of_somebodys_own_is_read_alike() -> None:
    assert values("from own import Own\nOwn(model='m', args=GRPOConfig(beta=0.1))\n") == {
        "beta": 0.1,
        "model_name_or_path": "m",
    }


def test_a_config_that_a_parser_makes_is_said_and_not_guessed() -> None:
    body = "from trl import TrlParser\na = TrlParser((GRPOConfig,)).parse_args_and_config()[0]\nGRPOTrainer(model='m', args=a)\n"
    document = launcher(body)
    assert [(finding.code, finding.place and finding.place.span.line) for finding in document.diagnostics] == [
        ("SYN505", 5)
    ]
