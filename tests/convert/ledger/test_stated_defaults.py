"""What a conversion calls a default is one: the catalogue of the release has it, for every such comment over the corpus."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from rftconf.base.symbols import formula
from rftconf.convert.convert import Conversion, Options, convert_loaded
from rftconf.load.load import load
from rftconf.mappers.paths import without_indices
from rftconf.schemas import catalogue, registry
from rftconf.text.read.read import read
from rftconf.text.source import Source
from tests.corpus_conversions import of_sample

EVERY = 5
IS = re.compile(r"(?P<title>\S+) (?P<release>[\d.]+) default of (?P<key>\S+)")
WAS = re.compile(r"(?P<key>[^\s=]+)=(?P<value>.*), the (?P<title>\S+) (?P<release>[\d.]+) default(?:$|;)")


def said(done: Conversion) -> Iterator[tuple[str, str, Any]]:
    """Key, release and default of each comment that names one; text where it stands in the comment."""
    for line in done.ledger.targets:
        is_one, was = IS.fullmatch(line.comment), WAS.match(line.comment)
        if is_one:
            yield is_one["key"], is_one["release"], line.value
        elif was:
            yield was["key"], was["release"], f"text {was['value']}"


def has(done: Conversion, key: str, release: str, value: Any) -> bool:
    """True where the catalogue of the release has this default for the key."""
    source = done.ledger.source_framework
    trainers = registry.framework(source).trainers_of(release)
    known = [catalogue.load(source, release, trainer) for trainer in trainers]
    defaults = [
        new_catalogue.default(name)
        for new_catalogue in known
        for name in (key, without_indices(key))
        if name in new_catalogue
    ]
    if isinstance(value, str) and value.startswith("text "):
        return any(value[5:] == spelled(default) for default in defaults)
    return any(type(default) is type(value) and default == value for default in defaults)


def spelled(value: Any) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(map(spelled, value)) + "]"
    return "null" if value is None else str(value) if not isinstance(value, dict) else formula(value)


def test_every_default_that_is_named_is_one() -> None:
    values = of_sample(EVERY)
    if not values:
        pytest.skip("no corpus lies beside this project")
    named = [(real.name, to, done, *entry) for real, to, done in values for entry in said(done)]
    assert len(named) > len(values)
    wrong = {(to, key, str(value)) for _, to, done, key, release, value in named if not has(done, key, release, value)}
    assert wrong == set()


@pytest.mark.parametrize(
    ("config", "to", "comment"),
    [
        (
            "python3 -m verl.trainer.main_ppo algorithm.adv_estimator=grpo data.train_files=a.parquet",
            "roll",
            "trainer.resume_mode=auto, the veRL 0.9.1 default; ",
        ),
        (
            "python3 -m verl.trainer.main_ppo algorithm.adv_estimator=grpo data.train_files=a.parquet",
            "trinity",
            "algorithm.rollout_correction.bypass_mode=False, the veRL 0.9.1 default",
        ),
    ],
)
def test_what_becomes_of_a_default_is_not_called_the_default(config: str, to: str, comment: str) -> None:
    """`resume_from_checkpoint: false` was called the default of resume_mode, which is auto; so was bypass_old_logprobs."""
    done = convert_loaded(load(read(Source("run.sh", config)), release="0.9.1"), to, Options())
    assert any(comment in line.comment for line in done.ledger.targets)
