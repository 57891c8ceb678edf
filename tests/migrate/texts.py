"""Migrations of a text, and what a file's release makes of it."""

from __future__ import annotations

import re

from rftconf.migrate.migrate import Migration, MigrationRequest, migrate
from rftconf.text.document import Document
from rftconf.text.read.read import read
from rftconf.text.read.read_options import ReadOptions
from rftconf.text.source import Source


def migrated(text: str, old: str, new: str, name: str = "run.sh", framework: str = "verl") -> Migration:
    """`text` of release `old` for release `new`."""

    def again(changed: str, launch: int | None) -> Document:
        return read(Source(name, changed), ReadOptions(launch=launch))

    return migrate(text, again, MigrationRequest(new, framework, old))


def script(*overrides: str) -> str:
    """A launch script with the few overrides that every run has, and these."""
    words = [
        "python3 -m verl.trainer.main_ppo",
        "data.train_files=train.parquet  # the data",
        "data.train_batch_size=$BATCH",
        "actor_rollout_ref.model.path=Qwen/Qwen2.5-7B-Instruct",
        "actor_rollout_ref.actor.ppo_mini_batch_size=64",
        "actor_rollout_ref.rollout.name=vllm",
        *overrides,
        "trainer.n_gpus_per_node=8",
    ]
    words[1] = words[1].split("  #")[0]
    return "# a comment\nBATCH=${BATCH:-256}\n" + " \\\n    ".join(words) + ' "$@"  # the end\n'


def without_pins(done: Migration) -> str:
    """The text without the defaults that were written out, each in front of another override."""
    text = done.text
    for pin in done.pins:
        text, number = re.subn(rf"{re.escape(pin.key)}=\S+ (?:\\\n +)?", "", text)
        assert number == 1
    return text
