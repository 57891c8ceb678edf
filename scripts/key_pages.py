"""The pages of docs/support/: every key of every release of a framework or program, and what becomes of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from rftconf.base.ledger import State
from rftconf.base.symbols import Value
from rftconf.explain.fields import fields_at
from rftconf.mappers.rows import Table
from rftconf.mappers.tables import all_tables, reason_for, table_of
from rftconf.schemas import catalogue, registry, versions
from rftconf.schemas.framework import Framework

MEANINGS = {
    State.EXTENSION: "kept in the plan verbatim, for a target of the same framework",
    State.NO_COUNTERPART: "changes the mathematics, and the plan has no field for it",
    State.DEAD_IN_SOURCE: "without effect, or set by the framework itself",
    State.WITHHELD: "a secret: neither shown nor written",
}
STAGES = "stages[]"


@dataclass(frozen=True)
class _Value:
    value: Value


@dataclass(frozen=True)
class Page:
    """One page: of a framework or program, for runs of `kind` where that has a table of its own."""

    framework: str
    kind: str

    @property
    def known(self) -> Framework:
        """What the page is about."""
        return registry.framework(self.framework)

    @property
    def table(self) -> Table:
        """Its rows and reasons."""
        return table_of(self.framework, self.kind)

    def trainers_of(self, release: str) -> list[str]:
        """The trainer variants of a release that have such runs."""
        return [
            trainer for trainer in self.known.trainers_of(release) if trainer in (self.table.trainers or (trainer,))
        ]

    @property
    def name(self) -> str:
        """File name."""
        return f"{'-'.join(filter(None, (self.framework, self.kind)))}.md"

    @property
    def title(self) -> str:
        """`veRL SFT`, `Trinity-RFT, sft`."""
        return ", ".join(filter(None, (self.known.title, self.kind)))


def all_pages() -> list[Page]:
    """One page for each table that has rows of its own."""
    pages = [Page(*entry) for entry in all_tables()]
    return [page for page in pages if not page.kind or page.table.rows is not table_of(page.framework).rows]


def releases_of(page: Page) -> dict[str, list[str]]:
    """Key to the releases that have it, over all trainers, oldest release first."""
    keys_by_release: dict[str, list[str]] = {}
    for release in page.known.releases:
        names = {
            key
            for trainer in page.trainers_of(release)
            for key in catalogue.load(page.framework, release, trainer).keys
        }
        for key in names:
            keys_by_release.setdefault(key, []).append(release)
    return keys_by_release


def release_range(known: Framework, having: list[str]) -> str:
    """`all`, `since 0.7.1`, `up to 0.6.1`, `0.6.1 to 0.8.0`, or the releases one by one."""
    order = known.releases
    first, last = order.index(having[0]), order.index(having[-1])
    if last - first + 1 != len(having):
        return ", ".join(having)
    if len(having) == len(order):
        return "all"
    if last == len(order) - 1:
        return f"since {having[0]}"
    return f"up to {having[-1]}" if first == 0 else f"{having[0]} to {having[-1]}" if first != last else having[0]


def shown(key: str) -> bool:
    """Keys that a page lists: not the classes of blocks, and not the sections of a stage, which say the same again."""
    return not key.endswith("_target_") and not key.startswith(STAGES)


def page_text(
    page: Page, plans: Mapping[str, tuple[str, ...]], row: Callable[..., str], head: Callable[..., str]
) -> str:
    """The page: keys in the plan, keys without a field by state and reason, keys that only earlier releases have."""
    known, having = page.known, releases_of(page)
    newest = [
        key for trainer in page.trainers_of(known.newest) for key in catalogue.load(known.name, None, trainer).keys
    ]
    keys = [key for key in dict.fromkeys(newest) if shown(key)]
    text = f"# Keys of {page.title} {known.newest}\n\nReleases: {', '.join(known.releases)}."
    if any(key.startswith(STAGES) for key in newest):
        text += " A stage (`stages[]`) has the same sections with the same keys; they are not listed again."
    text += "\n\n## In the plan\n\n" + head("key", "plan fields", "releases")
    keys_by_state: dict[State, dict[str, list[str]]] = {}
    keys_elsewhere: dict[str, str] = {}
    for key in keys:
        stands_for = fields_at(plans, key)
        if stands_for:
            fields = ", ".join(f"`{path}`" for path in stands_for)
            text += row(f"`{key}`", fields, release_range(known, having[key]))
            continue
        reason = reason_for(page.table, key, None)
        if reason is not None:
            keys_by_state.setdefault(reason.state, {}).setdefault(reason.why, []).append(
                _with_releases(known, key, having[key])
            )
        else:
            keys_elsewhere[key] = alias_of(known, key)
    for state in (state for state in State if state in keys_by_state):
        text += f"\n## {state.value}: {MEANINGS[state]}\n\n"
        text += "".join(f"* {why}: {', '.join(named)}\n" for why, named in keys_by_state[state].items())
    if keys_elsewhere:
        text += "\n## Other names\n\n" + head("key", "stands for")
        text += "".join(row(f"`{key}`", f"`{name}`") for key, name in keys_elsewhere.items())
    return text + _earlier(page, plans, having, keys, row, head)


def alias_of(known: Framework, key: str) -> str:
    """The name that the mappers know for a deprecated one; empty when the key simply has no state."""
    trainer = next(t for t in known.trainers_of(known.newest) if key in catalogue.load(known.name, None, t).keys)
    done = versions.upgrade(known.name, {key.replace("[]", "[0]"): _Value("x")}, known.newest, trainer=trainer)
    became = [name.replace("[0]", "[]") for name in done.flat]
    return became[0] if became and became[0] != key else ""


def _with_releases(known: Framework, key: str, having: list[str]) -> str:
    span = release_range(known, having)
    return f"`{key}`" if span == "all" else f"`{key}` ({span})"


def _earlier(
    page: Page,
    plans: Mapping[str, tuple[str, ...]],
    having: dict[str, list[str]],
    keys: Iterable[str],
    row: Callable[..., str],
    head: Callable[..., str],
) -> str:
    listed = set(keys)
    vanished = [key for key in sorted(having) if shown(key) and key not in listed]
    if not vanished:
        return ""
    text = "\n## Only in earlier releases\n\nRead in the newest shape; what that makes of them:\n\n"
    text += head("key", "releases", "became")
    lines = ((key, _became(page.known, key, having[key][-1]) or _state(page, plans, key)) for key in vanished)
    return text + "".join(row(f"`{key}`", release_range(page.known, having[key]), became) for key, became in lines)


def _became(known: Framework, key: str, last: str) -> str:
    trainer = next(t for t in known.trainers_of(last) if key in catalogue.load(known.name, last, t).keys)
    past = versions.history(known.name, key, trainer) or ""
    return past.partition("; ")[2]


def _state(page: Page, plans: Mapping[str, tuple[str, ...]], key: str) -> str:
    """Of a key that the newest release does not list, but takes: below a free mapping, or as a section."""
    stands_for = fields_at(plans, key)
    if stands_for:
        return ", ".join(f"`{path}`" for path in stands_for)
    reason = reason_for(page.table, key, None)
    if reason is not None:
        return f"{reason.state.value}: {reason.why}"
    newest = [catalogue.load(page.framework, None, trainer) for trainer in page.trainers_of(page.known.newest)]
    return "a section of keys now" if any(known.is_node(key) for known in newest) else ""


def index(
    pages: list[Page],
    row: Callable[..., str],
    head: Callable[..., str],
    plans: Mapping[Page, Mapping[str, tuple[str, ...]]],
) -> str:
    """docs/support.md: how many keys of each newest release end how, with the pages."""
    text = (
        "# What is supported\n\nEvery key of every catalogued release has a state: it stands for plan fields, or a reason "
        "says what becomes of it. [Plan field by plan field](support/plan-fields.md) shows what each framework can hold; "
        "the pages below go key by key. Numbers are keys of the newest release.\n\n"
    )
    text += head("page", "releases", "in the plan", *(state.value for state in MEANINGS))
    for page in pages:
        known = page.known
        newest = {
            key
            for t in page.trainers_of(known.newest)
            for key in catalogue.load(known.name, None, t).keys
            if shown(key)
        }
        mapped = {key for key in newest if fields_at(plans[page], key)}
        reasons = [reason_for(page.table, key, None) for key in newest - mapped]
        counts = [sum(reason is not None and reason.state is state for reason in reasons) for state in MEANINGS]
        link = f"[{page.title}](support/{page.name})"
        text += row(link, f"{known.releases[0]} to {known.newest}", str(len(mapped)), *map(str, counts))
    return text
