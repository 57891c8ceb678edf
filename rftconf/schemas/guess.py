"""A config's keys show the framework, release and trainer it was written for; a guess always gives its reasons."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet

from rftconf.base.record import record
from rftconf.base.symbols import Value
from rftconf.schemas import catalogue, registry
from rftconf.schemas.fits import Fit, count_strangers, fits_in, releases_of
from rftconf.schemas.framework import Framework
from rftconf.schemas.sections import has_one, starts_of

_NAMED = 2
"""How many unknown keys a reason names."""


@record
class Guess:
    """The best fit. `reasons` are sentences; `certain` when nothing else fits as well and nothing is left unknown.

    `also`: other releases of the framework that take the keys no worse, newest first; `asked`: the release was named.
    """

    framework: str
    release: str
    trainer: str
    reasons: tuple[str, ...]
    certain: bool
    unknown: tuple[str, ...] = ()
    dialect: str = ""
    """The declared fork whose config it is; empty where it is the framework's own, or nobody's that is known."""
    also: tuple[str, ...] = ()
    asked: bool = False

    @property
    def why(self) -> str:
        """The first reasons; which other releases fit is said by `confidence`."""
        return "; ".join(reason for reason in self.reasons[:2] if " fits as well; " not in reason)

    @property
    def confidence(self) -> str:
        """Return how sure the release is, in words that follow its name."""
        if self.dialect and self.asked:
            return "the release that its fork stands on"
        if self.asked:
            return "as named"
        if self.also:
            *most, last = self.also
            names = f"{', '.join(most)} and {last}" if most else last
            return f"a guess: {names} {'take' if most else 'takes'} its keys as well"
        return "surely" if self.certain else "likely: no release takes all of its keys"


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
    frameworks = registry.variants(registry.framework(framework).name if framework else None)
    started = registry.started_by(program, frameworks)
    bare = [key.lstrip("+~") for key in keys]
    tops = {key.partition(".")[0] for key in bare}

    def fits_of(candidates: Sequence[Framework]) -> list[Fit]:
        fits = []
        for candidate in candidates:
            trainer = _trainer(candidate, keys, bare, tops, config_name, program)
            asked_for = (registry.release(candidate, release),) if release and framework else ()
            releases = asked_for or releases_of(candidate, trainer, program)
            stock = config_name in ("", *candidate.config_names.values())
            missing = tuple(key for key in candidate.asks_for if key not in bare) if stock and started else ()
            fits += fits_in(candidate, releases, trainer, keys, overrides, program if started else None, missing)
        return fits if overrides else count_strangers(fits)

    candidates = started or _of_release(frameworks, release)
    fits = fits_of(candidates if started else _in_question(candidates, bare))
    if not any(fit.known for fit in fits):
        fits = fits_of(candidates)
    # Which framework: the one that knows most keys. A loader that takes nearly anything says little by taking it.
    best_of = {fit.framework.family: fit for fit in sorted(fits, key=lambda fit: fit.known)}
    most = {family: _distinct_keys(fit, bare) for family, fit in best_of.items()}
    fits.sort(
        key=lambda fit: (fit.named, most[fit.framework.family], fit.rank, _age(fit, bare)),
        reverse=True,
    )
    best = fits[0]
    return Guess(
        best.framework.name,
        best.release,
        best.trainer,
        _reasons(best, fits, len(keys), program, _older_key(best.framework, bare)),
        _certain(best, fits),
        best.refused_or_ignored_keys,
        also=tuple(fit.release for fit in fits if _as_good(fit, best)),
        asked=bool(release and framework),
    )


def _distinct_keys(fit: Fit, keys: Iterable[str]) -> int:
    """Count the keys that a release knows; those below an open key, which takes any name, count once."""
    known = catalogue.load(fit.framework.name, fit.release, fit.trainer)
    below = [node for key in keys if (node := known.open_above(key))]
    return fit.known - len(below) + len(set(below))


def _older_key(framework: Framework, keys: Iterable[str]) -> str:
    """Return a key that only releases before the first known one had; empty where there is none."""
    older = frozenset(framework.older_keys)
    return next((key for key in keys if key in older), "") if older else ""


def _age(fit: Fit, keys: Iterable[str]) -> int:
    """Rank releases by their age: the newest first, or the oldest where the config is for one before all of them."""
    number = fit.framework.releases.index(fit.release)
    return -number if _older_key(fit.framework, keys) else number


def _of_release(frameworks: tuple[Framework, ...], release: str | None) -> list[Framework]:
    """Programs that the asked release does not have are no candidates."""
    return [
        framework for framework in frameworks if not framework.of or release is None or registry.has(framework, release)
    ]


def _in_question(candidates: Sequence[Framework], bare: Sequence[str]) -> list[Framework]:
    """The candidates that may know one of the keys; the catalogues of the others are not even opened."""
    starts = starts_of(bare)
    return [framework for framework in candidates if has_one(framework.name, starts)]


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
    engine = keys.get("model_engine")
    named = [keys.get(prefix + key) for key in candidate.trainer_keys for prefix in ("", "+", "++")]
    for trainer in (known for known in candidate.trainers[1:] if known not in candidate.recipes):
        if not tops.isdisjoint(candidate.trainer_sections.get(trainer, ())):
            return trainer
        if trainer in config_name and engine is None:  # the launch line's word wins over the file's own
            return trainer
        if trainer in (engine, *named):
            return trainer
        if set(candidate.config_groups) == set(candidate.trainers) and _names_trainer(candidate, trainer, keys, bare):
            return trainer
        # a key of another trainer, left over beside `strategy=fsdp2`, chooses none
        if any(f".actor.{trainer}." in key for key in bare) and not any(
            isinstance(name, str) and name.startswith(candidate.trainer) for name in named
        ):
            return trainer
    return candidate.trainer


def _names_trainer(candidate: Framework, trainer: str, keys: Mapping[str, Value], bare: Sequence[str]) -> bool:
    """True where one of the trainer's groups is chosen, or, with no group named, a key is written that only its config has."""
    if not candidate.trainer_groups.isdisjoint(keys):
        return any(
            f"{group}={keys.get(group)}" in candidate.config_groups[trainer] for group in candidate.trainer_groups
        )
    plain, own = (catalogue.load(candidate.name, None, name) for name in (candidate.trainer, trainer))
    return any(key in own.keys and key not in plain.keys for key in bare)


