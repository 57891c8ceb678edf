"""This module has PRIME's rule for competition mathematics as veRL 0.4.1 and later apply it."""

from __future__ import annotations

import re
from typing import Any

from rftconf_runner.scores.arithmetic import has_attributes
from rftconf_runner.scores.latex import Plain, UnreadableError, closes
from rftconf_runner.scores.numeric import equal
from rftconf_runner.scores.waiting import within

AFTER, BEFORE = (
    ("answer:", "answer is", "answers are"),
    ("is answer", "is the answer", "are answers", "are the answers"),
)
VERBS = ("be ", "is ", "are ", "=", ": ", "get ", "be\n", "is\n", "are\n", ":\n", "get\n")
"""Marks after which, or before which, an answer says its result."""
SYMPY_SECONDS = 10.0
PLAIN = Plain(("\\\\%", "\\%"))
WHOLE_TEXT = re.compile(r"^\\text\{(.+?)\}$")


def prime_math(answer: Any, truth: Any, plain: Plain = PLAIN, matrices: bool = True) -> float:
    """Return 1 where text, number, fraction, tuple or expression of both are the same."""
    answer_value, truth_value = result(str(answer)), str(truth)
    return float(graded(answer_value, truth_value, plain) or equal(answer_value, truth_value, matrices))


def prime_math_before(answer: Any, truth: Any) -> float:
    """Apply the rule of veRL up to 0.5: it reads no matrices, and leaves one of two backslashes before a percent sign."""
    return prime_math(answer, truth, Plain(("\\%",)), matrices=False)


def result(text: str) -> str:
    """Return the part of an answer that says its result."""
    text = _after(text, AFTER)
    for mark in BEFORE:
        start = text.lower().rfind(mark)
        text = text if start < 0 else text[:start].strip()
    start = text.rfind("\\boxed")
    start = text.rfind("\\fbox") if start < 0 else start
    end = closes(text, start) if start >= 0 else None
    box = "" if end is None else text[text.index("{", start) + 1 : end].strip()
    text = box or text
    start = text.lower().rfind(". ")
    return _after(text if start < 0 else text[:start].strip(), VERBS)


def _after(text: str, marks: tuple[str, ...]) -> str:
    for mark in marks:
        start = text.lower().rfind(mark)
        text = text if start < 0 else text[start + len(mark) :].strip()
    return text


def graded(answer: str, truth: str, plain: Plain = PLAIN) -> bool:
    """True where both have one plain form, one spelled form, or the same parts of a tuple."""
    if _form(answer, plain) == _form(truth, plain):
        return True
    ours, theirs = spelled(answer), spelled(truth)
    if ours == theirs or not ours:
        return ours == theirs
    parts, others = _parts(theirs), _parts(ours)
    if len(parts) != len(others) or (len(parts) > 1 and (theirs[0], theirs[-1]) != (ours[0], ours[-1])):
        return False
    return all(_same_part(*pair) for pair in zip(parts, others, strict=True))


def _form(text: str, plain: Plain) -> str:
    text = text.strip()
    whole = WHOLE_TEXT.search(text)
    text = whole.group(1).strip() if whole else text
    try:
        return plain(text)
    except UnreadableError:
        return text


SCALES = (("million", "*10^6"), ("billion", "*10^9"), ("trillion", "*10^12"))
MEASURES = (
    ["degree", "cm", "centimeter", "meter", "mile", "second", "minute", "hour", "day", "week", "month", "year", "foot", "feet", "inch", "yard", "liter"]
)  # fmt: skip
DEGREES, THIN = re.compile(r"\^ *\\circ"), re.compile(r",\\! *")
MINUS, MIXED = re.compile(r"- *"), re.compile(r"([0-9]) +([0-9])")
NEAR = 1e-7


