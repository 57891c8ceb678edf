"""This module finds boxes in LaTeX and makes the plain form of a short answer (Hendrycks' rules for MATH)."""

from __future__ import annotations

from dataclasses import dataclass

BOX = "\\boxed{"


class UnreadableError(ValueError):
    """Raised for a text that has no plain form; its reader goes on with the text as it is."""


def closes(text: str, opening: int) -> int | None:
    """Return the place at which the braces that open after `opening` are closed; None where they are not."""
    depth = 0
    for place in range(opening, len(text)):
        if text[place] == "{":
            depth += 1
        elif text[place] == "}":
            depth -= 1
            if not depth:
                return place
    return None


def last_box(text: str) -> str | None:
    """Return the content of the last `\\boxed{}`; None where there is none, or none that ends."""
    opening = text.rfind(BOX)
    end = closes(text, opening) if opening >= 0 else None
    return None if end is None else text[opening + len(BOX) : end]


FIRST = (
    ("\n", ""), ("\\!", ""), ("\\\\", "\\"), ("tfrac", "frac"), ("dfrac", "frac"), ("\\left", ""), ("\\right", ""),
    ("^{\\circ}", ""), ("^\\circ", ""), ("\\$", ""),
)  # fmt: skip
"""Other ways of writing the same, in the order in which they are replaced."""
UNIT, HALF = "\\text{ ", "\\frac{1}{2}"


@dataclass(frozen=True, slots=True)
class Plain:
    """The plain form of an answer. `percents` are removed; `strict`: a fraction of anything but whole numbers has no form."""

    percents: tuple[str, ...] = ("\\%",)
    strict: bool = False

    def __call__(self, text: str) -> str:
        """Raises UnreadableError."""
        text = _replaced(text, FIRST)
        text, mark, unit = text.partition(UNIT)
        if mark and UNIT in unit:
            raise UnreadableError("two units")
        text = _replaced(text, [(percent, "") for percent in self.percents])
        text = _replaced(text, ((" .", " 0."), ("{.", "{0.")))
        text = "0" + text if text.startswith(".") else text
        name, _, value = text.partition("=")
        if text.count("=") == 1 and len(name) <= 2:
            text = value
        text = _fractions(_roots(text).replace(" ", ""))
        return self._ratio(HALF if text == "0.5" else text)

    def _ratio(self, text: str) -> str:
        """Write a/b of two whole numbers as a LaTeX fraction."""
        above, _, below = text.partition("/")
        if text.count("/") != 1:
            return text
        try:
            whole = (int(above), int(below))
        except ValueError:
            if self.strict:
                raise UnreadableError(text) from None
            return text
        return f"\\frac{{{whole[0]}}}{{{whole[1]}}}" if text == f"{whole[0]}/{whole[1]}" else text


def _replaced(text: str, pairs: object) -> str:
    for before, after in pairs:  # type: ignore[attr-defined]
        text = text.replace(before, after)
    return text


def _roots(text: str) -> str:
    """Put braces around the single sign below a root."""
    head, *parts = text.split("\\sqrt")
    for part in parts:
        if not part:
            raise UnreadableError("a root of nothing")
        head += "\\sqrt" + (part if part[0] == "{" else f"{{{part[0]}}}{part[1:]}")
    return head


def _fractions(text: str) -> str:
    """Put braces around the two signs of a fraction; return the text unchanged where a fraction has no second sign."""
    result, *parts = text.split("\\frac")
    for part in parts:
        if not part:
            raise UnreadableError("a fraction of nothing")
        if part[0] == "{":
            result += "\\frac" + part
        elif len(part) == 1:
            return text
        else:
            below = part[1:] if part[1] == "{" else f"{{{part[1]}}}{part[2:]}"
            result += f"\\frac{{{part[0]}}}{below}"
    return result
