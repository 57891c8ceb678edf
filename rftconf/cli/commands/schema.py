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
    from rftconf.cli import output as out
    from rftconf.plan.schema import committed

    out.product_json(committed(), output)
    return 0
