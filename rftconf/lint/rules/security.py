"""Secrets in configs, and code that a config lets in. Values of secrets are never shown."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rftconf.lint.rule import ERROR, INFO, WARNING, Family, Findings, Found, Put, found, verl
from rftconf.lint.subject import Subject
from rftconf.text.span import LineIndex, Place

FAMILY = Family("SEC")
rule = FAMILY.rule
_ASSIGNED = re.compile(
    r"""(?ix)(api[_-]?key|access[_-]?key|secret(?:[_-]?key)?|password|passwd|private[_-]?key
    |(?:hf|auth|access|wandb|github|gitlab|hugging_?face(?:_hub)?)[_-]?token)
    ["']?\s*[=:]\s*["']?([^\s"'$<>{}()\[\],;#\\]{8,})"""
)
_SHAPED = re.compile(
    r"\b(?:sk-(?:proj-|ant-)?[A-Za-z0-9_]{16,}|hf_[A-Za-z0-9]{20,}|gh[pousr]_[A-Za-z0-9]{20,}|AKIA[A-Z0-9]{12,}"
    r"|xox[abp]-[\w-]{10,}|glpat-[\w-]{12,})"
)
_OWNERS = ("hf", "auth", "access", "wandb", "github", "gitlab", "face", "hub")
_NAMING = ("secret", "passw", *(f"{of}{dash}key" for of in ("api", "access", "private") for dash in ("", "_", "-")),
           *(f"{of}{dash}token" for of in _OWNERS for dash in ("", "_", "-")))  # fmt: skip
_BEFORE, _BEHIND = 16, 4096
"""Characters of a match before such a letter group begins, and how far its value may reach."""
_SHAPES = ("sk-", "hf_", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "AKIA", "xox", "glpat-")
"""Every match of the two patterns above contains one of these."""
_PLACEHOLDER = re.compile(
    r"(?i)your|xxx|example|placeholder|changeme|dummy|fake|none|null|empty|to-?be|\.\.\.|\*\*\*|/"
)
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
    document = s.document
    text, told = document.text, set[int]()
    spans = list(_assigned(text))
    spans += [(m.start(), m.end(), "") for m in _SHAPED.finditer(text)] if any(w in text for w in _SHAPES) else []
    lines = LineIndex(text if spans else "")
    for start, end, name in sorted(spans):
        if start in told or (name and _PLACEHOLDER.search(document.text[start:end])):
            continue
        told.add(start)
        what = f"{name} is set to a secret" if name else "this looks like a secret"
        yield Found(what, (), place=Place(document.name, lines.span(start, end)))


def _assigned(text: str) -> Iterator[tuple[int, int, str]]:
    """Start and end of values that names of secrets are set to, with the whole name that ends so."""
    for hit in _hits(text):
        start = hit.start()
        while start and (text[start - 1] in "_." or text[start - 1].isalnum()):
            start -= 1
        yield hit.start(2), hit.end(2), text[start : hit.end(1)]


def _hits(text: str) -> Iterator[re.Match[str]]:
    """Every match, looked for only where a part of a name stands: most files have none, and finding that out is cheap."""
    lower, seen = text.lower(), 0
    if len(lower) != len(text):  # some letters become two
        yield from _ASSIGNED.finditer(text)
        return
    for near in sorted(at for word in _NAMING for at in _all_of(word, lower)):
        hit = _ASSIGNED.search(text, max(near - _BEFORE, seen), near + _BEHIND)
        if hit is not None:
            seen = hit.end()
            yield hit


def _all_of(word: str, text: str) -> Iterator[int]:
    """Where `word` stands in `text`."""
    at = text.find(word)
    while at >= 0:
        yield at
        at = text.find(word, at + 1)


@rule(
    2, WARNING, "code of the model's author",
    bad=verl("actor_rollout_ref.model.trust_remote_code=True"), good=verl("actor_rollout_ref.model.trust_remote_code=False"),
    advice="false, unless the model needs it and you have read its code", source="transformers; MAPPING 13", fixable=True,
)  # fmt: skip
def _remote_code(s: Subject) -> Findings:
    """Python files from the model's repository run on every node, with everything your environment holds."""
    name = "model.trust_remote_code"
    if s.value(name) is True and s.written(name):
        yield found(f"{s.says(name)} runs code from the model's repository", name, fix=Put(name, value=False))


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
            yield found(f"{key}={got} is imported and run", key)


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
            yield found(f"{key} is reached without encryption", key, fix=Put(key, "https" + got.removeprefix("http")))


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
            yield found(f"{key} is fetched and run", key)
