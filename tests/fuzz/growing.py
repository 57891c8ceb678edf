"""Small files that ask for much, at any size: one generator for each way in which a reader, a rule or a fixer was made to work.

Each takes how large the file is to be, in bytes, and a source of chance; the same seed makes the same file.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

VERL = "algorithm: {adv_estimator: grpo}\nactor_rollout_ref: {rollout: {name: vllm}}\n"
LAUNCH = "python3 -m verl.trainer.main_ppo algorithm.adv_estimator=grpo actor_rollout_ref.rollout.name=vllm"
MEGATRON = f"{LAUNCH} actor_rollout_ref.actor.strategy=megatron actor_rollout_ref.model.path=Qwen/Qwen2.5-7B"
TRINITY = (
    "project: a\nname: b\ncheckpoint_root_dir: /ckpt\nmodel: {model_path: Qwen/Qwen2.5-7B}\n"
    "cluster: {node_num: 1, gpu_per_node: 8}\nalgorithm: {algorithm_type: grpo, repeat_times: 8}\n"
)
PYTHON = "from trl import GRPOConfig, GRPOTrainer\n"
MAKES = "args = GRPOConfig(num_generations=8, max_completion_length=64, seed={0})\nGRPOTrainer(model='m', args=args)\n"
PASSWORD = "password='"
ROLL = "rollout_batch_size: 8\nadv_estimator: grpo\npretrain: Qwen/Qwen2.5-7B\n"


@dataclass(frozen=True)
class Growing:
    """One way to ask for much: `make` gives the text, `suffix` says what kind of file it is."""

    suffix: str
    make: Callable[[int, random.Random], str]


def _times(unit: str, size: int) -> str:
    return unit * max(1, size // len(unit))


def _lines(line: Callable[[int], str], size: int) -> str:
    """Numbered lines until they are `size` bytes."""
    rows, length, number = [], 0, 0
    while length < size:
        rows.append(line(number))
        length += len(rows[-1])
        number += 1
    return "".join(rows)


def _word(chance: random.Random) -> str:
    return "".join(chance.choice("abcdeiklmnorstu_") for _ in range(chance.randint(4, 14))).strip("_") or "x"


def _tasksets(size: int) -> str:
    sets = _lines(lambda n: f"      - {{name: s{n}, path: /data/s{n}, split: train}}\n", size)
    return f"{TRINITY}buffer:\n  batch_size: 32\n  explorer_input:\n    tasksets:\n{sets}"


def _merging(size: int) -> str:
    """A loop that nothing decides, whose branches add to arrays: what may stand in them multiplies."""
    body = "for f in $(ls); do\n  for g in $(ls $f); do\n    if grep -q a $g; then A+=($f); continue; fi\n"
    body += "    if grep -q b $g; then A+=($g $f); continue; fi\n    A+=(x)\n  done\ndone\n"
    return f"A=()\n{_times(body, size)}{LAUNCH} data.train_files=${{A[0]}}\n"


def _array_doubles(size: int) -> str:
    lines = _times('A=("${A[@]}" "${A[@]}")\n', size)
    return f'A=(a b)\n{lines}{LAUNCH} "${{A[@]}}"\n'


def _deep_yaml(size: int) -> str:
    depth = max(1, int((2 * size) ** 0.5))  # an indented tree grows with the square of its depth
    return VERL + "".join(f"{' ' * n}k{n % 10}:\n" for n in range(depth)) + " " * depth + "v: 1\n"


def _interpolations(size: int) -> str:
    return f"{VERL}x0: a\n" + _lines(lambda n: f"x{n + 1}: ${{x{n}}}${{x{n}}}\n", size)


def _doubling_list(size: int) -> str:
    return f"{VERL}x0: a\n" + _lines(lambda n: f'x{n + 1}: ["${{x{n}}}", "${{x{n}}}"]\n', size)


def _aliases(size: int) -> str:
    return f"{VERL}x0: &a0 [1, 1]\n" + _lines(lambda n: f"x{n + 1}: &a{n + 1} [*a{n}, *a{n}]\n", size)


def _merge_keys(size: int) -> str:
    return f"{VERL}x0: &a0 {{k: 1}}\n" + _lines(lambda n: f"x{n + 1}: &a{n + 1} {{<<: *a{n}, k{n}: 1}}\n", size)


def _functions(size: int) -> str:
    return _lines(lambda n: f"f{n + 1}() {{ f{n}; f{n}; }}\n", size) + f"f{max(1, size // 24)}\n{LAUNCH}\n"


def _launches(size: int) -> str:
    return _lines(lambda n: f"{LAUNCH} data.seed={n}\n", size)


def _stages(size: int) -> str:
    return TRINITY + "stages:\n" + _lines(lambda n: f"  - {{stage_name: s{n}, mode: both}}\n", size)


def _unknown(chance: random.Random, size: int) -> str:
    return _lines(lambda n: f"{_word(chance)}_{n}: {n}\n", size)


CLASSES: dict[str, Growing] = {
    # what is said twice and again
    "interpolations of two each": Growing(".yaml", lambda n, _: _interpolations(n)),
    "lists of two each": Growing(".yaml", lambda n, _: _doubling_list(n)),
    "aliases of two each": Growing(".yaml", lambda n, _: _aliases(n)),
    "merge keys in a chain": Growing(".yaml", lambda n, _: _merge_keys(n)),
    "an array that doubles": Growing(".sh", lambda n, _: _array_doubles(n)),
    "a text that doubles": Growing(".sh", lambda n, _: "A=ab\n" + _times('A="$A$A"\n', n) + f"{LAUNCH} data.seed=$A\n"),
    "functions that call two each": Growing(".sh", lambda n, _: _functions(n)),
    "a loop with branches that add": Growing(".sh", lambda n, _: _merging(n)),
    # many of one kind
    "stages": Growing(".yaml", lambda n, _: _stages(n)),
    "task sets": Growing(".yaml", lambda n, _: _tasksets(n)),
    "a flow list": Growing(".yaml", lambda n, _: f"{VERL}data: {{train_files: [{_times('1,', n)}1]}}\n"),
    "a block list": Growing(".yaml", lambda n, _: f"{VERL}data:\n  train_files:\n" + _times("  - a\n", n)),
    "a list as an override": Growing(".sh", lambda n, _: f"{LAUNCH} data.train_files=[{_times('1,', n)}1]\n"),
    "a mapping as an override": Growing(".sh", lambda n, _: f"{LAUNCH} '+x={{{_lines(lambda i: f'k{i}: 1, ', n)}z: 1}}'\n"),
    "unknown keys": Growing(".yaml", lambda n, c: VERL + _unknown(c, n)),
    "unknown keys of Trinity-RFT": Growing(".yaml", lambda n, c: TRINITY + _unknown(c, n)),
    "unknown keys of ROLL": Growing(".yaml", lambda n, c: ROLL + _unknown(c, n)),
    "unknown overrides": Growing(".sh", lambda n, c: LAUNCH + _lines(lambda i: f" \\\n  data.{_word(c)}{i}={i}", n) + "\n"),
    "duplicate keys": Growing(".yaml", lambda n, _: VERL + _times("a: 1\n", n)),
    "duplicate overrides": Growing(".sh", lambda n, _: LAUNCH + _times(" \\\n  data.seed=1", n) + "\n"),
    "values of another type": Growing(".yaml", lambda n, _: f"{VERL}trainer:\n" + _lines(lambda i: f"  nnodes: {{a{i}: 1}}\n", n)),
    "launches": Growing(".sh", lambda n, _: _launches(n)),
    "variables": Growing(".sh", lambda n, _: _lines(lambda i: f"V{i + 1}=$V{i}\n", n) + f"{LAUNCH} data.seed=$V1\n"),
    "asked variables": Growing(".sh", lambda n, _: LAUNCH + _lines(lambda i: f" \\\n  +x.k{i}=$V{i}", n) + "\n"),
    "tokens": Growing(".sh", lambda n, _: f"{LAUNCH} '+a={_times('aB3dE6gH9jK2mN5pQ8sT_', n)}'\n"),
    "comments": Growing(".yaml", lambda n, _: VERL + _times("# nothing is said here\n", n)),
    "comments that silence": Growing(".yaml", lambda n, _: VERL + _times("a: 1  # rftconf: ignore[KEY001]\n", n)),
    "comments that silence nothing": Growing(".yaml", lambda n, _: VERL + _times("# rftconf: ignore[KEY001]\n", n)),
    "documents": Growing(".yaml", lambda n, _: VERL + _times("---\na: 1\n", n)),
    # long, deep, never closed
    "a closing bracket": Growing(".sh", lambda n, _: f"{_times(')', n)}\n{LAUNCH}\n"),
    "braces that open": Growing(".sh", lambda n, _: f"A=({_times('{', n)})\n{LAUNCH}\n"),
    "braces that close": Growing(".sh", lambda n, _: f"A=({_times('{a,', n)}{'}' * (n // 3)})\n{LAUNCH}\n"),
    "brackets in YAML": Growing(".yaml", lambda n, _: f"{VERL}a: {_times('[', n)}\n"),
    "quotes that open": Growing(".sh", lambda n, _: f"{LAUNCH} a={_times(chr(39) + chr(34), n)}\n"),
    "backslashes": Growing(".sh", lambda n, _: f"{LAUNCH} +a={chr(92) * n}\n"),
    "dollars": Growing(".sh", lambda n, _: f"{LAUNCH} +a={'$' * n}\n"),
    "substitutions that open": Growing(".sh", lambda n, _: f"A={_times('$(', n)}\n{LAUNCH}\n"),
    "parameters that open": Growing(".sh", lambda n, _: f"A={_times('${a:-', n)}\n{LAUNCH}\n"),
    "arithmetic that opens": Growing(".sh", lambda n, _: f"A=$(({_times('(', n)}1))\n{LAUNCH}\n"),
    "a sum": Growing(".sh", lambda n, _: f"{LAUNCH} data.seed=$((1{_times('+1', n)}))\n"),
    "interpolations that open": Growing(".yaml", lambda n, _: f"{VERL}a: '{_times('${', n)}'\n"),
    "here-documents that open": Growing(".sh", lambda n, _: f"{LAUNCH}\n" + _lines(lambda i: f"cat <<E{i}\n", n)),
    "a key of dots": Growing(".sh", lambda n, _: f"{LAUNCH} +{_times('a.', n)}b=1\n"),
    "keys below each other": Growing(".yaml", lambda n, _: _deep_yaml(n)),
    "a line": Growing(".sh", lambda n, _: f"{LAUNCH} data.train_files={'a' * n}\n"),
    "a block of text": Growing(".yaml", lambda n, _: f"{VERL}a: |\n" + _times("  words that say nothing\n", n)),
    "redirections": Growing(".sh", lambda n, _: f"{_times('>', n)}\n{LAUNCH}\n"),
    "redirections with numbers": Growing(".sh", lambda n, _: f"{_times('2>&', n)}\n{LAUNCH}\n"),
    "here-strings": Growing(".sh", lambda n, _: f"{_times('<<<', n)}\n{LAUNCH}\n"),
    "commands joined by ||": Growing(".sh", lambda n, _: f"{_times('a||', n)}a\n{LAUNCH}\n"),
    "commands joined by && and ||": Growing(".sh", lambda n, _: f"{_times('a&&b||', n)}a\n{LAUNCH}\n"),
    "commands in the background": Growing(".sh", lambda n, _: f"{_times('a&', n)}\n{LAUNCH}\n"),
    "commands in a row": Growing(".sh", lambda n, _: f"{_times('a;', n)}\n{LAUNCH}\n"),
    "empty lines": Growing(".txt", lambda n, _: _times("\n", n)),
    "blank lines": Growing(".txt", lambda n, _: _times(" \n", n) + "a: 1\n"),
    "blanks in a resolver": Growing(".yaml", lambda n, _: f"{VERL}a: '${{oc.env:X,b{' ' * n}c}}'\n"),
    "blanks in an override": Growing(".sh", lambda n, _: f"{LAUNCH} '+a=[b{' ' * n}c]'\n"),
    "brackets in an interpolation": Growing(".yaml", lambda n, _: f"{VERL}a: '${{b{_times('[', n)}}}'\n"),
    "brackets in a pattern": Growing(".sh", lambda n, _: f"X=ab\nY=${{X/{_times('[', n)}/b}}\n{LAUNCH} data.seed=$Y\n"),
    "brackets in a case": Growing(".sh", lambda n, _: f"case $X in {_times('[', n)}) N=1;; esac\n{LAUNCH} data.seed=$N\n"),
    "parentheses in a test": Growing(".sh", lambda n, _: f'if [ "$X" = "{_times("(", n)}" ]; then N=1; fi\n{LAUNCH} data.seed=$N\n'),
    "a word before a parenthesis": Growing(".sh", lambda n, _: f"{_times('a.', n)}\n{LAUNCH}\n"),
    # what is looked through for credentials
    "lists of passwords": Growing(".sh", lambda n, _: _times(f"PASSWORD=({'-' * min(8000, n)}\")\n", n) + f"{LAUNCH}\n"),
    "lists of passwords in lists": Growing(".sh", lambda n, _: f"{_times('PASSWORD=(a ', n)})\n{LAUNCH}\n"),
    "blanks behind passwords": Growing(".yaml", lambda n, _: f"{VERL}a: |\n" + _times(f"  password{' ' * 4000}\n", n)),
    "passwords that open": Growing(".sh", lambda n, _: f"{LAUNCH} +a={_times(PASSWORD, n)}\n"),
    "passwords in YAML that open": Growing(".yaml", lambda n, _: f"{VERL}a: {_times(PASSWORD, n)}\n"),
    "passwords in comments": Growing(".sh", lambda n, _: _times(f"# {PASSWORD}\n", n) + f"{LAUNCH}\n"),
    "passwords": Growing(".sh", lambda n, _: _lines(lambda i: f"export A{i}_PASSWORD=word{i}word\n", n) + f"{LAUNCH}\n"),
    "passwords in YAML": Growing(".yaml", lambda n, _: VERL + _lines(lambda i: f"a{i}_password: word{i}word\n", n)),
    "keys below a password": Growing(".yaml", lambda n, _: f"{VERL}password:\n" + _lines(lambda i: f"  word{i}word:\n", n)),
    "parts of a password": Growing(
        ".sh", lambda n, _: f"P={'ab' * 50}\nexport DB_PASSWORD=$P\n" + _lines(lambda i: f"A+=${{DB_PASSWORD:{i % 90}}}\n", n) + f"{LAUNCH}\n"
    ),
    "elements of XML": Growing(".sh", lambda n, _: f"cat << E\n{_times('<password>', n)}\nE\n{LAUNCH}\n"),
    # numbers and patterns
    "a number in base 60": Growing(".yaml", lambda n, _: f"{VERL}data: {{train_batch_size: 1{_times(':10', n)}}}\n"),
    "a number of digits": Growing(".sh", lambda n, _: f"N={'9' * n}\n{LAUNCH} data.seed=$((N + 1))\n"),
    "pipeline stages": Growing(".sh", lambda n, _: f"{MEGATRON} actor_rollout_ref.actor.megatron.pipeline_model_parallel_size={n}\n"),
    "nodes": Growing(".sh", lambda n, _: f"{MEGATRON} trainer.nnodes={n}\n"),
    "devices": Growing(".yaml", lambda n, _: f"{ROLL}actor_train:\n  device_mapping: list(range(0,{n}))\n"),
    "a range": Growing(".sh", lambda n, _: f"for i in {{1..{n}}}; do A+=($i); done\n{LAUNCH} data.seed=${{A[5]}}\n"),
    "a pattern that backtracks": Growing(
        ".sh", lambda n, _: f"X={'a' * n}\nif [[ $X == +(a|aa)+(a|aa)b ]]; then N=1; fi\n{LAUNCH} data.seed=$N\n"
    ),
    "stars": Growing(".sh", lambda n, _: f"X={'a' * n}\nY=${{X/{'*a' * 50}b/}}\n{LAUNCH} data.seed=$Y\n"),
}  # fmt: skip


_PYTHON: dict[str, Callable[[int, random.Random], str]] = {
    "brackets in Python": lambda n, _: f"x = {_times('(', n)}\n{MAKES.format(1)}",
    "signs in Python": lambda n, _: f"x = {_times('-', n)}1\n{MAKES.format(1)}",
    "attributes in Python": lambda n, _: f"x = a{_times('.b', n)}\n{MAKES.format(1)}",
    "branches in Python": lambda n, _: (
        f"if a:\n  pass\n{_times('elif a:' + chr(10) + '  pass' + chr(10), n)}{MAKES.format(1)}"
    ),
    "undecided branches in Python": lambda n, _: (
        _lines(lambda i: f"if f({i}):\n  a{i} = {i}\n", n) + MAKES.format("a1")
    ),
    "functions of two calls in Python": lambda n, _: (
        "def f0(): return 1\n" + _lines(lambda i: f"def f{i + 1}(): return f{i}() + f{i}()\n", n) + MAKES.format("f9()")
    ),
    "texts that double in Python": lambda n, _: f"a = 'ab'\n{_times('a = a + a' + chr(10), n)}{MAKES.format('a')}",
    "lists of two each in Python": lambda n, _: f"a = []\n{_times('a = [a, a]' + chr(10), n)}{MAKES.format('a')}",
    "mappings of two each in Python": lambda n, _: (
        f"a = {{}}\n{_times('a = dict(b=a, c=a)' + chr(10), n)}{MAKES.format('a')}"
    ),
    "numbers in Python": lambda n, _: f"x = {_times('9', n)}\n{MAKES.format('x')}",
    "quotes in Python": lambda n, _: f"x = {_times(chr(39) * 3 + chr(34) * 3, n)}\n{MAKES.format(1)}",
    "a formatted text in Python": lambda n, _: f"x = f'{_times('{a}', n)}'\n{MAKES.format('x')}",
    "statements in Python": lambda n, _: f"{_times('x = 1' + chr(10), n)}{MAKES.format('x')}",
    "configs in Python": lambda n, _: _lines(lambda i: MAKES.format(i), n),
    "literals in Python": lambda n, _: (
        _lines(lambda i: f"a{i} = 'b{i}'\n", n // 2)
        + _lines(lambda i: f"API_KEY = 'a8Kd02mZq8{i}'\n", n // 2)
        + MAKES.format(1)
    ),
    "arguments in Python": lambda n, c: f"args = GRPOConfig({_lines(lambda i: f'{_word(c)}_{i}={i}, ', n)})\n",
}


def _in_python(make: Callable[[int, random.Random], str]) -> Growing:
    """A class of launchers in Python: the imports, then what `make` gives."""
    return Growing(".py", lambda size, chance: PYTHON + make(size, chance))


CLASSES |= {name: _in_python(make) for name, make in _PYTHON.items()}


def text_of(name: str, size: int, seed: int = 0) -> str:
    """The file of one class, of about `size` bytes."""
    return CLASSES[name].make(size, random.Random(seed))
