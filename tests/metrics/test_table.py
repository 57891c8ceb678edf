"""The table of metrics: one meaning for a name, and counters for every run that it names."""

from __future__ import annotations

from collections import Counter

import pytest

from rftconf.base.errors import UsageError
from rftconf.mappers.profiles import families, metrics_of
from rftconf.metrics.naming import counters_of, history, name_for, name_in, step_keys, understood
from rftconf.metrics.quantity import RUNNER, side, title
from rftconf.metrics.table import COUNTERS, QUANTITIES
from rftconf.schemas import registry
from rftconf.schemas.registry import FRAMEWORKS

SIDES = (*FRAMEWORKS, RUNNER)


@pytest.mark.parametrize("framework", SIDES)
def test_a_name_stands_for_one_quantity(framework: str) -> None:
    names = Counter(
        name
        for quantity in QUANTITIES
        if framework in quantity.logged
        for name in {quantity.logged[framework].name, *(older.name for older in quantity.logged[framework].older)}
    )
    assert [name for name, count in names.items() if count > 1] == []
    assert names


def test_every_quantity_is_somebodys_and_every_somebody_is_known() -> None:
    for quantity in QUANTITIES:
        assert quantity.logged, quantity.says
        assert set(quantity.logged) <= set(SIDES)
    assert len({quantity.says for quantity in QUANTITIES}) == len(QUANTITIES)


@pytest.mark.parametrize("family", families())
def test_a_frameworks_own_table_names_quantities_that_there_are(family: str) -> None:
    names = metrics_of(family)
    assert names is not None
    assert set(names.LOGGED) <= {quantity.says for quantity in QUANTITIES}
    assert {counter.framework for counter in names.COUNTERS} == {family}


def test_runs_have_counters() -> None:
    assert {counter.framework for counter in COUNTERS} == set(SIDES)
    for quantity in QUANTITIES:
        for framework, logged in quantity.logged.items():
            assert logged.run in {counter.run for counter in counters_of(framework)}, (framework, logged.name)


@pytest.mark.parametrize("framework", SIDES)
def test_a_name_is_understood_as_its_own_quantity(framework: str) -> None:
    """Also those with placeholders: filled with something plain, the most specific pattern wins."""
    for quantity in QUANTITIES:
        logged = quantity.logged.get(framework)
        if logged is None:
            continue
        result = understood(framework, logged.name.format_map(dict.fromkeys(logged.placeholders, "gsm8k")))
        assert result is not None
        assert result.quantity is quantity, logged.name


def test_placeholders_are_carried_over() -> None:
    result = understood("verl", "val-core/openai/gsm8k/acc/mean@8")
    assert result is not None
    assert result.filled == {"source": "openai/gsm8k", "n": "8"}
    assert name_for(result, "roll") == ("val_correct/openai/gsm8k/mean", "")
    assert name_for(result, "runner") == ("", "logs nothing like it")


def test_what_a_name_does_not_tell_is_said() -> None:
    result = understood("roll", "val_correct/math/mean")
    assert result is not None
    assert name_for(result, "verl") == ("", "calls it val-core/{source}/acc/mean@{n}, and this does not tell n")


def test_older_names_are_understood_and_not_written() -> None:
    result = understood("roll", "actor/pg_loss")
    assert result is not None
    assert name_for(result, "roll") == ("actor/pg_loss@sum", "")


def test_unknown_names() -> None:
    assert understood("verl", "my/own") is None
    assert step_keys("roll") == ("step", "_step", "system/global_step", "system/step")
    assert (side("Trinity-RFT"), side("rftconf"), title("runner")) == ("trinity", "runner", "our runner")
    with pytest.raises(UsageError, match="no framework is called 'nobody'"):
        side("nobody")


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_what_is_said_of_earlier_releases_is_of_catalogued_ones(framework: str) -> None:
    order = registry.framework(framework).releases
    for quantity in QUANTITIES:
        logged = quantity.logged.get(framework)
        if logged is None:
            continue
        for message in (logged.since, *(older.until for older in logged.older)):
            assert not message or message in order, logged.name
        assert logged.since != order[0], logged.name  # says nothing
        assert all(older.until != order[-1] for older in logged.older), logged.name
        assert name_in(logged, framework, order[-1]) == logged.name


def test_names_of_earlier_releases() -> None:
    kl = understood("trinity", "critic/kl")
    assert kl is not None
    assert kl is not understood("trinity", "advantage/kl")
    assert name_for(kl, "trinity") == ("advantage/kl", "")
    assert name_for(kl, "trinity", "0.5.2") == ("critic/kl", "")
    assert history(kl.logged, "trinity") == "critic/kl until 0.5.2"
    sync = understood("verl", "timing_s/reshard")
    assert sync is not None
    assert [name_in(sync.logged, "verl", release) for release in ("0.5.0", "0.6.1", "0.7.1")] == [
        "timing_s/reshard",
        "",
        "timing_s/update_weights",
    ]
    assert name_for(sync, "verl", "0.6.1") == ("", "0.6.1 logs nothing like it; 0.7.1 does")
    assert history(sync.logged, "verl") == "timing_s/reshard from 0.4.1 until 0.5.0; under its name since 0.7.1"


def test_names_of_earlier_releases_of_openrlhf() -> None:
    """Numbers of all answers came in 0.9.8; before, what the updates log was all there was."""
    reward, cut = understood("openrlhf", "train/reward"), understood("openrlhf", "train/response_clip_ratio")
    assert reward is not None
    assert cut is not None
    assert name_for(reward, "openrlhf") == ("train/rollout/reward_mean", "")
    assert name_for(reward, "openrlhf", "0.9.7") == ("train/reward", "")
    assert name_for(cut, "openrlhf", "0.8.5") == ("train/response_clip_ratio", "")
    assert name_in(cut.logged, "openrlhf", "0.8.2") == ""
    norm = understood("openrlhf", "train/actor_grad_norm")
    assert norm is not None
    assert name_for(norm, "openrlhf", "0.9.4") == ("", "0.9.4 logs nothing like it; 0.9.7 does")
