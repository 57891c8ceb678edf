"""`rftconf explain`: what a code or a key means."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

if TYPE_CHECKING:
    import typer


def codes(incomplete: str) -> list[str]:
    """The codes a shell completes."""
    from rftconf.lint.codes import every

    return [code for code in every() if code.startswith(incomplete.upper())]


def explain(
    subject: Annotated[
        str | None,
        typer.Argument(metavar="[CODE|KEY]", help="A diagnostic's code; all codes when absent.", autocompletion=codes),
    ] = None,
) -> int:
    """Say what a diagnostic's code means and what to do about it.

    \b
    Examples:
      rftconf explain
      rftconf explain KEY001
      rftconf explain actor_rollout_ref.rollout.n
    """
    from rftconf.cli import output as out
    from rftconf.lint.codes import about, every, page

    if subject is None:
        out.product("".join(f"{code}  {title}\n" for code, title in every().items()))
        return 0
    if about(subject.upper()) is not None:
        out.product(page(subject.upper()))
        return 0
    from rftconf.cli.key_page import key_page

    out.product(key_page(subject))
    return 0
