"""docs/codes.md and docs/rules/: every diagnostic, a page a family."""

from __future__ import annotations

from collections.abc import Callable

from rftconf.lint import registry
from rftconf.lint.codes import about, every

Row = Callable[..., str]


def pages(row: Row, head: Row) -> dict[str, str]:
    """File name to text, without the note."""
    texts = {"codes.md": _index(row, head)}
    for name, (_, subject) in registry.FAMILIES.items():
        text = f"# {name}: {subject}\n\n`rftconf explain CODE` prints the same; [all families](../codes.md).\n"
        texts[f"rules/{name.lower()}.md"] = text + "".join(_code(code) for code in _of(name))
    return texts


def _of(family: str) -> list[str]:
    return [code for code in every() if code.startswith(family)]


def _index(row: Row, head: Row) -> str:
    text = (
        "# Diagnostics\n\nCodes are stable and never used again for something else; `rftconf explain CODE` prints one. "
    )
    text += "A source such as H31 is a hazard; `rftconf explain H31` prints it.\n"
    for name, (_, subject) in registry.FAMILIES.items():
        rules = registry.family(name)
        counted = f" ({len(rules)} rules over the plan)" if rules else ""
        text += f"\n## {name}\n\n[{subject[0].upper()}{subject[1:]}](rules/{name.lower()}.md){counted}\n\n"
        text += head("code", "what is wrong")
        for code in _of(name):
            page = about(code)
            assert page is not None
            text += row(f"[{code}](rules/{name.lower()}.md#{code.lower()})", page.title)
    return text


def _code(code: str) -> str:
    page = about(code)
    assert page is not None
    text = f"\n## {code}\n\n**{page.title}**\n\n{page.why}\n"
    text += f"\n{page.advice}\n" if page.advice else ""
    return text + (f"\n```text\n{page.example}\n```\n" if page.example else "")
