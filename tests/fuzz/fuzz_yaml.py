"""Mutates configs and checks that reading them never raises, stays quick, and tells the truth about places.

`python -m tests.fuzz.fuzz_yaml --seconds 10 --seed 1`
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from dataclasses import dataclass

from rftconf.base.errors import UnreadableError
from rftconf.text.omegaconf.interpolation import resolve_leaves
from rftconf.text.read.read import read
from rftconf.text.read.read_options import ReadOptions
from rftconf.text.source import Source, from_bytes
from rftconf.text.yaml.loader_dialects import ScalarRules

SEEDS = (
    b"a:\n  b: 1e-6\n  c: [1, 'x', ${a.b}]\ntasksets:\n  - path: /x/y\n    split: train  # why\n  - {path: z, n: ~}\n",
    b"base: &b {x: 1, y: yes}\nm:\n  <<: *b\n  y: 010\ntext: |\n  line\n   more\nfold: >-\n  a\n  b\n...\n---\nz: 1\n",
    b"wandb_version: 1\n_wandb: {value: {}}\ndata:\n  desc: null\n  value: {train_batch_size: 1024, files: [a, b]}\n",
    b"- algorithm.adv_estimator=grpo\n- +data.x={a: 1, b: [1, 2]}\n- '++trainer.logger=[\"console\", wandb]'\n- ~a.b\n",
    b"data.train_batch_size=1024\n+a.b=[1,'two',{c:3}]\n++x=${oc.env:HOME,/root}\n~y\nz=int('3')\nq=\"a \\\" b\"\n",
    b'{"a": {"b": [1.5, null, true]}, "c": "\\u00e9"}\n',
    "größe: 'ü'\nk: ${oc.select:a.b,${größe}}\n".encode(),
    b'#!/bin/bash\nset -x\nA=${B:-1}\npython3 -m verl.trainer.main_ppo a.b=$A \'c=[1,"x"]\' \\\n  d=$HOME/x "$@"\n',
)
TOKENS = (
    *b": |, |- |[|]|{|}|'|\"|&a |*a|<<: |!!int |!!python/object:x |!x |#|---\n|...\n|? |~|null|\t|\n|\r\n|  |\\".split(
        b"|"
    ),
    *b"${|${a.b}|${.a}|${oc.env:X}|=|+|++|,|1e-6|0x_|1:30|.inf|.nan|@|/|(|)|$|\xc3\xa9|>\n |%YAML 1.1\n".split(b"|"),
    *(b"|", b"\xff", b"\0", b"\xef\xbb\xbf"),
)
SLOW_SECONDS = 2.0


@dataclass
class Tally:
    """What a run did."""

    runs: int = 0
    readable: int = 0
    leaves: int = 0
    slowest_seconds: float = 0.0


def mutated(chance: random.Random) -> bytes:
    """A seed with a few pieces cut, doubled, swapped or put in."""
    data = bytearray(chance.choice(SEEDS))
    for _ in range(chance.randint(0, 4)):
        index, end = sorted((chance.randint(0, len(data)), chance.randint(0, len(data))))
        match chance.randint(0, 5):
            case 0:
                del data[index : min(end, index + 12)]
            case 1:
                data[index:index] = data[index:end]
            case 2:
                data[index:index] = chance.choice(TOKENS)
            case 3:
                data[index : index + 1] = chance.choice(TOKENS)
            case 4:
                data[index:index] = chance.choice(TOKENS) * chance.randint(1, 300)
            case _:
                second = chance.choice(SEEDS)
                data[index:end] = second[: chance.randint(0, len(second))]
    return bytes(data[:20_000])


def one(data: bytes, tally: Tally, name: str = "x.yaml") -> None:
    """Read `data`; raises AssertionError where a promise breaks."""
    started = time.monotonic()
    try:
        source = from_bytes(name, data)
    except UnreadableError as error:
        if not error.message:
            raise AssertionError("an error without words") from error
        return
    for rules in ScalarRules:
        document = read(source, ReadOptions(rules=rules))
        _check_places(source, document.leaves, document.diagnostics)
    assert repr(document) == repr(read(source, ReadOptions(rules=rules))), "reading is not deterministic"
    resolve_leaves(document.leaves)
    elapsed = time.monotonic() - started
    assert elapsed < SLOW_SECONDS, f"{elapsed:.1f} s"
    tally.readable += document.readable
    tally.leaves += len(document.leaves)
    tally.slowest_seconds = max(tally.slowest_seconds, elapsed)


def _check_places(source: Source, leaves: tuple[object, ...], diagnostics: tuple[object, ...]) -> None:
    size = len(source.text)
    for result in (*leaves, *diagnostics):
        place = getattr(result, "place", None)
        if place is None or place.file != source.name:
            continue
        span = place.span
        assert 0 <= span.start <= span.end <= size, result
        assert span.line >= 1, result
        assert span.col >= 1, result


def fuzz(seconds: float, seed: int) -> Tally:
    """Run for `seconds`; a failure names the input that caused it."""
    chance, tally = random.Random(seed), Tally()
    stop = time.monotonic() + seconds
    while time.monotonic() < stop:
        data = mutated(chance)
        name = chance.choice(("x.yaml", "x.txt", "x.yaml", "x.sh"))
        try:
            one(data, tally, name)
        except Exception as error:
            raise AssertionError(f"input for {name}, seed {seed}: {data!r}") from error
        tally.runs += 1
    return tally


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    tally = fuzz(options.seconds, options.seed)
    done = f"{tally.runs} inputs, {tally.readable} readable, {tally.leaves} leaves"
    sys.stdout.write(f"{done}, slowest {tally.slowest_seconds:.3f} s\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
