"""Fixes over real and made configs: what is not fixed stays byte for byte, twice is once, and nothing breaks."""

from __future__ import annotations

import difflib
import json
import shlex
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from rftconf.base.diagnostics import Diagnostic, Fix, Severity
from rftconf.base.patch import Patch
from rftconf.base.record import record
from rftconf.lint import engine, fixing
from rftconf.lint.rule import roll, trinity
from rftconf.text.document import Document
from rftconf.text.read.read import read
from rftconf.text.source import Source
from tests.lint.bases import as_yaml
from tests.sources import CORPUS, ROOT

GOLDEN = sorted([*(ROOT / "golden" / "convert").glob("*/input.*")])


def corpus() -> list[tuple[str, str]]:
    if not CORPUS.is_dir():
        return []
    files = [file for of in ("trinity", "roll", "chatlearn") for file in sorted((CORPUS / of).rglob("*.yaml"))]
    yaml = [(file.name, file.read_text()) for file in files]
    lines = (CORPUS / "verl_argv" / "v0.6.1.jsonl").read_text().splitlines()[::6]
    scripts = [
        (
            f"{number}.sh",
            "python3 -m verl.trainer.main_ppo \\\n  "
            + " \\\n  ".join(map(shlex.quote, json.loads(x)["overrides"]))
            + "\n",
        )
        for number, x in enumerate(lines)
    ]
    return [*yaml, *scripts]


def fixed(name: str, text: str) -> tuple[fixing.Fixed, list[Diagnostic]]:
    def again(changed: str) -> tuple[Document, list[Diagnostic]]:
        document = read(Source(name, changed))
        return document, engine.check(document)

    document, diagnostics = again(text)
    return fixing.fix(document, diagnostics, again, unsafe=True), diagnostics


@record
class Outcome:
    """What came of a text: how many findings were fixed, and which promises were broken."""

    made: int
    broken: tuple[str, ...]


def outcome(name: str, text: str) -> Outcome:
    """Fix a text; each promise has a sentence for where it is broken."""
    done, before_fixes = fixed(name, text)
    # the same text gives the same answer, so what nothing was fixed in is not asked about again
    again, after_fixes = fixed(name, done.text) if done.text != text else (done, before_fixes)
    result = {(d.code, d.message) for d in done.made}
    before, after = text.splitlines(), done.text.splitlines()
    changed = sum(line[:2] in ("- ", "+ ") for line in difflib.ndiff(before, after))
    promises = {
        "a finding that was fixed is still there": not result & {(d.code, d.message) for d in done.left},
        "the text changed where nothing was fixed, or did not where something was": (done.text != text) == bool(result),
        "a second run changes more": again.text == done.text,
        "a comment is another one": comments(before) == comments(after),
        "more lines changed than fixes explain": changed <= 6 * len(done.made),
        "the text cannot be read any more": read(Source(name, done.text)).readable
        or not read(Source(name, text)).readable,
        "a value refers to what a fix took out": unresolved(after_fixes) <= unresolved(before_fixes),
    }
    return Outcome(len(done.made), tuple(sentence for sentence, holds in promises.items() if not holds))


def comments(lines: list[str]) -> list[str]:
    return [line.strip() for line in lines if line.strip().startswith("#")]


def unresolved(diagnostics: list[Diagnostic]) -> set[str]:
    return {d.message for d in diagnostics if d.code == "SYN402"}


@cache
def of_file(path: Path) -> Outcome:
    return outcome(path.name, path.read_text())


@pytest.mark.parametrize("path", GOLDEN, ids=[path.parent.name for path in GOLDEN])
def test_golden_inputs(path: Path) -> None:
    assert of_file(path).broken == ()


def test_golden_inputs_have_something_to_fix() -> None:
    """Else the test above would hold of a program that fixes nothing."""
    assert sum(of_file(path).made > 0 for path in GOLDEN) >= len(GOLDEN) // 4


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus of upstream examples is not beside the project")
def test_the_corpus() -> None:
    outcomes = {name: outcome(name, text) for name, text in corpus()}
    assert {name: new_outcome.broken for name, new_outcome in outcomes.items() if new_outcome.broken} == {}
    assert sum(new_outcome.made for new_outcome in outcomes.values()) > 50


def test_crlf_quotes_and_comments_stay() -> None:
    text = "#!/bin/bash\r\npython3 -m verl.trainer.main_ppo \\\r\n  'data.val_batch_size=8' \\\r\n  \"trainer.nnodes=1\"\r\n# end\r\n"
    done, _ = fixed("run.sh", text)
    assert "val_batch_size" not in done.text
    assert done.text.count("\r\n") >= 4
    assert '"trainer.nnodes=1"' in done.text


def test_what_another_value_refers_to_is_not_taken_out() -> None:
    """Nothing reads `reward_pretrain` without a critic, but a reward worker may take it."""
    text = as_yaml(roll("reward_pretrain=/models/judge"))
    assert "reward_pretrain" not in fixed("run.yaml", text)[0].text
    taken = text.replace("worker_cls:", "model_args: {model_name_or_path: '${reward_pretrain}'}\n    worker_cls:", 1)
    assert "\nreward_pretrain: /models/judge\n" in f"\n{fixed('run.yaml', taken)[0].text}"


def test_a_name_is_corrected_before_anything_is_added() -> None:
    """`repeat_times` seems to be missing only because it is misspelt: it must not stand there twice."""
    good = as_yaml(trinity())
    done, _ = fixed("run.yaml", good.replace("repeat_times", "repeat_tmes"))
    assert done.text == good
    pair = good.replace("  repeat_times: 8\n", "  repeat_times: 8\n  repeat_tmes: 4\n")
    assert fixed("run.yaml", pair)[0].text == pair


