"""`rftconf schema`: JSON Schemas of the plan, of a framework's config, and of rftconf's own settings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

if TYPE_CHECKING:
    import typer

    from rftconf.cli import options


def schema(
    subject: Annotated[
        str, typer.Argument(metavar="[plan|certificate|answers|settings|FRAMEWORK]", help="What the schema describes.")
    ] = "plan",
    from_release: options.FromRelease = None,
    trainer: Annotated[str, typer.Option("--trainer", metavar="NAME", help="fsdp or megatron, for veRL.")] = "",
    output: options.Output = None,
) -> int:
    """Print the JSON Schema of the plan, of certificates, of answers, of a framework's config, or of rftconf.toml.

    In a YAML file, `# yaml-language-server: $schema=FILE` makes editors use it.

    \b
    Examples:
      rftconf schema > plan.schema.json
      rftconf schema trinity --from-release 0.6.0 -o trinity.schema.json
      rftconf schema certificate
      rftconf schema answers
      rftconf schema settings
    """
    from pathlib import Path

    from rftconf.verbs import output as out

    if subject == "plan":
        import rftconf.plan

        # The committed file, which a test compares with the model: printing it needs no pydantic.
        out.product(Path(rftconf.plan.__file__).with_name("schema.json").read_text(encoding="utf-8"), output)
        return 0
    if subject == "certificate":
        import rftconf.certificate

        out.product(Path(rftconf.certificate.__file__).with_name("schema.json").read_text(encoding="utf-8"), output)
        return 0
    if subject == "answers":
        from rftconf.convert.questions.answers_file import answers_schema

        out.product_json(answers_schema(), output)
        return 0
    if subject == "settings":
        from rftconf.lint.settings import settings_schema

        out.product_json(settings_schema(), output)
        return 0
    from rftconf.lint.key_help import framework_schema
    from rftconf.verbs.read_arguments import framework_name

    out.product_json(framework_schema(framework_name(subject), from_release, trainer), output)
    return 0
