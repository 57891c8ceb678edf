"""Which framework, release and trainer a config was written for, read off its keys; always with the reasons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import lru_cache

from rftconf.plan.symbols import Value
from rftconf.record import record
from rftconf.schemas import catalogue, registry
from rftconf.schemas.acceptance import Verdict, judge
from rftconf.schemas.catalogue import Catalogue
from rftconf.schemas.registry import Framework
from rftconf.schemas.sections import has_one, starts_of

_NAMED = 2
"""How many unknown keys a reason names."""
_MOST_KEPT = 20_000
"""Keys whose verdicts are remembered."""


@record
class Guess:
    """The best fit. `reasons` are sentences; `certain` when nothing else fits as well and nothing is left unknown."""

    framework: str
    release: str
    trainer: str
    reasons: tuple[str, ...]
    certain: bool
    unknown: tuple[str, ...] = ()


class _Fit:
    """How one release takes all keys. There are thirty of these for each file, so most is done when asked for."""

    def __init__(
        self, framework: Framework, release: str, trainer: str, keys: Mapping[str, Value],
        verdicts: tuple[Verdict, ...], refused: int, named: bool,
    ) -> None:  # fmt: skip
        self.framework, self.release, self.trainer, self.named = framework, release, trainer, named
        self._keys, self._verdicts = keys, verdicts
        taken = verdicts.count(Verdict.TAKEN)
        self.known = taken + refused  # refused by name later, and so known
        self.count = len(verdicts) - taken - verdicts.count(Verdict.FREE)
        # veRL takes nearly any key in a YAML file, so that nothing misfits says little while nothing is known.
        self.rank = (named, self.known > 0, -self.count, self.known)

    @property
    def misfits(self) -> tuple[str, ...]:
        """The keys that the release refuses or ignores."""
        if not self.count:
            return ()
        return tuple(key for key, one in zip(self._keys, self._verdicts, strict=True) if not one.fits)


def guess(
    keys: Mapping[str, Value],
    *,
    program: str = "",
    config_name: str = "",
    overrides: bool = True,
    framework: str | None = None,
    release: str | None = None,
) -> Guess:
    """Guess from `keys` (with Hydra's prefixes, e.g. `+data.x`, where they are overrides) and the program started.

    What is given (`framework`, `release`) is taken. Of the releases that know most, the newest wins.
    """
    asked = registry.variants(registry.framework(framework).name if framework else None)
    started = registry.started_by(program, asked)
    bare = [key.lstrip("+~") for key in keys]
    tops = {key.partition(".")[0] for key in bare}

    def fits_of(candidates: Sequence[Framework]) -> list[_Fit]:
        found = []
        for candidate in candidates:
            trainer = _trainer(candidate, keys, bare, tops, config_name, program)
            asked_for = (registry.release(candidate, release),) if release and framework else ()
            wanted = asked_for or _releases_of(candidate, trainer, program)
            found += _fits(candidate, wanted, trainer, keys, overrides, bool(started))
        return found

    candidates = started or _of_release(asked, release)
    fits = fits_of(candidates if started else _in_question(candidates, bare))
    if not any(fit.known for fit in fits):
        fits = fits_of(candidates)
    # Which framework: the one that knows most keys. A loader that takes nearly anything says little by taking it.
    most: dict[str, int] = {}
    for fit in fits:
        most[fit.framework.family] = max(fit.known, most.get(fit.framework.family, 0))
    fits.sort(
        key=lambda fit: (fit.named, most[fit.framework.family], fit.rank, fit.framework.releases.index(fit.release)),
        reverse=True,
    )
    best = fits[0]
    return Guess(
        best.framework.name,
        best.release,
        best.trainer,
        _reasons(best, fits, len(keys), program),
        _certain(best, fits),
        best.misfits,
    )


def _of_release(asked: tuple[Framework, ...], release: str | None) -> list[Framework]:
    """Programs that the asked release does not have are no candidates."""
    return [one for one in asked if not one.of or release is None or registry.has(one, release)]


def _in_question(candidates: Sequence[Framework], bare: Sequence[str]) -> list[Framework]:
    """The candidates that may know one of the keys; the catalogues of the others are not even opened."""
    starts = starts_of(bare)
    return [one for one in candidates if has_one(one.name, starts)]


def _trainer(
    candidate: Framework,
    keys: Mapping[str, Value],
    bare: Sequence[str],
    tops: AbstractSet[str],
    config_name: str,
    program: str,
) -> str:
    """The trainer that the program, the config's name, the engine or the keys point at."""
    backend = _backend(candidate, keys, bare, tops, config_name)
    for name, recipe in candidate.recipes.items():
        if recipe.backend != backend:
            continue
        if recipe.mark in program or recipe.name in config_name:
            return name
        own = recipe.own_key
        if own.partition(".")[0] in tops and any(key == own or key.startswith(f"{own}.") for key in bare):
            return name
    return backend


def _backend(
    candidate: Framework, keys: Mapping[str, Value], bare: Sequence[str], tops: AbstractSet[str], config_name: str
) -> str:
    for trainer in (known for known in candidate.trainers[1:] if known not in candidate.recipes):
        if not tops.isdisjoint(candidate.trainer_sections.get(trainer, ())):
            return trainer
        if trainer in config_name or trainer in (
            keys.get("model_engine"),
            keys.get("actor_rollout_ref.actor.strategy"),
            keys.get("runtime_args.train_backend"),
            *(keys.get(prefix + "engine.strategy") for prefix in ("", "+", "++")),
        ):
            return trainer
        if candidate.config_groups and _chosen(candidate, trainer, keys, bare):
            return trainer
        if any(f".actor.{trainer}." in key for key in bare):
            return trainer
    return candidate.trainer


def _chosen(candidate: Framework, trainer: str, keys: Mapping[str, Value], bare: Sequence[str]) -> bool:
    """True where one of the trainer's groups is chosen, or, with no group named, a key is written that only its config has."""
    if not candidate.groups.isdisjoint(keys):
        return any(f"{group}={keys.get(group)}" in candidate.config_groups[trainer] for group in candidate.groups)
    plain, own = (catalogue.load(candidate.name, None, name) for name in (candidate.trainer, trainer))
    return any(key in own.keys and key not in plain.keys for key in bare)


def _fits(
    candidate: Framework,
    releases: tuple[str, ...],
    trainer: str,
    keys: Mapping[str, Value],
    overrides: bool,
    named: bool,
) -> list[_Fit]:
    """How well each of `releases` takes the keys: asked key by key, since the next file has most of them too."""
    judged = _verdicts(candidate.name, releases, trainer, overrides).of_all(keys)
    unread = candidate.unread_sections
    refused = sum(key.split(".")[0] in unread for key in keys) if unread else 0
    each = zip(*judged, strict=True) if judged else ((),) * len(releases)
    return [
        _Fit(candidate, number, trainer, keys, verdicts, refused, named)
        for number, verdicts in zip(releases, each, strict=True)
    ]


def _releases_of(candidate: Framework, trainer: str, program: str) -> tuple[str, ...]:
    """The releases that have the trainer, up to the last one that had the program."""
    have = _releases_with(candidate.name, trainer)
    last = candidate.last.get(program.replace("/", ".").removesuffix(".py"))
    return have if last is None else tuple(n for n in have if registry.at_least(candidate.name, last, n)) or have


@lru_cache(maxsize=256)
def _releases_with(framework: str, trainer: str) -> tuple[str, ...]:
    known = registry.framework(framework)
    return tuple(number for number in known.releases if trainer in known.trainers_of(number))


@dataclass(slots=True)
class _Verdicts:
    """What some releases say to keys, kept for the next file."""

    catalogues: tuple[Catalogue, ...]
    overrides: bool
    _kept: dict[tuple[str, object], tuple[Verdict, ...]] = field(default_factory=dict)

    def of_all(self, keys: Mapping[str, Value]) -> list[tuple[Verdict, ...]]:
        """The verdicts of each release on every key with its value."""
        kept, found = self._kept, []
        for key, value in keys.items():
            # verdicts tell texts apart, null, lists and mappings, and nothing else
            like = value if value is None or isinstance(value, str) else () if isinstance(value, (list, dict)) else 0
            verdicts = kept.get((key, like))
            if verdicts is None:
                if len(kept) >= _MOST_KEPT:
                    kept.clear()
                verdicts = tuple(judge(known, key, value, overrides=self.overrides) for known in self.catalogues)
                kept[key, like] = verdicts
            found.append(verdicts)
        return found


@lru_cache(maxsize=256)
def _verdicts(framework: str, releases: tuple[str, ...], trainer: str, overrides: bool) -> _Verdicts:
    return _Verdicts(tuple(catalogue.load(framework, number, trainer) for number in releases), overrides)


def _reasons(best: _Fit, fits: list[_Fit], count: int, program: str) -> tuple[str, ...]:
    title = best.framework.title
    said = [f"starts {program}, which is {title}'s"] if best.named else []
    taken = count - best.count
    said.append(f"{title} {best.release} takes {taken} of {count} keys{_but(best.misfits)}")
    for fit in fits:
        if fit.framework is best.framework and fit is not best:
            if fit.count > best.count:
                named = ", ".join(fit.misfits[:_NAMED]) + (", ..." if fit.count > _NAMED else "")
                said.append(f"{fit.release} does not take {named}")
            elif fit.rank == best.rank:
                said.append(f"{fit.release} fits as well; the newest is assumed")
    return tuple(said)


def _but(misfits: tuple[str, ...]) -> str:
    if not misfits:
        return ""
    return f"; not {', '.join(misfits[:_NAMED])}" + (", ..." if len(misfits) > _NAMED else "")


def _certain(best: _Fit, fits: list[_Fit]) -> bool:
    rivals = [fit for fit in fits if fit is not best and fit.rank == best.rank]
    return not best.count and best.known > 0 and not rivals
