"""The caller of the reader gives these options with a text: bindings, arguments, the launch that is meant."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import field
from typing import TYPE_CHECKING, TypeAlias

from rftconf.base.record import record
from rftconf.text.document import Document
from rftconf.text.files_beside import ShippedFiles
from rftconf.text.source import Source
from rftconf.text.yaml.loader_dialects import ScalarRules

if TYPE_CHECKING:
    from rftconf.text.shell import Script

Followed: TypeAlias = "dict[Hashable, tuple[Script, tuple[str, ...]]]"
"""Scripts as they were followed, and the names of others that were read with them."""


@record
class ReadOptions:
    """Facts that the caller knows beyond the text.

    `bindings` are variables and keys of the config (`trainer.nnodes`) given by hand, `environment` those of the environment the caller lets in; `args` the
    script's own arguments; `launch` which launch (1 is the first) of several; `base` a YAML of lower priority;
    `sources` texts of files that the script names (`source`d ones, configs beside it); `framework` whose launch is
    meant when a script starts several; `rules` whose loader reads YAML. `ships` chooses, for a document that names
    configs which are not here, the framework's own files that may stand for them; `shipped` are those chosen.
    `followed` keeps the scripts that were followed last, for a caller that asks for launch after launch of one text.
    """

    bindings: Mapping[str, str] = field(default_factory=dict)
    args: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    launch: int | None = None
    base: Source | None = None
    sources: Mapping[str, str] = field(default_factory=dict)
    framework: str = ""
    rules: ScalarRules = ScalarRules.OMEGACONF
    ships: Callable[[Document], ShippedFiles | None] | None = None
    shipped: ShippedFiles | None = None
    followed: Followed | None = None
