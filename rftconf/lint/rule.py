"""A rule is one declaration with its code, its reason, its examples and the function that finds it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from rftconf.base.diagnostics import Severity

if TYPE_CHECKING:
    from rftconf.base.span import Place
    from rftconf.lint.subject import Subject

ERROR, WARNING, INFO = Severity.ERROR, Severity.WARNING, Severity.INFO


@dataclass(frozen=True, slots=True)
class Put:
    """Give `key` (a native key or a plan field) the native value `value`; it is added where it is not written."""

    key: str
    value: object


@dataclass(frozen=True, slots=True)
class Drop:
    """Take `key` out."""

    key: str


@dataclass(frozen=True, slots=True)
class Rename:
    """Write the value of `key` under the native key `new`."""

    key: str
    new: str


Change: TypeAlias = Put | Drop | Rename


@dataclass(frozen=True, slots=True)
class RuleFinding:
    """One thing a rule found: a sentence, and the keys it speaks of; the first that the file writes gives the place."""

    message: str
    keys: tuple[str, ...]
    help: str = ""
    fix: tuple[Change, ...] = ()
    safe: bool = False
    """True where the run stays the same, or where it could not start at all."""
    place: Place | None = None
    """Where no key stands for it."""
    severity: Severity | None = None
    """Where it is not the rule's own, because a release decides how bad it is."""


Findings: TypeAlias = Iterator[RuleFinding]


def finding(
    message: str,
    *keys: str,
    help: str = "",  # noqa: A002 -- as in Diagnostic
    fix: Change | tuple[Change, ...] = (),
    safe: bool = False,
    severity: Severity | None = None,
) -> RuleFinding:
    """A finding at `keys`, the most telling one first."""
    return RuleFinding(message, keys, help, fix if isinstance(fix, tuple) else (fix,), safe, None, severity)


@dataclass(frozen=True, slots=True)
class Example:
    """Lines `key=value` for one framework, on top of a config that is fine. `~key` takes a key out of that config.

    `script` is shell text in front of the command; an example with it is a launch script only. `gpu` is what the project
    says that its machines have.
    """

    framework: str
    lines: tuple[str, ...]
    release: str | None = None
    script: str = ""
    gpu: str = ""


def verl(*lines: str, release: str | None = None, script: str = "", gpu: str = "") -> Example:
    """An example as veRL overrides."""
    return Example("verl", lines, release, script, gpu)


def trinity(*lines: str, release: str | None = None, gpu: str = "") -> Example:
    """An example for Trinity-RFT, shown as YAML."""
    return Example("trinity", lines, release, gpu=gpu)


def chatlearn(*lines: str, release: str | None = None) -> Example:
    """An example for ChatLearn, shown as YAML."""
    return Example("chatlearn", lines, release)


def roll(*lines: str, release: str | None = None) -> Example:
    """An example for ROLL, shown as YAML."""
    return Example("roll", lines, release)


def trl(*lines: str, release: str | None = None) -> Example:
    """An example for TRL, shown as YAML."""
    return Example("trl", lines, release)


def openrlhf(*lines: str, release: str | None = None) -> Example:
    """An example for OpenRLHF, shown as flags."""
    return Example("openrlhf", lines, release)


def nemo_rl(*lines: str, release: str | None = None) -> Example:
    """An example for NeMo-RL, shown as overrides."""
    return Example("nemo_rl", lines, release)


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule. `source` names the code, the hazard or the thread that it comes from; `advice` says what to do.

    `frameworks` is empty where the rule holds for every framework; `since` and `until` bound the releases.
    """

    code: str
    severity: Severity
    title: str
    why: str
    bad: Example
    good: Example
    advice: str
    source: str
    find: Callable[[Subject], Findings]
    frameworks: tuple[str, ...] = ()
    since: str = ""
    until: str = ""
    fixable: bool = False


class Family:
    """The rules of one family, in the order written."""

    def __init__(self, name: str, frameworks: tuple[str, ...] = ()) -> None:
        self.name = name
        self.frameworks = frameworks
        self.rules: list[Rule] = []

    def rule(
        self,
        number: int,
        severity: Severity,
        title: str,
        *,
        bad: Example,
        good: Example,
        advice: str,
        source: str,
        frameworks: tuple[str, ...] | None = None,
        since: str = "",
        until: str = "",
        fixable: bool = False,
    ) -> Callable[[Callable[[Subject], Findings]], Callable[[Subject], Findings]]:
        """Declare the function below as a rule; its docstring says why it matters."""

        def declare(find: Callable[[Subject], Findings]) -> Callable[[Subject], Findings]:
            code = f"{self.name}{number:03d}"
            why = " ".join((find.__doc__ or "").split())
            only = self.frameworks if frameworks is None else frameworks
            self.rules.append(
                Rule(code, severity, title, why, bad, good, advice, source, find, only, since, until, fixable)
            )
            return find

        return declare
