"""Several data sets: which prompt has which number, whatever the run has done before; shares of a period; rewards by name."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from rftconf_runner import rules
from rftconf_runner.job import RewardSource
from rftconf_runner.job_data import Share
from rftconf_runner.job_reader import job_of
from rftconf_runner.mixing import Epochs, Shares, counts, domain_of
from rftconf_runner.refusals import refusals

from rftconf.plan.data_parts import DataSet, Domain
from rftconf.plan.model import Plan
from tests.runner.test_job import plan


def taken(order: Epochs | Shares, start: int, count: int) -> list[int]:
    return [order.at(number) for number in range(start, start + count)]


@pytest.mark.parametrize("interleaves", [False, True])
def test_an_epoch_has_every_prompt_once_and_follows_from_its_number(interleaves: bool) -> None:
    def order() -> Epochs:
        return Epochs([5, 11], 16, 3, shuffles=True, interleaves=interleaves)

    first, second = taken(order(), 0, 16), taken(order(), 16, 16)
    assert sorted(first) == sorted(second) == list(range(16))
    assert first != second
    assert taken(order(), 10, 12) == (first + second)[10:22]  # a run that goes on knows nothing of what it read


def test_one_data_set_keeps_the_order_that_it_always_had() -> None:
    """Also several that are one behind the other: runs of before go on with the same prompts."""
    import random

    wanted = list(range(16))
    random.Random("3/0").shuffle(wanted)
    assert taken(Epochs([16], 16, 3, shuffles=True, interleaves=True), 0, 16) == wanted
    assert taken(Epochs([5, 11], 16, 3, shuffles=True, interleaves=False), 0, 16) == wanted


def test_interleaved_sets_keep_their_own_order() -> None:
    """As Trinity-RFT's scheduler: which set is next is drawn, each as often as it has rows; a set that is read in order stays so."""
    found = taken(Epochs([5, 11], 16, 3, shuffles=False, interleaves=True), 0, 16)
    assert [at for at in found if at < 5] == list(range(5))
    assert [at for at in found if at >= 5] == list(range(5, 16))
    assert found != list(range(16))


def test_what_is_left_over_of_an_epoch_is_left_out() -> None:
    order = Epochs([5, 5], 8, 0, shuffles=True, interleaves=False)
    assert len(set(taken(order, 0, 8))) == 8
    assert len(set(taken(order, 8, 8))) == 8


def test_shares_are_counts_of_every_period() -> None:
    """ROLL's rule, to the float: 0.29 * 100 is 28; the last domain has the rest."""
    assert counts([0.29, 0.71], 100) == [28, 72]
    assert counts([0.4, 0.3, 0.1, 0.1, 0.1], 64) == [25, 19, 6, 6, 8]
    domains = ["a"] * 7 + ["b"] * 5 + ["c"] * 4
    shares = (Share("b", ("x",), 2), Share("a", (), 6), Share("c", (), 0))

    def order() -> Shares:
        return Shares(shares, domains, 1, shuffles=True)

    periods = [taken(order(), 8 * at, 8) for at in range(14)]
    for one in periods:
        assert [domains[at] for at in one] == ["b"] * 2 + ["a"] * 6
    drawn = Counter(at for one in periods for at in one)
    assert {drawn[at] for at in range(7)} == {12}  # 14 periods of 6 are 12 times 7 rows
    assert {drawn[at] for at in range(7, 12)} <= {5, 6}
    assert all(drawn[at] == 0 for at in range(12, 16))
    assert taken(order(), 43, 11) == [at for one in periods for at in one][43:54]


def test_a_domain_with_fewer_prompts_than_its_share() -> None:
    with pytest.raises(ValueError, match="b has 1 prompts, and 2 are drawn"):
        Shares((Share("a", (), 2), Share("b", (), 2)), ["a", "a", "b"], 0, shuffles=True)