def spelled(text: str) -> str:
    """Return the text in lower case, without units, dollar and percent signs, and with LaTeX in signs that sympy reads."""
    whole = WHOLE_TEXT.search(text)
    text = whole.group(1) if whole else text
    for before, after in (
        ("\\%", "%"), ("\\$", "$"), ("$", ""), ("%", ""), (" or ", " , "), (" and ", " , "), *SCALES,
    ):  # fmt: skip
        text = text.replace(before, after)
    for unit in MEASURES:
        text = re.sub(rf"{unit}(?:es)?s? *(?:\^[0-9]+)?", "", text)
    text = DEGREES.sub("", text)
    if text.startswith("{") and text.endswith("}"):
        text = text[1:-1]
    text = THIN.sub("", text)
    number = _float(text)
    if number is not None and _is_whole(number):
        text = str(round(number))
    text = _unlatexed(text) if "\\" in text else text
    text = MIXED.sub(r"\1+\2", MINUS.sub("-", text)).lower()
    number = _float(ungrouped(text))
    return str(int(float(text.replace(",", "")))) if number is not None and _is_whole(number) else text


SIGNS = (("√", "sqrt"), ("π", "pi"), ("∞", "inf"), ("∪", "U"), ("·", "*"), ("×", "*"))


def _unlatexed(text: str) -> str:
    from pylatexenc.latex2text import LatexNodes2Text

    for before in ("\\tfrac", "\\dfrac"):
        text = text.replace(before, "\\frac")
    try:
        text_of_latex = str(LatexNodes2Text().latex_to_text(text.replace("\\frac", " \\frac")))
    except Exception:  # noqa: BLE001 - whatever LaTeX it cannot read stays as it is
        return text
    for before, after in SIGNS:
        text_of_latex = text_of_latex.replace(before, after)
    return text_of_latex.strip()


GROUPS = re.compile(r"(\d),(\d\d\d)($|\D)")
BRACKETS = "()[]"


def ungrouped(text: str) -> str:
    """Return the text without the commas of thousands."""
    while (without := GROUPS.sub(r"\1\2\3", text)) != text:
        text = without
    return text


def _parts(text: str) -> list[str]:
    """Split a tuple or an interval into its parts; anything else is one part."""
    text = ungrouped(text)
    if not text:
        return []
    inner = text[1:-1]
    if len(text) > 2 and text[0] in BRACKETS and text[-1] in BRACKETS and not set(BRACKETS) & set(inner):
        return [part.strip() for part in inner.split(",")]
    return [text]


FRACTION = re.compile(r"^-?[0-9]+.?/0*[1-9][0-9]*.?$")


def _same_part(truth: str, answer: str) -> bool:
    """Compare fractions as they are written and whole numbers only with each other; ask sympy about all else."""
    if FRACTION.search(truth) and FRACTION.search(answer):
        return truth == answer
    return _is_number(truth) == _is_number(answer) and _no_difference(truth, answer)


POWERS = re.compile(r"\^\{|\^\(|\^[0-9]+\^|\^[0-9][0-9]+")
MOST_LETTERS = 2


def _no_difference(truth: str, answer: str) -> bool:
    """True where sympy simplifies the difference to 0; it is not asked about many unknowns or large powers."""
    text = f"({truth})-({answer})"
    letters = {sign for sign in text.replace("sqrt", "").replace("frac", "") if sign.isalpha()}
    if len(letters) > MOST_LETTERS or POWERS.search(text) or has_attributes(text):
        return False
    import sympy
    from sympy.parsing import sympy_parser as parser

    with within(SYMPY_SECONDS):
        try:
            how = (*parser.standard_transformations, parser.implicit_multiplication_application)
            return bool(sympy.simplify(parser.parse_expr(text.replace("^", "**"), transformations=how)) == 0)
        except Exception:  # noqa: BLE001 - whatever is no expression is no other one's equal
            return False
    return False


def _float(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _is_whole(number: float) -> bool:
    try:
        return abs(number - round(number)) <= NEAR
    except (OverflowError, ValueError):
        return False


def _is_number(text: str) -> bool:
    number = _float(ungrouped(text))
    return number is not None and _is_whole(number)