def _reasons(best: Fit, fits: list[Fit], count: int, program: str, older: str) -> tuple[str, ...]:
    title = best.framework.title
    reasons = [f"starts {program}, which is {title}'s"] if best.named else []
    if older:
        reasons.append(f"has {older}, which only releases before {best.framework.releases[0]} had")
    taken = count - best.refused
    unread = f" and reads {taken - best.let_pass}" if best.let_pass else ""
    but = _but(best.refused_or_ignored_keys)
    reasons.append(f"{title} {best.release} takes {taken} of {count} keys{unread}{but}")
    for fit in fits:
        if fit.framework is best.framework and fit is not best:
            if fit.count > best.count:
                reasons.append(f"{fit.release} {_objection(fit)}")
            elif _as_good(fit, best):
                preference = "the oldest is assumed" if older else _preference(fit, best)
                reasons.append(f"{fit.release} fits as well; {preference}")
    return tuple(reasons)


def _objection(fit: Fit) -> str:
    if not fit.refused:
        return f"asks for {', '.join(fit.lacking)}"
    return f"does not take {', '.join(fit.refused_or_ignored_keys[:_NAMED])}" + (
        ", ..." if fit.refused > _NAMED else ""
    )


def _preference(fit: Fit, best: Fit) -> str:
    """Explain why `best` is assumed and not `fit`."""
    if fit.unread and not best.unread:
        return f"the newest that reads {fit.unread[0]} is assumed"
    return "the newest is assumed" if fit.rank == best.rank else "the one that knows most is assumed"


def _as_good(fit: Fit, best: Fit) -> bool:
    """True for another release that refuses no more, whatever it leaves unread."""
    return fit is not best and fit.framework is best.framework and fit.trainer == best.trainer and (
        (fit.named, fit.known > 0, fit.count, fit.unregistered) == (best.named, best.known > 0, best.count, best.unregistered)
    )  # fmt: skip


def _but(wrong_keys: tuple[str, ...]) -> str:
    if not wrong_keys:
        return ""
    return f"; not {', '.join(wrong_keys[:_NAMED])}" + (", ..." if len(wrong_keys) > _NAMED else "")


def _certain(best: Fit, fits: list[Fit]) -> bool:
    rivals = [fit for fit in fits if fit is not best and (fit.rank == best.rank or _as_good(fit, best))]
    return not best.count and best.known > 0 and not rivals
