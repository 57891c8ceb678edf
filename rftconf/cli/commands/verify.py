"""`rftconf verify`: does a certificate still hold?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

if TYPE_CHECKING:
    import typer

    from rftconf.cli import options


def verify(
    certificate: Annotated[
        str, typer.Argument(metavar="CERTIFICATE", help="What rftconf convert --certify wrote beside its output.")
    ],
    set_: options.Set = None,
    output: options.Output = None,
    json: options.Json = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only what no longer holds.")] = False,
    color: options.Color = "auto",
) -> int:
    """Compute everything that a certificate says again, from its files, and say what no longer holds.

    The source and the outputs are looked for where the certificate says, as seen from its own folder. The source is
    converted again, the outputs are read back, and both plans are compared as they were. Values that were withheld
    are asked for with --set.

    \b
    Examples:
      rftconf verify grpo.yaml.certificate.json
      rftconf verify run/certificate.json --json
      rftconf verify grpo.yaml.certificate.json --set API_TOKEN=...

    Exit: 0 all of it holds, 1 something does not, 2 this is no certificate, or usage.
    """
    from rftconf.certificate.as_text import verification_json, verification_text
    from rftconf.verbs import output as out
    from rftconf.verbs.read_arguments import reading
    from rftconf.verbs.verify import checks_of

    bound = reading(None, None, set_, None, None, None, None, None).bindings
    claimed, checks = checks_of(Path(certificate), bound)
    failed = any(check.problems for check in checks)
    if json:
        out.product_json(verification_json(certificate, claimed, checks), output)
    else:
        screen = out.product_screen(color if output is None else "never")
        out.product(verification_text(certificate, claimed, checks, screen, full=not quiet), output)
    return int(failed)
