"""Which framework, release and trainer a config was written for, read off its keys; always with the reasons."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from rftconf.plan.symbols import Value
from rftconf.schemas import acceptance, catalogue, registry
from rftconf.schemas.acceptance import Verdict
from rftconf.schemas.registry import Framework

_NAMED = 2
"""How many unknown keys a reason names."""


@dataclass(frozen=True, slots=True)
class Guess:
    """The best fit. `reasons` are sentences; `certain` when nothing else fits as well and nothing is left unknown."""

    framework: str
    release: str
    trainer: str
    reasons: tuple[str, ...]
    certain: bool
    unknown: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Fit:
    framework: Framework
    release: str
    trainer: str
    known: int
    misfits: tuple[str, ...]
    named: bool

    def rank(self) -> tuple[bool, bool, int, int, int]:
        newest = self.framework.releases.index(self.release)
        # veRL takes nearly any key in a YAML file, so that nothing misfits says little while nothing is known.
        return self.named, self.known > 0, -len(self.misfits), self.known, newest


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
    fits = []
    for candidate in started or _of_release(asked, release):
        trainer = _trainer(candidate, keys, config_name, program)
        asked_for = [registry.release(candidate, release)] if release and framework else []
        wanted = asked_for or [number for number in candidate.releases if trainer in candidate.trainers_of(number)]
        fits += _fits(candidate, tuple(wanted), trainer, keys, overrides, bool(started))
    # Which framework: the one that knows most keys. A loader that takes nearly anything says little by taking it.
    most = {
        family: max(fit.known for fit in fits if fit.framework.family == family)
        for family in {fit.framework.family for fit in fits}
    }
    fits.sort(key=lambda fit: (fit.named, most[fit.framework.family], *fit.rank()), reverse=True)
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


def _trainer(candidate: Framework, keys: Mapping[str, Value], config_name: str, program: str) -> str:
    """The trainer that the program, the config's name, the engine or the keys point at."""
    backend = _backend(candidate, keys, config_name)
    bare = [key.lstrip("+~") for key in keys]
    for name, recipe in candidate.recipes.items():
        own = any(key == recipe.own_key or key.startswith(recipe.own_key + ".") for key in bare)
        if recipe.backend == backend and (recipe.mark in program or recipe.name in config_name or own):
            return name
    return backend


def _backend(candidate: Framework, keys: Mapping[str, Value], config_name: str) -> str:
    tops = {key.lstrip("+~").split(".")[0] for key in keys}
    for trainer in (known for known in candidate.trainers[1:] if known not in candidate.recipes):
        if not tops.isdisjoint(candidate.trainer_sections.get(trainer, ())):
            return trainer
        if trainer in config_name or trainer in (
            keys.get("model_engine"),
            keys.get("actor_rollout_ref.actor.strategy"),
            keys.get("runtime_args.train_backend"),
        ):
            return trainer
        if any(f".actor.{trainer}." in key for key in keys):
            return trainer
    return candidate.trainer


def _fits(
    candidate: Framework,
    releases: tuple[str, ...],
    trainer: str,
    keys: Mapping[str, Value],
    overrides: bool,
    named: bool,
) -> list[_Fit]:
    """How well each of `releases` takes the keys: asked key by key, since the next file has most of them too."""
    judged = [_verdicts(candidate.name, releases, trainer, key, _like(keys[key]), overrides) for key in keys]
    refused = sum(key.split(".")[0] in candidate.unread_sections for key in keys)  # known, and refused by name later
    found = []
    for number, verdicts in zip(releases, zip(*judged, strict=True) if judged else ((),) * len(releases), strict=True):
        taken, free = verdicts.count(Verdict.TAKEN), verdicts.count(Verdict.FREE)
        fine = taken + free == len(verdicts)
        misfits = () if fine else tuple(key for key, one in zip(keys, verdicts, strict=True) if not one.fits)
        found.append(_Fit(candidate, number, trainer, taken + refused, misfits, named))
    return found


_Like: TypeAlias = str | int | tuple[()] | None


def _like(value: Value) -> _Like:
    """A hashable stand-in that every release judges as it judges `value`; `()` for any list or mapping."""
    if value is None or isinstance(value, str):
        return value
    return () if isinstance(value, (list, dict)) else 0


@lru_cache(maxsize=50_000)
def _verdicts(
    framework: str, releases: tuple[str, ...], trainer: str, key: str, like: _Like, overrides: bool
) -> tuple[Verdict, ...]:
    value: Value = [] if isinstance(like, tuple) else like
    known = (catalogue.load(framework, number, trainer) for number in releases)
    return tuple(acceptance.judge(one, key, value, overrides=overrides) for one in known)


def _reasons(best: _Fit, fits: list[_Fit], count: int, program: str) -> tuple[str, ...]:
    title = best.framework.title
    said = [f"starts {program}, which is {title}'s"] if best.named else []
    taken = count - len(best.misfits)
    said.append(f"{title} {best.release} takes {taken} of {count} keys{_but(best.misfits)}")
    for fit in fits:
        if fit.framework is best.framework and fit is not best:
            if len(fit.misfits) > len(best.misfits):
                named = ", ".join(fit.misfits[:_NAMED]) + (", ..." if len(fit.misfits) > _NAMED else "")
                said.append(f"{fit.release} does not take {named}")
            elif fit.rank()[:-1] == best.rank()[:-1]:
                said.append(f"{fit.release} fits as well; the newest is assumed")
    return tuple(said)


def _but(misfits: tuple[str, ...]) -> str:
    if not misfits:
        return ""
    return f"; not {', '.join(misfits[:_NAMED])}" + (", ..." if len(misfits) > _NAMED else "")


def _certain(best: _Fit, fits: list[_Fit]) -> bool:
    rivals = [fit for fit in fits if fit is not best and fit.rank()[:-1] == best.rank()[:-1]]
    return not best.misfits and best.known > 0 and not rivals
