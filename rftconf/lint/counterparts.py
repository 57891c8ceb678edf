"""A framework's key has counterparts in another one, read off the plan fields that both tables name."""

from __future__ import annotations

from functools import cache, lru_cache

from rftconf.mappers.profiles import main_keys_of


@lru_cache(maxsize=16)
def counterparts(theirs: str, ours: str) -> dict[str, str]:
    """Keys of framework `theirs` to the key of `ours` for the same plan field; the main key where there are several."""
    our_keys: dict[str, str] = {}
    for native, plan in pairs(ours):
        our_keys.setdefault(plan, native)
    our_key_by_theirs: dict[str, str] = {}
    for native, plan in pairs(theirs):
        if plan in our_keys:
            our_key_by_theirs.setdefault(native, our_keys[plan])
    return our_key_by_theirs


@lru_cache(maxsize=20_000)
def other_framework(key: str, ours: str) -> str:
    """Whose name a key is, and what it is called here; empty where no framework has it."""
    from rftconf.schemas import catalogue, registry

    for name, framework in registry.FRAMEWORKS.items():
        if name == registry.framework(ours).family:
            continue
        if any(key in catalogue.load(name, None, trainer) for trainer in framework.trainers):
            return f"that is {framework.title}'s name; {registry.framework(ours).title} {name_here(key, name, ours)}"
    return ""


def name_here(key: str, theirs: str, ours: str) -> str:
    """Return a phrase with the name that `ours` has for a key of framework `theirs`, or that it has no one key."""
    from rftconf.mappers.rows import natives_of
    from rftconf.mappers.tables import table_of

    counterpart = counterparts(theirs, ours).get(key)
    if counterpart:
        return f"calls it {counterpart}"
    means_something = any(key in natives_of(row) for row in table_of(theirs).rows)
    return "has no one key for it" if means_something else "has nothing like it"


@cache
def pairs(framework: str) -> tuple[tuple[str, str], ...]:
    """Native keys and the plan fields that they speak for: a row's own first, then aliases, then what folds share."""
    from rftconf.mappers.rows import Each, Fold, Row, natives_of, plans_of
    from rftconf.mappers.tables import table_of
    from rftconf.schemas.versions import lingering

    ranked: list[tuple[int, str, str]] = []
    for row in table_of(framework).rows:
        if isinstance(row, Row):
            ranked.append((int(row.alias or row.read_only), row.native, row.plan))
        elif isinstance(row, Each):
            ranked += [(0, native, plan) for native, plan in zip(natives_of(row), plans_of(row), strict=True)]
        elif isinstance(row, Fold) and row.natives and (len(row.natives) == 1 or len(row.plans) == 1):
            ranked.append((2, row.natives[0], row.plans[0]))
    ranked += [(-1, native, plan) for plan, native in main_keys_of(framework).items()]
    older = lingering(framework)  # a name of older releases alone is no name to write today
    names = (entry for entry in ranked if entry[1] not in older)
    return tuple((native, plan) for _, native, plan in sorted(names, key=lambda entry: entry[0]))
