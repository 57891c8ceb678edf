"""Several data sets: which prompt has which number, whatever the run has done before; shares of a period; rewards by name."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from rftconf_runner import rules
from rftconf_runner.job_data import Share
from rftconf_runner.job_reader import job_of
from rftconf_runner.job_rewards import RewardSource
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

    expected = list(range(16))
    random.Random("3/0").shuffle(expected)
    assert taken(Epochs([16], 16, 3, shuffles=True, interleaves=True), 0, 16) == expected
    assert taken(Epochs([5, 11], 16, 3, shuffles=True, interleaves=False), 0, 16) == expected


def test_interleaved_sets_keep_their_own_order() -> None:
    """As Trinity-RFT's scheduler: which set is next is drawn, each as often as it has rows; a set that is read in order stays so."""
    values = taken(Epochs([5, 11], 16, 3, shuffles=False, interleaves=True), 0, 16)
    assert [index for index in values if index < 5] == list(range(5))
    assert [index for index in values if index >= 5] == list(range(5, 16))
    assert values != list(range(16))


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

    periods = [taken(order(), 8 * index, 8) for index in range(14)]
    for period in periods:
        assert [domains[index] for index in period] == ["b"] * 2 + ["a"] * 6
    drawn = Counter(index for period in periods for index in period)
    assert {drawn[index] for index in range(7)} == {12}  # 14 periods of 6 are 12 times 7 rows
    assert {drawn[index] for index in range(7, 12)} <= {5, 6}
    assert all(drawn[index] == 0 for index in range(12, 16))
    assert taken(order(), 43, 11) == [index for period in periods for index in period][43:54]


def test_a_domain_with_fewer_prompts_than_its_share() -> None:
    with pytest.raises(ValueError, match="b has 1 prompts, and 2 are drawn"):
        Shares((Share("a", (), 2), Share("b", (), 2)), ["a", "a", "b"], 0, shuffles=True)


def test_a_row_has_the_domain_of_its_column_or_its_tag() -> None:
    shares = (Share("math", ("gsm", "aime"), 3), Share("code", ("kod",), 1))
    assert [domain_of(None, "aime", shares), domain_of("code", "aime", shares)] == ["math", "code"]
    for domain, tag, text in (
        (None, "poem", "tag 'poem'"),
        ("poems", "gsm", "domain 'poems'"),
        (None, None, "tag None"),
    ):
        with pytest.raises(ValueError, match=text):
            domain_of(domain, tag, shares)


def mixed(mixing: str | None, *domains: Domain, **data: Any) -> Plan:
    """The plan of KEYS with two data sets."""
    new_plan = plan(data__seed="0")
    stage = new_plan.stages[0]
    second = stage.data.train[0].model_copy(update={"uri": "/d/more.jsonl", **data})
    stage.data.train.append(second)
    stage.data.mixing, stage.data.domains = mixing, list(domains)  # type: ignore[assignment]
    return new_plan


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
    new_plan = mixed("proportional", prompt_type="plaintext")
    new_plan.stages[0].data.train[1].keys = (
        new_plan.stages[0].data.train[1].keys.model_copy(update={"prompt": "question", "response": "solved"})
    )
    assert refusals(new_plan) == []
    first, second = job_of(new_plan).data
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
    new_plan = mixed(changes.get("mixing", "weighted"), *domains)
    for name in changes.keys() - {"mixing"}:
        setattr(new_plan.stages[0].algorithm, name, changes[name])
    assert [refusal.path for refusal in refusals(new_plan)] == ([f"stage.{path}"] if path else [])


def test_groups_are_not_drawn_again_where_domains_have_shares() -> None:
    new_plan = mixed("weighted", MATH, CODE)
    new_plan.stages[0].algorithm = (
        plan(algorithm__filter_groups__enable="True", algorithm__filter_groups__metric="acc").stages[0].algorithm
    )
    assert "stage.algorithm.filters" in [refusal.path for refusal in refusals(new_plan)]


