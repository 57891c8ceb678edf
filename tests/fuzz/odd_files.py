"""Files that no verb expects, and things in a folder that are no files."""

from __future__ import annotations

import os
import random
from pathlib import Path

from tests.sources import ROOT

_SCRIPT = (ROOT / "golden" / "convert" / "readme" / "input.sh").read_text(encoding="utf-8")
_NINE = "[" + ",".join(["*{0}"] * 9) + "]"
_ALIASES = "a: &a [x,x,x]\n" + "".join(
    f"{b}: &{b} {_NINE.format(a)}\n" for a, b in zip("abcdefg", "bcdefgh", strict=True)
)
_TEXTS = {
    "empty": "",
    "comment": "# nothing\n",
    "lines": "\n" * 30_000,
    "line": "a" * 300_000,
    "deep_list": "[" * 50_000,
    "deep_object": '{"a":' * 50_000,
    "not_a_number": '{"step": NaN, "critic/rewards/mean": 1e999, "a": -Infinity}\n',
    "digits": '{"step": ' + "9" * 6000 + "}\n",
    "list": "[1,2,3]\n",
    "text": '"abc"\n',
    "null": "null\n",
    "number": "1\n",
    "twice": '{"a":1,"a":2}\n',
    "half_characters": '{"a":"\\ud800","\\udfff":1}\n',
    "steering": "a\x1b]0;title\x07\x1b[2J\u202e: 1\n",
    "steering_key": '{"a\\u001b[31mb\\u202e": 1}\n',
    "line_ends": _SCRIPT.replace("\n", "\r\n"),
    "returns": _SCRIPT.replace("\n", "\r"),
    "cut": _SCRIPT[:300],
    "python_tag": '!!python/object/apply:os.system ["touch made"]\n',
    "aliases": _ALIASES,
    "cycle": "a: &a [*a]\n",
    "merge_cycle": "a: &a {<<: *a}\n",
    "certificate": '{"rftconf_certificate": 1}\n',
    "plan": '{"plan_version": 99, "stages": [{"kind": null}]}\n',
    "settings": "[tool.rftconf]\nselect = 5\n[a\n",
    "answers": "answers:\n  - 1\n",
    "keys_of_answers": "answers:\n  ? [1,2]\n  : 3\n",
    "types": "a: 2001-01-01\nb: 12:30:45\nc: 0x1F\nd: 1_000\ne: !!binary aGk=\n",
    "documents": "---\n---\n---\n",
    "trinity": "project: a\nbuffer: 3\nmodel: [1]\n",
    "roll": "rollout_batch_size: {}\nactor_train: 5\nrewards: [a]\n",
}
_BYTES = {
    "nul": b"\0" * 100,
    "binary": random.Random(1).randbytes(5000),
    "wide": _SCRIPT.encode("utf-16"),
    "mark": b"\xef\xbb\xbf" + _SCRIPT.encode(),
    "latin": b"data.path=\xff\xfe\n",
}
_SUFFIXES = (".sh", ".yaml", ".json", ".jsonl", ".toml")


def _files() -> dict[str, bytes]:
    """Each content under one suffix and another, so that all meet most suffixes in the end."""
    contents = {**{name: text.encode() for name, text in _TEXTS.items()}, **_BYTES}
    return {
        f"{name}{_SUFFIXES[(number + step) % len(_SUFFIXES)]}": content
        for number, (name, content) in enumerate(contents.items())
        for step in range(3)
    }


FILES = _files()
"""Odd files by their names."""
SPECIAL = (
    "fifo.yaml",
    "loop.yaml",
    "folder.yaml",
    "zero.yaml",
    "nowhere.sh",
    "absent.yaml",
    "/dev/null",
    "/proc/self/mem",
    "x" * 300,
)
"""Things that are no files, of which a folder holds those that are made."""  # fmt: skip


def make_special_files(folder: Path) -> None:
    """Make what is no file: a pipe, links that end nowhere or without end, a folder with a file's name."""
    os.mkfifo(folder / "fifo.yaml")
    (folder / "loop.yaml").symlink_to("loop.yaml")
    (folder / "folder.yaml").mkdir()
    (folder / "zero.yaml").symlink_to("/dev/zero")
    (folder / "nowhere.sh").symlink_to("nowhere")
