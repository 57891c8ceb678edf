"""Secrets in configs, and code that a config lets in. Values of secrets are never shown."""

from __future__ import annotations

import re
from functools import lru_cache

from rftconf.base.secrets.assigned_values import assignments
from rftconf.base.secrets.detection import secret_spans
from rftconf.base.span import LineIndex, Place
from rftconf.lint.rule import ERROR, INFO, WARNING, Family, Findings, Put, RuleFinding, finding, verl
from rftconf.lint.subject import Subject
from rftconf.text.python.literals import literals_of

FAMILY = Family("SEC")
rule = FAMILY.rule
_PLACEHOLDER = re.compile(
    r"(?i)your|xxx|example|placeholder|changeme|dummy|fake|none|null|empty|(?P<same>.)(?P=same){5}|to-?be|\.\.\.|\*\*\*|/"
)
_SHORTEST = 8
"""Characters of a value that is called a secret for its name alone; prose has shorter words there."""
LOCAL = (
    "http://localhost",
    "http://127.",
    "http://0.0.0.0",
    "http://10.",
    "http://192.168.",
    "http://172.",
    "http://[",
)


@rule(
    1, ERROR, "a secret in the file",
    bad=verl(script="export WANDB_API_KEY=0123456789abcdef0123456789abcdef01234567\n"), good=verl(script="export WANDB_API_KEY=$WANDB_API_KEY\n"),
    advice="revoke it, and take it from the environment", source="alibaba/ROLL#159: a config pasted with its key",
)  # fmt: skip
def _secret(s: Subject) -> Findings:
    """Whoever can read the repository can use it, and history keeps it after it is deleted. Comments count as well. The
    value is not repeated here."""
    text = literals_of(s.document.text) if s.document.form == "python" else s.document.text
    spans, names = _secrets(text)
    lines = LineIndex(text if spans else "")
    for start, end in spans:
        name = names.get(start, "")
        if name and (end - start < _SHORTEST or _PLACEHOLDER.search(text[start:end])):
            continue
        what = f"{name} is set to a secret" if name else "this looks like a secret"
        yield RuleFinding(what, (), place=Place(s.document.name, lines.span(start, end)))


@lru_cache(maxsize=2)
def _secrets(text: str) -> tuple[list[tuple[int, int]], dict[int, str]]:
    """Return the spans of secrets in a text, and the names they are given to; each stage of a config asks for it."""
    spans = secret_spans(text)
    return spans, {start: name for start, _, name in assignments(text)} if spans else {}


@rule(
    2, WARNING, "code of the model's author",
    bad=verl("actor_rollout_ref.model.trust_remote_code=True"), good=verl("actor_rollout_ref.model.trust_remote_code=False"),
    advice="false, unless the model needs it and you have read its code", source="transformers", fixable=True,
)  # fmt: skip
def _remote_code(s: Subject) -> Findings:
    """Python files from the model's repository run on every node, with everything your environment holds."""
    name = "model.trust_remote_code"
    if s.value(name) is True and s.written(name):
        yield finding(f"{s.says(name)} runs code from the model's repository", name, fix=Put(name, value=False))


@rule(
    3, WARNING, "code from a folder that anyone may write to",
    bad=verl("reward.custom_reward_function.path=/tmp/score.py"), good=verl("reward.custom_reward_function.path=/code/score.py"),
    advice="keep it in the repository", source="rftconf: files under /tmp",
)  # fmt: skip
def _world_writable(s: Subject) -> Findings:
    """The file is imported and run. In /tmp anyone on the machine can put another one there, and it is gone after a
    restart."""
    for key, leaf in list(s.leaves.items()):
        got = leaf.value
        if isinstance(got, str) and got.startswith(("/tmp/", "/var/tmp/", "/dev/shm/")) and got.endswith(".py"):  # noqa: S108
            yield finding(f"{key}={got} is imported and run", key)


@rule(
    4, INFO, "an unencrypted endpoint",
    bad=verl("reward.sandbox_fusion.url=http://sandbox.example.org/run"), good=verl("reward.sandbox_fusion.url=https://sandbox.example.org/run"),
    advice="use https", source="rftconf: http to a public host", fixable=True,
)  # fmt: skip
def _plain_http(s: Subject) -> Findings:
    """Prompts, answers and keys cross the network readable, and answers can be changed on the way."""
    for key, leaf in list(s.leaves.items()):
        got = leaf.value
        if (
            isinstance(got, str)
            and got.startswith("http://")
            and not got.startswith(LOCAL)
            and "." in got.split("/")[2]
        ):
            yield finding(f"{key} is reached without encryption", key, fix=Put(key, "https" + got.removeprefix("http")))


@rule(
    5, INFO, "code that no commit names",
    bad=verl("data.custom_cls.path=https://example.org/dataset.py"), good=verl("data.custom_cls.path=/code/dataset.py"),
    advice="copy it into the repository", source="rftconf: remote code",
)  # fmt: skip
def _remote_file(s: Subject) -> Findings:
    """Code that is fetched when the run starts may be another one tomorrow, and runs with all your rights."""
    for key, leaf in list(s.leaves.items()):
        got = leaf.value
        if isinstance(got, str) and "://" in got and got.split("?")[0].endswith(".py"):
            yield finding(f"{key} is fetched and run", key)