@pytest.mark.parametrize(("engine_words", "cap"), [
    ("--config-name=ppo_megatron_trainer actor_rollout_ref.actor.megatron.context_parallel_size=2", 4096),
    ("actor_rollout_ref.actor.ulysses_sequence_parallel_size=4", 2048),
])  # fmt: skip
def test_a_token_budget_is_for_the_gpus_that_share_a_sequence(engine_words: str, cap: int) -> None:
    """8192 tokens of a sequence lie on Ulysses' GPUs, or on Megatron's context-parallel ones."""
    key = "actor_rollout_ref.actor.ppo_max_token_len_per_gpu"
    lengths = "data.max_prompt_length=2048 data.max_response_length=6144 actor_rollout_ref.actor.use_dynamic_bsz=True"
    text = f"python3 -m verl.trainer.main_ppo {engine_words} {lengths} {key}=512\n"
    assert f"{key}={cap}" in fixed("run.sh", text)[0].text


def test_every_finding_has_a_place() -> None:
    inputs = [(path.name, path.read_text()) for path in GOLDEN] + corpus()
    total = 0
    for name, text in inputs:
        for diagnostic in engine.check(read(Source(name, text))):
            total += 1
            assert diagnostic.place is not None, diagnostic
            assert diagnostic.place.file == name
            span = diagnostic.place.span
            assert 0 <= span.start <= span.end <= len(text)
            assert text.count("\n", 0, span.start) + 1 == span.line
            assert span.start - (text.rfind("\n", 0, span.start) + 1) + 1 == span.col
            assert all(label.place.span.line >= 1 for label in diagnostic.related)
    assert total > 100


def test_a_fix_that_brings_up_an_error_is_not_made() -> None:
    """One rule takes any switch for on, another only `true`: what the one calls idle, the other needs."""
    text = as_yaml(trinity())
    document = read(Source("run.yaml", text))
    line = next(line for line in text.splitlines(keepends=True) if "repeat_times" in line)
    position = text.index(line)
    fix = Fix("delete it", (Patch(document.leaves[0].place.span, ""),), safe=True)
    patch = replace(fix.patches[0].span, start=position, end=position + len(line))
    idle = Diagnostic("KEY011", Severity.WARNING, "idle", key="algorithm.repeat_times")
    chance = replace(idle, fix=replace(fix, patches=(Patch(patch, ""),), safe=False))

    def again(changed: str) -> tuple[Document, list[Diagnostic]]:
        return read(Source("run.yaml", changed)), [Diagnostic("GPU005", Severity.ERROR, "missing")]

    assert fixing.attempt(document, [chance], chance, again) is None
    error = replace(chance, severity=Severity.ERROR)
    assert fixing.attempt(document, [error], error, again) is not None


def test_what_one_fix_makes_possible_is_made_in_the_same_run() -> None:
    """The order in which findings come decides nothing: a fix that was refused is tried again after another."""
    text = as_yaml(trinity())
    document = read(Source("run.yaml", text))
    diagnostics = engine.check(document)
    assert not [d for d in diagnostics if d.fix and d.fix.safe]
    state = {"second": False}
    span = document.leaves[0].place.span

    def chance(code: str, word: str) -> Diagnostic:
        mark = Patch(replace(span, start=0, end=0), f"# {word}\n")
        return Diagnostic(code, Severity.WARNING, code, fix=Fix(word, (mark,), safe=False))

    def again(changed: str) -> tuple[Document, list[Diagnostic]]:
        fresh = read(Source("run.yaml", changed))
        diagnostics = [
            chance(code, word) for code, word in (("AAA001", "one"), ("BBB001", "two")) if f"# {word}" not in changed
        ]
        error = (
            [Diagnostic("CCC001", Severity.ERROR, "not yet")] if "# one" in changed and "# two" not in changed else []
        )
        state["second"] = state["second"] or bool(error)
        return fresh, [*diagnostics, *error]

    done = fixing.fix(document, again(text)[1], again, unsafe=True)
    assert state["second"]
    assert [d.code for d in done.made] == ["BBB001", "AAA001"]


def test_a_long_file_says_that_fixes_are_left() -> None:
    """Each fix reads the file again, so that in a long one some stay for another time."""
    words = "trainer.nnodes=1.0 trainer.n_gpus_per_node=8.0 data.train_batch_size=64.0"
    short = f"python3 -m verl.trainer.main_ppo algorithm.adv_estimator=grpo {words}\n"
    alone = fixed("a.sh", short)[0]
    assert alone.all_tried
    long = fixed("a.sh", "# nothing is said here\n" * 8_000 + short)[0]
    assert len(long.made) < len(alone.made)
    assert not long.all_tried


def test_a_fix_writes_the_frameworks_own_word_for_a_value_of_the_plan() -> None:
    """No limit is -1 to vLLM and to veRL, and 0 to TRL's GRPOConfig, whose transformers model takes no -1."""
    text = "model_name_or_path: m\nnum_generations: 8\nreward_funcs: [accuracy_reward]\ntop_k: 50\n"
    document = read(Source("grpo.yaml", text))
    (finding,) = (d for d in engine.check(document, engine.Options(framework="trl")) if d.code == "SMP002")
    assert finding.fix is not None
    assert finding.fix.title == "set top_k to 0"
    assert [patch.text for patch in finding.fix.patches] == ["0"]
