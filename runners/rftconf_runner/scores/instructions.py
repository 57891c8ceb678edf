"""This module has ROLL's checks of instructions that an answer has to follow: `IF_FUNCTIONS_MAP` of its ifeval worker, by name.

The names of the functions' arguments are those of the data, so that a row's own words are its arguments.
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Sequence
from typing import Any

from rftconf_runner.scores.roll import ENDS, PADS, behind_last_thought, repetition

SENTENCE_END = re.compile(r"(?<!\w\.\w.)(?<![A-Z][a-z]\.)(?<=\.|\?)\s")


def ifeval(answer: str, truth: Any) -> dict[str, float]:
    """Return 1 where the answer does what the row's function checks, less a penalty for words that come again."""
    text = answer
    for mark in (*PADS, *ENDS):
        text = text.replace(mark, "")
    words = json.loads(truth) if isinstance(truth, str) else dict(truth)
    check = CHECKS[words["func_name"]]  # a row of another name stops ROLL too
    known = inspect.signature(check).parameters
    try:
        done = check(behind_last_thought(text), **{name: value for name, value in words.items() if name in known})
    except Exception:  # noqa: BLE001 - a check that fails is not passed
        done = False
    return {"score": float(done) + repetition(text), "acc": float(done)}


def _measured(count: int, number: int, quantifier: str, tolerance: int) -> bool:
    met = {"at least": count >= number, "at most": count <= number, "around": abs(count - number) <= tolerance}
    return met.get(quantifier, False)


def _has_keywords(text: str, keyword_list: Sequence[str]) -> bool:
    return all(word.lower() in text.lower() for word in keyword_list)


def _counts_words(text: str, word: str, N: int) -> bool:  # noqa: N803
    """True where the answer has N words of whatever kind: ROLL compares every word with itself."""
    word.lower()
    return len(re.findall(r"\b\w+\b", text.lower())) == N


def _avoids_words(text: str, forbidden_words: Sequence[str]) -> bool:
    return not any(word.lower() in text.lower() for word in forbidden_words)


def _counts_letter(text: str, letter: str, N: int) -> bool:  # noqa: N803
    if len(letter) != 1:
        raise ValueError("a letter is a single sign")
    return text.count(letter) == N


def _is_in_language(text: str, language: str) -> bool:
    from langdetect import DetectorFactory, detect

    DetectorFactory.seed = 0  # the same answer earns the same, which is a matter of chance in ROLL
    return bool(detect(text) == language)


def _has_paragraphs(text: str, N: int) -> bool:  # noqa: N803
    paragraphs = "\n".join(line.strip() for line in text.splitlines()).strip().split("* * *")
    return all(paragraph.strip() for paragraph in paragraphs) and len(paragraphs) == N


def _has_words(text: str, N: int, quantifier: str) -> bool:  # noqa: N803
    return _measured(len(text.split()), N, quantifier, max(round(N * 0.1), 1))


def _has_sentences(text: str, N: int, quantifier: str) -> bool:  # noqa: N803
    return _measured(len(SENTENCE_END.split(text)), N, quantifier, 1)


def _begins_paragraph(text: str, N: int, first_word: str, i: int) -> bool:  # noqa: N803
    paragraphs = text.split("\n\n")
    return len(paragraphs) == N and paragraphs[i - 1].strip().startswith(first_word)


def _has_postscript(text: str, postscript_marker: str) -> bool:
    place = text.find(postscript_marker)
    return place >= 0 and len(text[place:].strip()) > len(postscript_marker)


def _has_placeholders(text: str, N: int) -> bool:  # noqa: N803
    return len(re.findall(r"\[(.*?)\]", text)) >= N


def _has_bullets(text: str, N: int) -> bool:  # noqa: N803
    return sum(line.strip().startswith(("*", "-")) for line in text.split("\n")) == N


def _has_title(text: str) -> bool:
    return re.search(r"<<(.*?)>>", text) is not None


def _is_choice(text: str, options: Sequence[str]) -> bool:
    return any(text in option for option in options)


def _has_highlights(text: str, N: int) -> bool:  # noqa: N803
    return len(re.findall(r"\*(.*?)\*", text)) >= N


def _has_sections(text: str, N: int, section_splitter: str) -> bool:  # noqa: N803
    sections = text.split(section_splitter)
    return len(sections) - (sections[0] == "") == N


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def _repeats_prompt(text: str, original_prompt: str) -> bool:
    return text.startswith(original_prompt)


def _has_two_replies(text: str) -> bool:
    replies = text.split("******")
    return len(replies) == 2 and replies[0].strip() != replies[1].strip()


def _is_upper(text: str) -> bool:
    return text == text.upper()


def _is_lower(text: str) -> bool:
    return text == text.lower()


def _has_capital_words(text: str, N: int, quantifier: str) -> bool:  # noqa: N803
    return _measured(len(re.findall(r"\b[A-Z]+\b", text)), N, quantifier, 0)


def _ends_with(text: str, end_phrase: str) -> bool:
    return text.endswith(end_phrase)


def _is_quoted(text: str) -> bool:
    return text.startswith('"') and text.endswith('"')


def _has_no_comma(text: str) -> bool:
    return "," not in text


CHECKS: dict[str, Callable[..., bool]] = {
    "verify_keywords": _has_keywords,
    "verify_keyword_frequency": _counts_words,
    "validate_forbidden_words": _avoids_words,
    "verify_letter_frequency": _counts_letter,
    "validate_response_language": _is_in_language,
    "verify_paragraph_count": _has_paragraphs,
    "validate_word_constraint": _has_words,
    "verify_sentence_constraint": _has_sentences,
    "validate_paragraphs": _begins_paragraph,
    "verify_postscript": _has_postscript,
    "validate_placeholders": _has_placeholders,
    "verify_bullet_points": _has_bullets,
    "validate_title": _has_title,
    "validate_choice": _is_choice,
    "validate_highlighted_sections": _has_highlights,
    "validate_sections": _has_sections,
    "validate_json_format": _is_json,
    "validate_repeat_prompt": _repeats_prompt,
    "validate_two_responses": _has_two_replies,
    "validate_uppercase": _is_upper,
    "validate_lowercase": _is_lower,
    "validate_frequency_capital_words": _has_capital_words,
    "validate_end": _ends_with,
    "validate_quotation": _is_quoted,
    "validate_no_commas": _has_no_comma,
}
"""The checks by ROLL's names."""
