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
    from rftconf.explain import find
    from rftconf.schemas import registry
    from rftconf.verbs.read_arguments import framework_name

    code = _code_json(subject) if json else None
    if code is not None:
        out.product_json(code)
        return 0
    known = registry.framework(framework_name(framework)) if framework else None
    matches = find.matches(subject, known, release) or find.below(subject, known)
    if not matches:
        raise find.unknown(subject, known, release)
    if json:
        out.product_json(_json(matches, release))
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
    return _hazard(code)


def _hazard(code: str) -> str | None:
    if not (code.startswith("H") and code[1:].isdecimal()):
        return None
    from rftconf.explain.hazards import by_number

    hazard = by_number().get(int(code[1:]))
    if hazard is None:
        return None
    concerns = "".join(f"  {name}\n" for name in hazard.concerns)
    return f"{hazard.name}: {hazard.says}\n" + (f"\nConcerns\n{concerns}" if concerns else "")


def _code_json(subject: str) -> dict[str, str] | None:
    from rftconf.lint.codes import about

    code = subject.upper()
    entry = about(code)
    if entry is None:
        return None
    return {"code": code, "title": entry.title, "why": entry.why, "advice": entry.advice, "example": entry.example}


def _is_one_name(matches: list[Match]) -> bool:
    """True where all matches are one name of one framework, and of programs that belong to it."""
    return len({(match.framework.family if match.framework else "", match.name) for match in matches}) == 1


def _pages(matches: list[Match], screen: Screen, release: str | None) -> str:
    """One match in full, with the programs of its framework that have the key too; several of different owners listed."""
    from rftconf.verbs.key_page import listing, page

    if not _is_one_name(matches):
        return listing(matches, screen)
    also = [match.framework.name for match in matches[1:] if match.framework]
    more = f"\nAlso a key of: {', '.join(also)} (choose with --framework)\n" if also else ""
    return page(matches[0], screen, release) + more


def _json(matches: list[Match], release: str | None) -> object:
    """The same as data: an object for one match, a list of names for several."""
    from rftconf.verbs.key_json import brief_json, match_json

    if not _is_one_name(matches):
        return [brief_json(match) for match in matches]
    return match_json(matches[0], release) | {"also": [brief_json(match) for match in matches[1:]]}
