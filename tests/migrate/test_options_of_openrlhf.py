"""Scripts of OpenRLHF's flat flags go to the release of grouped ones, and back, in place."""

from __future__ import annotations

import pytest

from rftconf.base.span import Place, Span
from rftconf.load.load import load
from rftconf.migrate.differences_left import Nature
from rftconf.migrate.key_changes import Slot
from rftconf.schemas import catalogue, registry, versions
from rftconf.text.document import Leaf
from rftconf.text.read.read import read
from rftconf.text.source import from_bytes
from tests.migrate.texts import migrated

OLD, NEW = "0.9.1", "0.11.2"
SCRIPT = """\
#!/bin/bash
LR=5e-7  # of the actor
read -r -d '' training_commands <<EOF
openrlhf.cli.train_ppo_ray \\
    --ref_num_nodes 1 \\
    --ref_num_gpus_per_node 8 \\
    --actor_num_nodes 1 \\
    --actor_num_gpus_per_node 8 \\
    --vllm_num_engines 4 \\
    --vllm_tensor_parallel_size 2 \\
    --colocate_all_models \\
    --init_kl_coef 1e-3 \\
    --use_kl_loss \\
    --kl_estimator k3 \\
    --advantage_estimator group_norm \\
    --pretrain Qwen/Qwen2.5-7B \\
    --remote_rm_url reward.py \\
    --train_batch_size 1024 \\
    --micro_train_batch_size 4 \\
    --micro_rollout_batch_size 8 \\
    --rollout_batch_size 128 \\
    --n_samples_per_prompt 8 \\
    --prompt_max_len 1024 \\
    --generate_max_len 3072 \\
    --bf16 \\
    --actor_learning_rate $LR \\
    --prompt_data data/train.jsonl \\
    --input_key prompt \\
    --gradient_checkpointing
EOF
ray job submit --address=http://127.0.0.1:8265 -- python3 -m $training_commands
"""


def plain(text: str = SCRIPT) -> str:
    """The same command on its own."""
    command = text.split("<<EOF\n")[1].split("\nEOF")[0]
    return f"LR=5e-7  # of the actor\npython3 -m {command}\n"


@pytest.mark.parametrize("text", [plain(), SCRIPT], ids=["a command", "a here-document"])
def test_flat_flags_become_grouped_ones_and_values_and_lines_stay(text: str) -> None:
    done = migrated(text, OLD, NEW, framework="openrlhf")
    assert done.faithful
    assert not done.refused
    assert not [leftover for leftover in done.unlike if leftover.nature is Nature.LOST]
    assert "    --actor.adam.lr $LR \\\n" in done.text
    assert "    --data.max_len 4096 \\\n" in done.text, "both lengths together"
    assert "    --rollout.max_new_tokens 3072 \\\n" in done.text
    assert "    --ds.param_dtype bf16 \\\n" in done.text, "a switch became a word"
    assert done.text.count("\\\n") == text.count("\\\n")


def test_every_flag_of_the_result_is_one_of_the_release() -> None:
    done = migrated(plain(), OLD, NEW, framework="openrlhf")
    known = catalogue.load("openrlhf", NEW)
    assert {leaf.key for leaf in read(from_bytes("run.sh", done.text.encode())).leaves} <= set(known.keys)


def test_the_way_back_means_the_same() -> None:
    newer = migrated(plain(), OLD, NEW, framework="openrlhf")
    back = migrated(newer.text, NEW, OLD, framework="openrlhf")
    plans = [
        load(read(from_bytes("run.sh", text.encode())), framework="openrlhf", release=OLD).stages[0].values
        for text in (plain(), back.text)
    ]
    assert {path: value for path, value in plans[0].items() if plans[1].get(path) != value} == {}


@pytest.mark.parametrize("written", ["--prompt_max_len 700", "--generate_max_len 700", "--prompt_max_len=700"])
def test_one_of_both_lengths_is_enough(written: str) -> None:
    text = "\n".join(line for line in plain().splitlines() if "_max_len" not in line)
    done = migrated(text.replace("--bf16", f"{written} \\\n    --bf16"), OLD, NEW, framework="openrlhf")
    lengths = {leaf.key: leaf.value for leaf in read(from_bytes("run.sh", done.text.encode())).leaves}
    assert lengths["data.max_len"] == "1724"


FLAT = tuple(release for release in registry.OPENRLHF.releases if "pretrain" in catalogue.load("openrlhf", release))
"""Releases whose flags are flat."""
PLACE = Place("run.sh", Span(0, 0, 1, 1))


@pytest.mark.parametrize("release", FLAT)
def test_every_flat_flag_has_a_grouped_one_or_a_reason(release: str) -> None:
    """The 144 flags of 0.10.0 are 139 with another name, 2 with the same, and 3 that nobody reads."""
    newest, unaccounted = catalogue.load("openrlhf", NEW), []
    for name, key in catalogue.load("openrlhf", release).keys.items():
        value = key.default if key.default is not None else key.type == "bool" or "1"
        slot = Slot(value, Leaf(name, value, PLACE, PLACE), value)
        done = versions.upgrade("openrlhf", {name: slot}, release, NEW)
        known = bool(done.flat) and all(after in newest for after in done.flat)
        if not known and not (not done.flat and all(change.why for change in done.changes)):
            unaccounted.append(name)
    assert unaccounted == []
