"""`rftconf schema`: the JSON Schema of the plan."""

from __future__ import annotations

from rftconf.cli import options


def schema(output: options.Output = None) -> int:
    """Print the JSON Schema of the plan that `rftconf plan --format json` writes.

    \b
    Examples:
      rftconf schema > plan.schema.json
      rftconf schema -o plan.schema.json
    """
    from pathlib import Path

    import rftconf.plan
    from rftconf.cli import output as out

    # The committed file, which a test compares with the model: printing it needs no pydantic.
    out.product(Path(rftconf.plan.__file__).with_name("schema.json").read_text(encoding="utf-8"), output)
    return 0