def test_a_row_has_the_domain_of_its_column_or_its_tag() -> None:
    shares = (Share("math", ("gsm", "aime"), 3), Share("code", ("kod",), 1))
    assert [domain_of(None, "aime", shares), domain_of("code", "aime", shares)] == ["math", "code"]
    for domain, tag, said in (
        (None, "poem", "tag 'poem'"),
        ("poems", "gsm", "domain 'poems'"),
        (None, None, "tag None"),
    ):
        with pytest.raises(ValueError, match=said):
            domain_of(domain, tag, shares)


def mixed(mixing: str | None, *domains: Domain, **data: Any) -> Plan:
    """The plan of KEYS with two data sets."""
    found = plan(data__seed="0")
    stage = found.stages[0]
    second = stage.data.train[0].model_copy(update={"uri": "/d/more.jsonl", **data})
    stage.data.train.append(second)
    stage.data.mixing, stage.data.domains = mixing, list(domains)  # type: ignore[assignment]
    return found


MATH, CODE = Domain(name="math", tags=["gsm"], weight=0.7), Domain(name="code", tags="kod", weight=0.3)


def test_numbers_of_several_data_sets() -> None:
    whole = mixed("concat")
    assert refusals(whole) == []
    assert [rows.uri for rows in job_of(whole).data] == ["/d/train.parquet", "/d/more.jsonl"]
    shared = mixed("weighted", MATH, CODE, Domain(name="only_validated", tags=["t"]))
    assert refusals(shared) == []
    assert job_of(shared).shares == (
        Share("math", ("gsm",), 5),
        Share("code", ("kod",), 3),
        Share("only_validated", ("t",), 0),
    )


def test_columns_of_each_data_set() -> None:
    found = mixed("proportional", prompt_type="plaintext")
    found.stages[0].data.train[1].keys = (
        found.stages[0].data.train[1].keys.model_copy(update={"prompt": "question", "response": "solved"})
    )
    assert refusals(found) == []
    first, second = job_of(found).data
    assert (first.column, second.column, second.truth, second.chats) == ("prompt", "question", "solved", False)


@pytest.mark.parametrize(
    ("domains", "changes", "path"),
    [
        ((), {"mixing": None}, "data.mixing"),
        ((), {"mixing": "weighted"}, "data.mixing"),
        ((MATH, CODE.model_copy(update={"weight": 0.5})), {}, "data.domains[].weight"),
        ((MATH.model_copy(update={"weight": 0.95}), CODE.model_copy(update={"weight": 0.05})), {}, None),
        (
            (CODE.model_copy(update={"weight": 0.05}), MATH.model_copy(update={"weight": 0.95})),
            {},
            "data.domains[].weight",
        ),
        ((MATH, CODE.model_copy(update={"weight": None})), {}, "data.domains[].weight"),
        ((MATH, CODE.model_copy(update={"tags": ["gsm", "x"]})), {}, "data.domains[].tags"),
        ((MATH, CODE), {"std_scope": "batch"}, "algorithm.std_scope"),
        ((MATH, CODE), {"whiten_advantage": True}, "algorithm.whiten_advantage"),
        ((MATH, CODE), {"advantage": "reinforce_pp", "whiten_advantage": None}, "algorithm.whiten_advantage"),
    ],
)
def test_what_the_plan_leaves_open_is_refused(domains: tuple[Domain, ...], changes: dict[str, Any], path: str) -> None:
    found = mixed(changes.get("mixing", "weighted"), *domains)
    for name in changes.keys() - {"mixing"}:
        setattr(found.stages[0].algorithm, name, changes[name])
    assert [one.path for one in refusals(found)] == ([f"stage.{path}"] if path else [])


def test_groups_are_not_drawn_again_where_domains_have_shares() -> None:
    found = mixed("weighted", MATH, CODE)
    found.stages[0].algorithm = (
        plan(algorithm__filter_groups__enable="True", algorithm__filter_groups__metric="acc").stages[0].algorithm
    )
    assert "stage.algorithm.filters" in [one.path for one in refusals(found)]


