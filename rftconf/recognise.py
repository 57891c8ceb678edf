"""What a document is: framework or program, release and trainer."""

from __future__ import annotations

from rftconf.schemas import registry
from rftconf.schemas.guess import Guess, guess
from rftconf.text.document import Document, Mode


def recognise(document: Document, framework: str | None = None, release: str | None = None) -> Guess:
    """Framework, release and trainer of a document: as asked, else guessed from program and keys."""
    options = document.launch.options if document.launch else {}
    program = document.launch.program if document.launch else ""
    config = str(options.get("config-name", options.get("--config-name", options.get("config-file", ""))))
    config = config or " ".join(document.starts_from)
    marks = {leaf.mode.value + leaf.key: leaf.value for leaf in document.leaves if leaf.mode is not Mode.DELETE}
    known = registry.framework(framework).name if framework else None
    if known is None and release is not None and program:
        known = next((one.name for one in registry.started_by(program, registry.variants())), None)
    if known is None and release is not None:
        known = guess(marks, program=program, config_name=config, overrides=document.form != "yaml").framework
    return guess(
        marks, program=program, config_name=config, overrides=document.form != "yaml", framework=known, release=release
    )
