"""Decisions as questions: what can be answered, what each answer does, and what an answer is given to.

A decision's choices are written for people (see `Decision`). Here they are read as answers: an option of the command
line, a value of a target key, or `keep` for what is written already. What is only advice stays advice.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Literal, TypeAlias

from rftconf.base.ledger import Decision, Ledger
from rftconf.base.record import record
from rftconf.base.symbols import Value
from rftconf.convert.questions.open_values import holds_missing
from rftconf.schemas import catalogue, registry

To: TypeAlias = Literal["set", "assume", "rows", "rollout-gpus", "layout", "args", "key", "keep"]
KEEP = "keep"
KEPT: To = "keep"
OF_KEY = "a value for "
"""How a choice begins that any value of the key is."""
"""The answer that leaves what is written as it is."""
_OPTION = re.compile(r"(?:(?:or|pass) )?--(set|assume|rows|rollout-gpus|layout|args)[ =](\S+?)(?::? (.*))?", re.DOTALL)
_WORD = re.compile(r"([\w./@+-]+)(?:: (.*))?", re.DOTALL)
_FREE = {"set": "text", "assume": "text", "rows": "integer", "rollout-gpus": "integer", "args": "text"}


@record
class Answer:
    """The target of an answer: an option of the command line (with a name, for `set` and `assume`), or a key."""

    to: To
    name: str
    value: Value


@record
class Choice:
    """One answer, what it does, and what it is given to."""

    answer: str
    does: str
    to: To
    name: str = ""

    @property
    def flag(self) -> str:
        """Return the command-line option that says the same without a file of answers; empty for `keep`."""
        return _flag(self.to, self.name, self.answer)


@record
class Question:
    """A decision that a file of answers can settle.

    `takes` is the kind of any other answer (`text`, `integer`, `number`) and `to` with `name` what that is given to;
    empty where one of the choices is the answer. `advice` is what there is to do by hand.
    """

    name: str
    why: str
    has: str
    now: str
    choices: tuple[Choice, ...]
    takes: str = ""
    to: To = "keep"
    subject: str = ""
    advice: tuple[str, ...] = ()

    def effect_of_answer(self, value: Value) -> Answer | None:
        """Return the effect of an answer; None for one that the question does not take."""
        text = str(value).lower() if isinstance(value, bool) else str(value)
        for choice in self.choices:
            if choice.answer == text:
                return Answer(choice.to, choice.name, value)
        return Answer(self.to, self.subject, value) if self.takes and _fits(value, self.takes) else None

    @property
    def flag(self) -> str:
        """Return the command-line option for any other answer without a file of answers; empty where none is taken."""
        return _flag(self.to, self.subject, "...") if self.takes else ""


def _flag(to: To, name: str, value: str) -> str:
    if to in ("set", "assume"):
        return f"--{to} {name}={value}"
    return f"{name}: {value}" if to == "key" else "" if to == KEEP else f"--{to} {value}"


def _fits(value: Value, takes: str) -> bool:
    if takes == "integer":
        return isinstance(value, int) and not isinstance(value, bool)
    if takes == "number":
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    return value is not None and value != "" and not isinstance(value, dict)


def questions_of(ledger: Ledger, decisions: tuple[Decision, ...] | None = None) -> tuple[Question, ...]:
    """A question for each decision of a ledger, in its order."""
    decisions_asked = ledger.decisions if decisions is None else decisions
    return tuple(_question(decision, ledger) for decision in decisions_asked)


def _question(decision: Decision, ledger: Ledger) -> Question:
    lines = places_of(decision.key, ledger)
    choices, advice, free = list[Choice](), list[str](), dict[To, str]()
    for text in decision.choices:
        listed_choices = list(_choices(text, decision.key if lines else "", free))
        choices += listed_choices
        if not listed_choices and not _OPTION.fullmatch(text) and not text.startswith(OF_KEY):
            advice.append(text)
    still_open = any(holds_missing(line.value) for line in ledger.targets if line.key.lstrip("+") in lines)
    kind = _kind(decision.key, ledger) if lines else ""
    if kind and not free and not decision.chosen:
        free["key"] = decision.key
    if (not still_open or not (choices or free)) and all(choice.to != KEEP for choice in choices):
        choices.append(Choice(KEEP, "what is written stays: you have seen to it", KEPT))
    to = next(iter(free), KEPT)
    takes = "" if not free else _FREE.get(to) or kind
    return Question(
        decision.key,
        decision.why,
        decision.has,
        decision.chosen,
        tuple(choices),
        takes,
        to,
        free.get(to, ""),
        tuple(advice),
    )


def _choices(text: str, key: str, free: dict[To, str]) -> Iterator[Choice]:
    """Yield the choices that one text offers; one that takes any value goes to `free`."""
    option = _OPTION.fullmatch(text)
    if option is not None:
        to: To = option[1]  # type: ignore[assignment] # the pattern has no others
        name, mark, value = option[2].partition("=") if to in ("set", "assume") else ("", "=", option[2])
        if not mark or value in ("...", "N", '"..."'):
            free.setdefault(to, name)
            return
        yield from (Choice(word, option[3] or "", to, name) for word in value.split("|"))
        return
    word = _WORD.fullmatch(text)
    if word is not None and word[1] == KEEP:
        yield Choice(KEEP, word[2] or "", KEPT)
    elif word is not None and key:
        yield Choice(word[1], word[2] or "", "key", key)


def _kind(key: str, ledger: Ledger) -> str:
    """Return the kind of value that a key takes, by its catalogue; empty for a section, which holds others."""
    known = _catalogue(ledger).get(re.sub(r"\[\d*\]", "[]", key.lstrip("+")))
    if known is None or known.open or known.type == "dict":
        return ""
    return "integer" if known.type == "int" else "number" if known.type == "float" else "text"


def places_of(key: str, ledger: Ledger) -> tuple[str, ...]:
    """The keys of the output that a question's key stands for: itself, or each item of a list (`tasksets[].format`).

    Empty where the key is no key of the target, but something else to see to.
    """
    places = places_among(key, dict.fromkeys(line.key.lstrip("+") for line in ledger.targets))
    bare = re.sub(r"\[\d*\]", "[]", key.lstrip("+"))
    known = _catalogue(ledger)
    if places and (bare in known or "[]" not in key):
        return places
    return (key.lstrip("+"),) if "[]" not in key and bare in known else ()


def places_among(key: str, written: Mapping[str, object]) -> tuple[str, ...]:
    """The keys among those that are written, without their `+`, which `key` stands for: itself, or each item of the list that
    it names."""
    bare = key.lstrip("+")
    if bare in written:
        return (bare,)
    head, mark, tail = bare.partition("[]")
    if not mark:
        return ()
    items = dict.fromkeys(m[1] for name in written if (m := re.match(rf"{re.escape(head)}(\[\d+\])", name)))
    return tuple(f"{head}{item}{tail}" for item in items)


def _catalogue(ledger: Ledger) -> catalogue.Catalogue:
    return catalogue.load(
        ledger.target_framework, ledger.target_release, registry.framework(ledger.target_framework).trainer
    )


def written_by(answers: Mapping[str, Answer]) -> dict[str, Value]:
    """The answers that are values of keys."""
    return {answer.name: answer.value for answer in answers.values() if answer.to == "key"}
