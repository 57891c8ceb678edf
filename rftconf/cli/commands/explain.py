"""`rftconf explain`: what a code, a key of any framework, a plan field or a hazard means."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

if TYPE_CHECKING:
    import typer

    from rftconf.cli import options
    from rftconf.explain.find import Match
    from rftconf.report.screen import Screen


def codes(incomplete: str) -> list[str]:
    """The codes a shell completes."""
    from rftconf.lint.codes import every

    return [code for code in every() if code.startswith(incomplete.upper())]


def explain(
    subject: Annotated[
        str | None,
        typer.Argument(
            metavar="[CODE|KEY]",
            help="A diagnostic's code, a key, plan.FIELD, dialect:NAME or a hazard's number; all codes and dialects when absent.",
            autocompletion=codes,
        ),
    ] = None,
    framework: Annotated[
        str | None,
        typer.Option(
            "--framework", metavar="FRAMEWORK", help="Whose key; found by the key itself when only one has it."
        ),
    ] = None,
    release: Annotated[
        str | None, typer.Option("--release", metavar="RELEASE", help="Type and default in this release alone.")
    ] = None,
    json: options.Json = False,
    color: options.Color = "auto",
) -> int:
    """Show what a diagnostic's code, a key of any framework, or a field of the plan means.

    Of a key: its meaning and unit, type and default in each release, the plan field it stands for, what the other
    frameworks have for it and by which formula, the hazards that concern it and the rules that look at it.

    \b
    Examples:
      rftconf explain
      rftconf explain KEY001
      rftconf explain actor_rollout_ref.rollout.n
      rftconf explain '+data.train_batch_size=256' --framework verl
      rftconf explain 'buffer.*batch_size'
      rftconf explain plan.batch.prompts_per_rollout --json
      rftconf explain dialect:easyr1
      rftconf explain H28
    """
    from rftconf.verbs import output as out

    narrowed_down = framework is not None or release is not None or json
    from rftconf.explain.dialect import PREFIX

    if subject is not None and subject.lower().startswith(PREFIX) and framework is None and release is None:
        _show_dialect(subject[len(PREFIX) :], json=json)
        return 0
    page = None if narrowed_down else _page_without_a_key(subject)
    if page is not None:
        out.product(page)
        return 0
    from rftconf.base.errors import UsageError

    if subject is None:
        raise UsageError("explain: --framework, --release and --json need a KEY")
    from rftconf.verbs import code_pages

    code = code_pages.code_json(subject) if json else None
    if code is not None:
        out.product_json(code)
        return 0
    matches = code_pages.matches_of(subject, framework, release)
    if json:
        out.product_json(code_pages.matches_json(matches, release))
    else:
        out.product(_pages(matches, out.product_screen(color), release))
    return 0


def _show_dialect(name: str, *, json: bool) -> None:
    """The declaration of a fork; of all forks a line each where none is named."""
    from rftconf.explain import dialect
    from rftconf.verbs import output as out

    if json:
        out.product_json(dialect.as_data(name))
    else:
        out.product(dialect.page(name) if name.strip() else dialect.listing())


def _page_without_a_key(subject: str | None) -> str | None:
    """The list of codes, or the page of a code or hazard; None for anything else."""
    from rftconf.lint.codes import about, every, page

    if subject is None:
        from rftconf.explain.dialect import index

        return "".join(f"{code}  {title}\n" for code, title in every().items()) + f"\n{index()}"
    code = subject.upper()
    if about(code) is not None:
        return page(code)
    if not code.startswith("H"):
        return None
    from rftconf.verbs.code_pages import hazard_text

    return hazard_text(code)


def _pages(matches: list[Match], screen: Screen, release: str | None) -> str:
    """One match in full, with the programs of its framework that have the key too; several of different owners listed."""
    from rftconf.verbs.code_pages import is_one_name
    from rftconf.verbs.key_page import listing, page

    if not is_one_name(matches):
        return listing(matches, screen)
    also = [match.framework.name for match in matches[1:] if match.framework]
    more = f"\nAlso a key of: {', '.join(also)} (choose with --framework)\n" if also else ""
    return page(matches[0], screen, release) + more
