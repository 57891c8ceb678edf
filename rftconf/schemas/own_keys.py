"""Keys that a framework really has show that a file is its config; what it would merely let pass says nothing."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from itertools import islice

from rftconf.base.enumeration import enumerate_words
from rftconf.schemas import catalogue, registry
from rftconf.schemas.guess import Guess, guess

COMMON = frozenset(
    {
        *("output_dir", "logging_dir", "seed", "max_steps", "save_steps", "eval_steps", "logging_steps", "local_rank"),
        *("max_grad_norm", "resume_from_checkpoint", "report_to", "num_nodes", "beta", "gamma", "name", "mode"),
        *("ppo_epochs", "whiten_rewards", "model_name_or_path", "project", "group"),
        *("init_kl_coef", "kl_penalty", "target_kl"),
    }
)
"""Names at the top of a file that Hugging Face's TrainingArguments, TRL's PPOConfig and others have too: they tell nothing apart."""
_SPARSE = 20
"""A file of more keys than this for each that is known is somebody's own: `data.train_batch_size` is a name anyone may take."""
_INDEX = re.compile(r"\[\d+\]")
_NAMED = 3
_PART = 8
"""The fewest keys of a section by which a file is known as one that a config takes in."""


def knows(best: Guess, keys: Iterable[str], fewest: int) -> bool:
    """True where the release knows at least `fewest` of the keys and a twentieth of them, one of them not a name that
    everybody uses, or they are a declared fork's."""
    if best.dialect:
        return True
    known = catalogue.load(best.framework, best.release, best.trainer)
    keys, marks = tuple(keys), registry.framework(best.framework).marks
    if marks and not any(key in marks for key in keys):
        return False
    own, others, every = 0, set[str](), 0
    for key in keys:
        every += 1
        if key not in known:
            continue
        if key in COMMON:
            others.add(key)
        else:
            own += 1
    return own > 0 and own + len(others) >= fewest and own + len(others) >= every / _SPARSE


def count(best: Guess, keys: Iterable[str]) -> int:
    """Count the keys that the release knows."""
    known = catalogue.load(best.framework, best.release, best.trainer)
    return sum(key in known for key in keys)


def section_of(best: Guess, keys: Collection[str]) -> tuple[str, str]:
    """The framework and its section whose keys these are, written without it, in some release; empty for a config's own.

    Only frameworks whose configs are composed of groups have files of such a kind.
    """
    if best.dialect or len(keys) < _PART or 2 * count(best, keys) > len(keys):
        return "", ""
    most, section, title = 0, "", ""
    written = frozenset(keys)
    for framework in registry.FRAMEWORKS.values():
        for release in framework.releases if framework.adds_with_plus else ():
            for trainer in framework.trainers_of(release):
                known = catalogue.load(framework.name, release, trainer).written_defaults
                for node, taken in _sections_of(written, known).items():
                    most, section, title = max((most, section, title), (taken, node, framework.title))
    return (title, section) if 3 * most >= 2 * len(written) else ("", "")


def _sections_of(written: Collection[str], known: Iterable[str]) -> Counter[str]:
    """Count for each section of a catalogue how many of the keys it has; they are written without the section."""
    counts: Counter[str] = Counter()
    last_names = {key[key.rfind(".") + 1 :] for key in written}
    for key in known:
        if key[key.rfind(".") + 1 :] not in last_names:
            continue  # most keys of most catalogues
        dot = key.find(".")
        while dot >= 0:
            counts[key[:dot]] += key[dot + 1 :] in written
            dot = key.find(".", dot + 1)
    return counts


def unlike(keys: Collection[str]) -> str:
    """Explain why a file with these keys is no config: the frameworks that come nearest, and what it lacks for each."""
    titles = [framework.title for framework in registry.FRAMEWORKS.values()]
    # records of a log are alike, and one of them tells as much as a thousand
    alike = dict.fromkeys(_INDEX.sub("[0]", key) for key in keys)
    near = "; ".join(islice(_nearest(alike), 2))
    return f"this is no config of {', '.join(titles[:-1])} or {titles[-1]}: {near}"


def _nearest(keys: Collection[str]) -> Iterator[str]:
    """For each framework, the best fit first, which of its keys are here and which of its sections are not."""
    tops = {key.partition(".")[0].partition("[")[0] for key in keys}
    ranked = []
    for name, framework in registry.FRAMEWORKS.items():
        best = guess(dict.fromkeys(keys), overrides=False, framework=name)
        known = catalogue.load(best.framework, best.release, best.trainer)
        known_keys = [key for key in keys if key in known]
        ranked.append((len(known_keys), framework.title, known_keys, [s for s in framework.sections if s not in tops]))
    for count, title, known_keys, lacking in sorted(ranked, key=lambda ranked_entry: -ranked_entry[0]):
        has = f"only {enumerate_words(known_keys, _NAMED)}" if count else "none of its keys"
        lacks = f", and no {', no '.join(lacking)}" if lacking else ""
        yield f"for {title} it has {has}{lacks}"
