"""A case the whole way: a file in the source's own form, converted, and the text that was written read again."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any

import yaml

from rftconf.base.errors import RefusedError
from rftconf.base.ledger import LOSSES, Ledger
from rftconf.convert.convert import Options, convert
from rftconf.load.load import load
from rftconf.schemas import catalogue
from rftconf.schemas.registry import VERL
from rftconf.text.omegaconf.interpolation import Resolver
from rftconf.text.read.read import read
from rftconf.text.read.read_options import ReadOptions
from rftconf.text.source import Source
from tests.laws.totals.accounts import ACCOUNTS
from tests.laws.totals.case import Case
from tests.laws.totals.figures import differing
from tests.laws.totals.rules import RULES
from tests.laws.totals.trips import SPEAKS, Outcome, down, keys_of, of_plan, pair, speaks, up


def file_of(case: Case) -> Source:
    """The case as somebody would have written it: a launch script for veRL, YAML for the others, its release's names."""
    flat = down(case.framework, case.release, case.trainer, case.whole)
    if case.framework != "verl":
        return Source("case.yaml", yaml.safe_dump(_nested(flat)))
    known = catalogue.load("verl", case.release, case.trainer)
    program = VERL.recipes[case.trainer].program if case.trainer in VERL.recipes else VERL.mains[0]
    plain = {key for key in flat if (new_key := known.get(key)) is not None and not new_key.plus_only}
    words = [f"{'' if key in plain else '+'}{key}={value}" for key, value in flat.items()]
    lines = [f"python3 -m {program} --config-name={VERL.config_names[case.trainer]}", *map(shlex.quote, words)]
    return Source("case.sh", "#!/bin/bash\n" + " \\\n    ".join(lines) + "\n")


def _nested(flat: Mapping[str, Any]) -> dict[str, Any]:
    """Dotted keys and indices as mappings and lists."""
    tree: dict[str, Any] = {}
    for key, value in flat.items():
        *parents, last = key.split(".")
        node = tree
        for parent in parents:
            name, _, index = parent.rstrip("]").partition("[")
            if index:
                items = node.setdefault(name, [])
                items += [{} for _ in range(int(index) + 1 - len(items))]
                node = items[int(index)]
            else:
                node = node.setdefault(name, {})
        node[last] = value
    return tree


def in_text(case: Case, to: str, release: str, options: Options) -> Outcome:
    """From a file to a file. The ledger must speak: a source line in a loss with a reason, or a note."""
    try:
        done = convert(
            read(file_of(case), ReadOptions()), to, framework=case.framework, release=case.release, to_release=release,
            rows=case.rows, form=options.form,
        )  # fmt: skip
    except RefusedError as refusal:
        return Outcome(case, to, refused=str(refusal))
    own = ACCOUNTS[case.framework](keys_of(case.release, case.trainer, case.whole, case.rows))
    again = read(Source(f"target{done.file_suffix}", done.text), ReadOptions())
    loaded = load(again, framework=to, release=release, rows=case.rows)
    keys = keys_of(
        release, loaded.guess.trainer, _newest_names(to, release, loaded.guess.trainer, again.leaves), case.rows
    )
    theirs = ACCOUNTS[to](keys)
    messages = spoken_of(done.ledger)
    back = of_plan(loaded.stages[-1].values)
    second = tuple(differing(own, theirs))
    breaches = [f"{to} is read wrong: {pair(name, theirs, back)}" for name in differing(theirs, back)]
    breaches += [f"{to} would not start: {broken}" for broken in RULES[to](keys)]
    for name in second:
        if not any(path in messages for path in speaks(name, second)):
            breaches.append(f"{name} differs and nothing says so: {pair(name, own, theirs)}")
    return Outcome(case, to, tuple(breaches), said=second)


def _newest_names(framework: str, release: str, trainer: str, leaves: Any) -> Mapping[str, Any]:
    """Every written key, those that repeat another one as `${key}` with its value."""
    written = {leaf.key.lstrip("+"): leaf.value for leaf in leaves}
    resolver = Resolver(written)
    return up(framework, release, trainer, {key: resolver.resolve(key).value for key in written})


def spoken_of(ledger: Ledger) -> set[str]:
    """Plan fields of which the ledger says that they are not what they were."""
    names = {path for line in ledger.sources if line.state in LOSSES and line.reason for path in line.plan}
    fields = {path for paths in SPEAKS.values() for path in paths}
    return names | {
        path for path in fields if any(note.startswith(path.removeprefix("stage.") + ":") for note in ledger.notes)
    }
