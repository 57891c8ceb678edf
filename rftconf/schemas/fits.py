"""A fit tells how well a release takes the keys of a config: what it refuses, ignores, and asks for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from rftconf.base.symbols import Value
from rftconf.schemas import catalogue, registry
from rftconf.schemas.acceptance import Verdict, judge
from rftconf.schemas.catalogue import Catalogue
from rftconf.schemas.framework import Framework

_MOST_KEPT = 20_000
"""Keys whose verdicts are remembered."""


class Fit:
    """One release's verdicts on all keys. There are forty of these for each file, so most is done when asked for.

    `own_config`: the program reads a config of its own above the release's, and keys that the release lacks may be there.
    `unregistered` counts names of losses, estimators and the like under which the release registers nothing: the run's own
    code may, so they are held against a release only where another one takes the keys as well; so is a key that it takes and
    does not read.
    """

    def __init__(
        self, framework: Framework, release: str, trainer: str, keys: Mapping[str, Value],
        verdicts: tuple[Verdict, ...], refused: int, named: bool, lacking: tuple[str, ...], at_home: bool, own_config: bool,
        unregistered: int,
    ) -> None:  # fmt: skip
        self.framework, self.release, self.trainer, self.named = framework, release, trainer, named
        self._keys, self.verdicts, self.lacking = keys, verdicts, lacking
        taken = verdicts.count(Verdict.TAKEN)
        self.known = taken + refused  # refused by name later, and so known
        self.refused = len(verdicts) - taken - verdicts.count(Verdict.FREE)
        unsettled = verdicts.count(Verdict.UNKNOWN) + verdicts.count(Verdict.NEEDS_PLUS) if own_config else 0
        self.count = self.refused - unsettled + len(lacking)
        self._at_home, self.unregistered = at_home, unregistered
        self.unread = tuple(
            key
            for key, since in framework.unread_since.items()
            if key in keys and registry.at_least(framework.name, release, since)
        )

    @property
    def rank(self) -> tuple[bool, bool, int, int, bool, int, int]:
        """Return what the best fit has most of."""
        # veRL takes nearly any key in a YAML file, so that nothing misfits says little while nothing is known.
        unread = len(self.unread)
        return self.named, self.known > 0, -self.count, -self.unregistered, self._at_home, -unread, self.known

    @property
    def let_pass(self) -> int:
        """The number of keys in a whole YAML that the release neither has nor refuses: it reads them nowhere."""
        return sum(
            verdict is Verdict.FREE and not key.startswith("+")
            for key, verdict in zip(self._keys, self.verdicts, strict=True)
        )

    @property
    def refused_or_ignored_keys(self) -> tuple[str, ...]:
        """The keys that the release refuses or ignores."""
        if not self.refused:
            return ()
        return tuple(key for key, verdict in zip(self._keys, self.verdicts, strict=True) if not verdict.fits)


def count_strangers(fits: list[Fit]) -> list[Fit]:
    """The fits, with held against each the keys of a whole YAML that it lets pass unread and another program or release has."""
    families: dict[str, list[Fit]] = {}
    for fit in fits:
        families.setdefault(fit.framework.family, []).append(fit)
    for alike in families.values():
        owned = [Verdict.TAKEN in verdicts for verdicts in zip(*(fit.verdicts for fit in alike), strict=True)]
        for fit in alike:
            fit.count += sum(own and verdict is Verdict.FREE for own, verdict in zip(owned, fit.verdicts, strict=True))
    return fits


def fits_in(
    candidate: Framework,
    releases: tuple[str, ...],
    trainer: str,
    keys: Mapping[str, Value],
    overrides: bool,
    program: str | None,
    missing: tuple[str, ...],
) -> list[Fit]:
    """Judge how well each of `releases` takes the keys: asked key by key, since the next file has most of them too.

    `program` is None where it is not the candidate's own; `missing` are keys that some release asks for.
    """
    judged = _verdicts(candidate.name, releases, trainer, overrides).of_all(keys)
    unread = candidate.unread_sections
    refused = sum(key.split(".")[0] in unread for key in keys) if unread else 0
    each = zip(*judged, strict=True) if judged else ((),) * len(releases)
    own_config = program is not None and _reads_its_own(candidate, trainer, program)
    unregistered = _unregistered(_verdicts(candidate.name, releases, trainer, overrides).catalogues, keys)
    fits = []
    for number, verdicts, unknown_names in zip(releases, each, unregistered, strict=True):
        lacking = _lacking(candidate.name, number, trainer, missing) if missing else ()
        at_home = program is None or not _moved_out(candidate, number, program)
        named = program is not None
        fit = Fit(
            candidate, number, trainer, keys, verdicts, refused, named, lacking, at_home, own_config, unknown_names
        )
        fits.append(fit)
    return fits


def _unregistered(catalogues: Sequence[Catalogue], keys: Mapping[str, Value]) -> list[int]:
    """Count for each release the plain words under which it registers nothing, though their keys take registered names."""
    words = [
        (key.lstrip("+~"), value) for key, value in keys.items() if isinstance(value, str) and value.isidentifier()
    ]
    return [sum(bool(names := known.names(key)) and word not in names for key, word in words) for known in catalogues]


@lru_cache(maxsize=256)
def _lacking(framework: str, release: str, trainer: str, missing: tuple[str, ...]) -> tuple[str, ...]:
    """Return those of the missing keys that the release has no default for."""
    known = catalogue.load(framework, release, trainer)
    return tuple(key for key in missing if key in known.keys and known.keys[key].mandatory)


def _reads_its_own(candidate: Framework, trainer: str, program: str) -> bool:
    """True for a program that the framework brought beside its trainers, whose config has no catalogue."""
    brought = program.startswith(tuple(candidate.at_home_until)) or candidate.is_trial(program)
    return brought and trainer not in candidate.recipes and program not in candidate.mains


def _moved_out(candidate: Framework, release: str, program: str) -> bool:
    """True where the release came after the last one that brought the program itself."""
    until = candidate.at_home_until.items()
    return any(
        program.startswith(start) and not registry.at_least(candidate.name, last, release) for start, last in until
    )


def releases_of(candidate: Framework, trainer: str, program: str) -> tuple[str, ...]:
    """The releases that have the trainer, from the first to the last one that had the program."""
    have, module = _releases_with(candidate.name, trainer), program.replace("/", ".").removesuffix(".py")
    last = candidate.last.get(module, candidate.newest)
    first = next((since for start, since in candidate.first.items() if module.startswith(start)), candidate.releases[0])
    name = candidate.name
    return tuple(n for n in have if registry.at_least(name, last, n) and registry.at_least(name, n, first)) or have


@lru_cache(maxsize=256)
def _releases_with(framework: str, trainer: str) -> tuple[str, ...]:
    known = registry.framework(framework)
    return tuple(number for number in known.releases if trainer in known.trainers_of(number))


@dataclass(slots=True)
class _Verdicts:
    """The verdicts of some releases on keys, kept for the next file."""

    catalogues: tuple[Catalogue, ...]
    overrides: bool
    _kept: dict[tuple[str, object], tuple[Verdict, ...]] = field(default_factory=dict)

    def of_all(self, keys: Mapping[str, Value]) -> list[tuple[Verdict, ...]]:
        """The verdicts of each release on every key with its value."""
        cache, all_verdicts = self._kept, []
        for key, value in keys.items():
            # verdicts tell texts apart, null, lists and mappings, and nothing else
            like = value if value is None or isinstance(value, str) else () if isinstance(value, (list, dict)) else 0
            verdicts = cache.get((key, like))
            if verdicts is None:
                if len(cache) >= _MOST_KEPT:
                    cache.clear()
                verdicts = tuple(judge(known, key, value, overrides=self.overrides) for known in self.catalogues)
                cache[key, like] = verdicts
            all_verdicts.append(verdicts)
        return all_verdicts


@lru_cache(maxsize=256)
def _verdicts(framework: str, releases: tuple[str, ...], trainer: str, overrides: bool) -> _Verdicts:
    return _Verdicts(tuple(catalogue.load(framework, number, trainer) for number in releases), overrides)
