"""Every real config to every other framework, once a process: what a conversion of the corpus gave."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from rftconf.base.errors import RftconfError
from rftconf.convert.convert import Conversion, Options, convert_loaded
from rftconf.load.load import load
from rftconf.schemas import registry
from tests.corpus import Real, corpora

FRAMEWORKS = tuple(registry.FRAMEWORKS)


def sample(every: int) -> list[Real]:
    """Every `every`th config of each corpus, and its first."""
    return [real for files in corpora().values() for real in files[::every]]


def conversions(real: Real) -> Iterator[tuple[str, Conversion]]:
    """What becomes of a config, by target; a pair that is refused is left out."""
    for to in FRAMEWORKS:
        if to == real.framework:
            continue
        try:
            yield to, convert_loaded(load(real.document()), to, Options())
        except RftconfError:
            continue


@cache
def of_sample(every: int) -> tuple[tuple[Real, str, Conversion], ...]:
    """All conversions of a sample."""
    return tuple((real, to, done) for real in sample(every) for to, done in conversions(real))