def test_a_reward_for_each_domain() -> None:
    """By name; where the plan's own function is left, it scores the others."""
    found = mixed("weighted", MATH.model_copy(update={"reward": "roll.MathRuleRewardWorker"}), CODE)
    rules.give(found, "math=gsm8k")
    assert refusals(found) == []
    assert job_of(found).rewards == (
        RewardSource("math", rules.__file__, "gsm8k", {}),
        RewardSource("", "/d/reward.py", "compute_score", {}),
    )
    found.stages[0].reward.function_path = None
    (refused,) = refusals(found)
    assert (refused.path, refused.why.endswith(" for code")) == ("stage.reward.function_path", True)
    rules.give(found, "code=format:=+")
    assert refusals(found) == []
    assert job_of(found).rewards[1].arguments == {"pattern": "=+"}


def test_the_reward_of_a_single_domain_is_that_of_all() -> None:
    found = plan()
    found.stages[0].data.domains = [MATH.model_copy(update={"weight": 1.0})]
    rules.give(found, "math=exact")
    assert job_of(found).rewards == (RewardSource("", rules.__file__, "exact", {}),)
    found.stages[0].reward.function_path = None
    assert refusals(found) == []
    named = plan()
    named.stages[0].data.train[0].name = "gsm"
    rules.give(named, "gsm=exact")
    assert job_of(named).rewards == job_of(found).rewards
    assert job_of(named).data[0].name == ""


def test_a_data_sets_reward_where_rows_have_domains() -> None:
    found = mixed("weighted", MATH, CODE, name="second")
    rules.give(found, "second=exact")
    assert [one.path for one in refusals(found)] == ["stage.data.train[].reward"]


def test_a_reward_for_each_data_set() -> None:
    """A name of the framework's own is no reward that the runner has."""
    found = mixed("proportional", name="second", reward="math_reward", workflow="math_workflow")
    assert {one.path for one in refusals(found)} == {"stage.data.train[].reward", "stage.data.train[].workflow"}
    rules.give(found, "second=exact")
    assert refusals(found) == []
    assert [one.domain for one in job_of(found).rewards] == ["second", ""]
    with pytest.raises(ValueError, match="neither a rule"):
        rules.give(found, "second=nothing")


def test_what_is_given_by_name_survives_in_the_plan_that_a_run_keeps() -> None:
    found = mixed("weighted", MATH, CODE)
    rules.give(found, "math=exact")
    again = Plan.model_validate(json.loads(found.model_dump_json()))
    assert job_of(again) == job_of(found)


def test_prompts_of_several_files(tmp_path: Path) -> None:
    """Read as they lie: each row knows its domain, and what a reward is told."""
    pytest.importorskip("datasets", reason="needs the runner's environment (make runner-env)")
    from rftconf_runner.data import Prompts

    files = [tmp_path / f"{name}.jsonl" for name in ("gsm", "kod")]
    for file in files:
        rows = [
            {"prompt": f"{file.stem} {at}", "tag": file.stem, "answer": str(at), "more": {file.stem: at}}
            for at in range(9)
        ]
        file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = mixed("weighted", MATH, CODE)
    found.stages[0].data.train = [DataSet(uri=str(file), name=file.stem) for file in files]
    data = Prompts(job_of(found), Letters())
    assert [one.domain for one in data.take(0, 8)] == ["math"] * 5 + ["code"] * 3
    assert {(one.domain, one.source) for one in data.take(0, 80)} == {("math", "gsm"), ("code", "kod")}
    assert [(one.asked, one.truth) for one in data.take(800, 8)] == [
        (one.asked, one.asked[-1]) for one in Prompts(job_of(found), Letters()).take(800, 8)
    ]
    found.stages[0].data.domains = [MATH, CODE.model_copy(update={"tags": ["other"]})]
    with pytest.raises(ValueError, match=r"kod.jsonl, row 0: a row's tag 'kod' is of none"):
        Prompts(job_of(found), Letters())


class Letters:
    """A token for each letter."""

    def __call__(self, text: str, **_: Any) -> dict[str, list[int]]:
        return {"input_ids": [ord(letter) for letter in text]}
