"""Mutates scripts and reads them: `python -m tests.fuzz.fuzz_shell --seconds 10`. Nothing is executed."""

from __future__ import annotations

import argparse
import random
import sys
import time
from pathlib import Path

from rftconf.base.span import Place
from rftconf.base.symbols import Expr, names_in
from rftconf.text.shell import Script, read_script

SCRIPTS = Path(__file__).parents[1] / "differential" / "scripts"
SECONDS_PER_INPUT = 5.0
FRAGMENTS = (
    "'", '"', "`", "$(", "${", "$((", "))", "}", ")", "(", "{", "[[ ", " ]]", "[ ", " ]", "\\", "\\\n", "\n", ";", ";;",
    "&&", "||", "|", "&", "<<EOF\n", "EOF\n", "<<<", ">", "# ", "if ", "then\n", "fi\n", "for x in ", "do\n", "done\n",
    "case $x in ", "esac\n", "while true; ", "f() { ", "$x", "${x:-", "${x//", "${#", "${!", "$@", "$'", "=", "+=", "=(",
    "A[", "]=", "{a,b}", "{1..9}", "*", "~", "\0", "\r\n", "\ufeff", "é", "eval ", "source ", "exit\n", "return\n",
    "break\n", "read x\n", "declare -A ", "local ", "unset x\n", "set -- ", "shift\n", "IFS=,\n", "++", "**", "/", "%", "#",
)  # fmt: skip


def mutated(text: str, second: str, chance: random.Random) -> str:
    """`text` with a few things cut, doubled, swapped, put in, or taken from `second`."""
    for _ in range(chance.randint(1, 6)):
        index, to = sorted(chance.randint(0, len(text)) for _ in range(2))
        to = min(to, index + chance.choice((1, 5, 40, 400)))
        kind = chance.randrange(6)
        if kind == 0:
            text = text[:index] + text[to:]
        elif kind == 1:
            text = text[:to] + text[index:to] * chance.randint(1, 3) + text[to:]
        elif kind == 2:
            start = chance.randint(0, len(second))
            text = text[:index] + second[start : start + chance.choice((10, 80, 400))] + text[index:]
        elif kind == 3:
            text = text[:index] + chr(chance.randrange(1, 0x250)) + text[index:]
        else:
            text = text[:index] + chance.choice(FRAGMENTS) + text[index:]
    return text[:20_000]


def check(text: str) -> Script:
    """Read `text`; AssertionError when a promise is broken: time, places, values that can be walked."""
    began = time.perf_counter()
    script = read_script("fuzz.sh", text, args=("a", "b=1"))
    spent = time.perf_counter() - began
    assert spent < SECONDS_PER_INPUT, f"{spent:.1f} s"
    for diagnostic in script.diagnostics:
        if diagnostic.place is not None:
            _inside(diagnostic.place, text)
    for command in script.commands:
        _inside(command.place, text)
        for word in command.argv:
            _inside(word.place, text)
            for via in word.via:
                _inside(via.place, text)
            if isinstance(word.value, Expr):
                names_in(word.value)
            else:
                _inside(word.span_at(0, 1), text)
                _inside(word.origin_at(len(word.value) // 2), text)
    return script


def _inside(place: Place, text: str) -> None:
    if place.file == "fuzz.sh":
        assert 0 <= place.span.start <= place.span.end <= len(text), place


def fuzz(seconds: float, seed: int) -> int:
    """Fuzz for a while; returns the number of inputs. The input that broke something is part of the error."""
    chance = random.Random(seed)
    scripts = [path.read_text() for path in sorted(SCRIPTS.glob("*.sh"))]
    ends = time.monotonic() + seconds
    count = 0
    while time.monotonic() < ends:
        text = mutated(chance.choice(scripts), chance.choice(scripts), chance)
        try:
            check(text)
        except Exception as error:
            raise AssertionError(f"seed {seed}, input {count}: {error!r}\n{text!r}") from error
        count += 1
    return count


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="fuzz_shell", description=__doc__)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    print(f"{fuzz(args.seconds, args.seed)} inputs")
    return 0


if __name__ == "__main__":
    sys.exit(main())