def test_a_reward_for_each_domain() -> None:
    """By name; where the plan's own function is left, it scores the others."""
    new_plan = mixed("weighted", MATH.model_copy(update={"reward": "roll.MathRuleRewardWorker"}), CODE)
    rules.give(new_plan, "math=gsm8k")
    assert refusals(new_plan) == []
    assert job_of(new_plan).rewards == (
        RewardSource("math", rules.__file__, "gsm8k", {}),
        RewardSource("", "/d/reward.py", "compute_score", {}),
    )
    new_plan.stages[0].reward.function_path = None
    (refused,) = refusals(new_plan)
    assert (refused.path, refused.why.endswith(" for code")) == ("stage.reward.function_path", True)
    rules.give(new_plan, "code=format:=+")
    assert refusals(new_plan) == []
    assert job_of(new_plan).rewards[1].arguments == {"pattern": "=+"}


def test_the_reward_of_a_single_domain_is_that_of_all() -> None:
    new_plan = plan()
    new_plan.stages[0].data.domains = [MATH.model_copy(update={"weight": 1.0})]
    rules.give(new_plan, "math=exact")
    assert job_of(new_plan).rewards == (RewardSource("", rules.__file__, "exact", {}),)
    new_plan.stages[0].reward.function_path = None
    assert refusals(new_plan) == []
    named = plan()
    named.stages[0].data.train[0].name = "gsm"
    rules.give(named, "gsm=exact")
    assert job_of(named).rewards == job_of(new_plan).rewards
    assert job_of(named).data[0].name == ""


def test_a_data_sets_reward_where_rows_have_domains() -> None:
    new_plan = mixed("weighted", MATH, CODE, name="second")
    rules.give(new_plan, "second=exact")
    assert [refusal.path for refusal in refusals(new_plan)] == ["stage.data.train[].reward"]


def test_a_reward_for_each_data_set() -> None:
    """A name of the framework's own is no reward that the runner has."""
    new_plan = mixed("proportional", name="second", reward="math_reward", workflow="math_workflow")
    assert {refusal.path for refusal in refusals(new_plan)} == {
        "stage.data.train[].reward",
        "stage.data.train[].workflow",
    }
    rules.give(new_plan, "second=exact")
    assert refusals(new_plan) == []
    assert [source.domain for source in job_of(new_plan).rewards] == ["second", ""]
    with pytest.raises(ValueError, match="neither a rule"):
        rules.give(new_plan, "second=nothing")


def test_what_is_given_by_name_survives_in_the_plan_that_a_run_keeps() -> None:
    new_plan = mixed("weighted", MATH, CODE)
    rules.give(new_plan, "math=exact")
    again = Plan.model_validate(json.loads(new_plan.model_dump_json()))
    assert job_of(again) == job_of(new_plan)


def test_prompts_of_several_files(tmp_path: Path) -> None:
    """Read as they lie: each row knows its domain, and what a reward is told."""
    pytest.importorskip("datasets", reason="needs the runner's environment (make runner-env)")
    from rftconf_runner.data import Prompts

    files = [tmp_path / f"{name}.jsonl" for name in ("gsm", "kod")]
    for file in files:
        rows = [
            {"prompt": f"{file.stem} {index}", "tag": file.stem, "answer": str(index), "more": {file.stem: index}}
            for index in range(9)
        ]
        file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    new_plan = mixed("weighted", MATH, CODE)
    new_plan.stages[0].data.train = [DataSet(uri=str(file), name=file.stem) for file in files]
    data = Prompts(job_of(new_plan), Letters())
    assert [prompt.domain for prompt in data.take(0, 8)] == ["math"] * 5 + ["code"] * 3
    assert {(prompt.domain, prompt.source) for prompt in data.take(0, 80)} == {("math", "gsm"), ("code", "kod")}
    assert [(prompt.asked, prompt.truth) for prompt in data.take(800, 8)] == [
        (prompt.asked, prompt.asked[-1]) for prompt in Prompts(job_of(new_plan), Letters()).take(800, 8)
    ]
    new_plan.stages[0].data.domains = [MATH, CODE.model_copy(update={"tags": ["other"]})]
    with pytest.raises(ValueError, match=r"kod.jsonl, row 0: a row's tag 'kod' is of none"):
        Prompts(job_of(new_plan), Letters())


class Letters:
    """A token for each letter."""

    def __call__(self, text: str, **_: Any) -> dict[str, list[int]]:
        return {"input_ids": [ord(letter) for letter in text]}
