"""ChatLearn's own templates and scripts: each is read, written back as the same plan, and accounted for key by key."""

from __future__ import annotations

import os
import subprocess
from functools import cache
from pathlib import Path

import pytest

from rftconf.base.diagnostics import Severity
from rftconf.base.errors import UnreadableError
from rftconf.base.ledger import State
from rftconf.base.symbols import OpenKey
from rftconf.convert.convert import convert
from rftconf.load.load import load
from rftconf.schemas import catalogue
from rftconf.schemas.registry import CHATLEARN
from rftconf.text.document import Document
from rftconf.text.read.read import read
from rftconf.text.read.read_options import ReadOptions
from rftconf.text.source import Source
from tests.schemas.shared import CORPUS, needs_corpus

CLONE = os.environ.get("CHATLEARN_SRC", "")
needs_clone = pytest.mark.skipif(not CLONE, reason="CHATLEARN_SRC names no clone of ChatLearn")
BROKEN = {"train_mcore_vllm_qwen3_235b_grpo.sh", "train_mcore_vllm_qwen3_30b_gspo.sh"}
"""They leave max_token_in_packing to the template, which takes it from a key that nobody sets: ChatLearn stops too."""


@cache
def files(release: str) -> dict[str, str]:
    """Path to text of what a revision has below scripts/ and template/."""
    revision = CHATLEARN.revisions[release]
    git = ["git", "-C", CLONE]
    names = subprocess.run(
        [*git, "ls-tree", "-r", "--name-only", revision, "scripts", "template"],
        check=True,
        capture_output=True,
        text=True,
    )
    return {
        name: subprocess.run([*git, "show", f"{revision}:{name}"], check=True, capture_output=True, text=True).stdout
        for name in names.stdout.splitlines()
        if name.endswith((".sh", ".yaml"))
    }


def scripts(release: str) -> list[str]:
    """The launch scripts of a revision."""
    return [name for name, text in files(release).items() if "entrypoint.py grpo" in text]


def opened(release: str, name: str) -> Document:
    """A script on 8 GPUs, with its template and the settings it sources."""
    everything = files(release)
    sources = {
        path: text for path, text in everything.items() if path.startswith("template/") or path.endswith("base_env.sh")
    }
    options = ReadOptions(sources=sources, bindings={"WORLD_SIZE": "1", "GPUS_PER_NODE": "8"})
    return read(Source(name, everything[name]), options)


@needs_clone
@pytest.mark.parametrize("release", CHATLEARN.releases)
def test_every_script_is_read_and_written_back(release: str) -> None:
    done = 0
    for name in scripts(release):
        document = opened(release, name)
        if Path(name).name in BROKEN and release == CHATLEARN.newest:
            with pytest.raises(UnreadableError, match="seq_length"):
                load(document)
            continue
        loaded = load(document)
        assert (loaded.framework, loaded.release) == ("chatlearn", release), name
        back = convert(document, "chatlearn", to_release=release)
        again = load(read(Source("again.yaml", back.text)), framework="chatlearn", release=release)
        assert again.plan == loaded.plan, name
        assert not back.ledger.lossy, name
        done += 1
    assert done > 8


@needs_clone
def test_every_key_of_the_scripts_has_a_line_of_its_own() -> None:
    """To another framework: no key is unknown, and none is told by the general sentence."""
    for name in scripts(CHATLEARN.newest):
        if Path(name).name in BROKEN:
            continue
        ledger = convert(opened(CHATLEARN.newest, name), "verl").ledger
        assert [line.key for line in ledger.sources if line.state is State.UNKNOWN] == [], name
        assert [line.key for line in ledger.sources if "no other framework has it" in line.reason] == [], name


@needs_corpus
def test_the_template_is_read_and_written_back() -> None:
    file = CORPUS / "chatlearn" / "template__grpo_fsdp.yaml"
    document = read(Source(file.name, file.read_text(encoding="utf-8")))
    loaded = load(document)
    back = convert(document, "chatlearn")
    assert load(read(Source("again.yaml", back.text))).plan == loaded.plan
    assert not back.ledger.lossy


def test_the_other_sources_of_an_argument_are_told() -> None:
    document = read(
        Source(
            "run.sh",
            "python chatlearn/entrypoint.py grpo --config-file template/grpo_fsdp.yaml models.policy.num_gpu=8\n",
        )
    )
    assert [(d.code, d.severity) for d in document.diagnostics] == [("SYN521", Severity.INFO)]


TEMPLATE = "python chatlearn/entrypoint.py grpo --config-file {} models.policy.num_inference_per_prompt=16 runtime_args.exp_name=mine\n"


@pytest.mark.parametrize("release", CHATLEARN.releases)
@pytest.mark.parametrize("file", ["template/grpo_fsdp.yaml", "/opt/ChatLearn/template/grpo_fsdp.yaml"])
def test_a_script_starts_from_the_template_that_chatlearn_ships(file: str, release: str) -> None:
    """entrypoint.py merges the file into the defaults; where nobody gives it, the release's own is known."""
    document = read(Source("run.sh", TEMPLATE.format(file)))
    values = load(document, framework="chatlearn", release=release).stages[0].values
    shipped = catalogue.load("chatlearn", release, "fsdp").template
    assert values["stage.optim.actor.lr"] == shipped["models.policy_trainer.optimizer.lr"]
    assert values["stage.batch.sequences_per_update"] == shipped["runtime_args.train_global_batch_size"]
    assert (values["identity.experiment"], values["stage.batch.responses_per_prompt"]) == ("mine", 16)


def test_the_megatron_template_is_megatron() -> None:
    """It leaves one value to a key that nobody sets, where ChatLearn stops: that value stays open, the rest is read."""
    script, key = TEMPLATE.format("template/grpo_megatron.yaml"), "models.policy_trainer.max_token_in_packing"
    remaining = load(read(Source("run.sh", script))).stages[0].values
    assert remaining["stage.batch.micro.tokens_per_rank"] == OpenKey(key)
    assert remaining["stage.placement.actor.backend"] == "megatron"
    loaded = load(read(Source("run.sh", f"{script.strip()} {key}=8192\n")))
    assert loaded.stages[0].values["stage.batch.micro.tokens_per_rank"] == 8192
    assert loaded.guess.trainer == "megatron"
    assert loaded.stages[0].values["stage.placement.actor.backend"] == "megatron"


def test_another_file_is_asked_for() -> None:
    document = read(Source("run.sh", TEMPLATE.format("mine.yaml")))
    assert [(d.code, d.severity) for d in document.diagnostics] == [("SYN507", Severity.WARNING)]
    assert document.launch is not None
    assert document.launch.shipped == ""


def test_without_a_file_overrides_do_nothing() -> None:
    """They are merged into the file, and there is none."""
    document = read(Source("run.sh", "python chatlearn/entrypoint.py grpo runtime_args.exp_name=mine\n"))
    assert any("takes none of these overrides" in d.message for d in document.diagnostics)
