"""Models that score answers: what of a plan is one, which answers it scores, and what is refused by field."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rftconf_runner import judged, rules
from rftconf_runner.grader_reader import unasked
from rftconf_runner.job_reader import job_of
from rftconf_runner.job_rewards import Grader, RewardSource
from rftconf_runner.refusals import refusals

from rftconf.load.load import load
from rftconf.plan.data_parts import Domain, Sampling
from rftconf.plan.model import Auxiliary, Plan
from rftconf.text.read.read import read
from rftconf.text.source import Source
from tests.runner.test_job import KEYS, plan
from tests.sources import ROOT

MODEL = {
    "reward__reward_model__enable": "True",
    "reward__reward_model__model_path": "/rm",
    "reward__reward_model__rollout__name": "vllm",
    "reward__reward_model__rollout__tensor_model_parallel_size": "1",
}


def modelled(**changes: str) -> Plan:
    """veRL's reward model, without a function of one's own."""
    keys = {key: value for key, value in KEYS.items() if not key.startswith("reward.")}
    keys |= {name.replace("__", "."): value for name, value in {**MODEL, **changes}.items()}
    words = " ".join(f"{key}={value}" for key, value in keys.items())
    return load(read(Source("run.sh", f"python3 -m verl.trainer.main_ppo {words}\n")), release="0.9.1").plan


def test_a_reward_model_is_a_classifier() -> None:
    """veRL: asked about every answer; its defaults are half of the GPU, bfloat16, 2048 tokens each."""
    assert refusals(modelled()) == []
    job = job_of(modelled())
    assert job.rewards == ()
    assert job.graders == (Grader("classifier", "", "/rm", 1, False, "bfloat16", 0.5, 4096),)
    assert [name for name, _ in job.posts] == ["classifier 0"]
    pool = {"enable_resource_pool": "True", "nnodes": "1", "n_gpus_per_node": "2"}
    (two,) = job_of(modelled(**{f"reward__reward_model__{key}": value for key, value in pool.items()})).graders
    assert (two.copies, two.apart) == (2, True)


def test_with_a_function_it_is_a_judge() -> None:
    """veRL: then the function reads the model's words, whatever the model is."""
    new_plan = plan(**MODEL)
    assert refusals(new_plan) == []
    (judge,) = job_of(new_plan).graders
    assert (judge.kind, judge.response_tokens, judge.temperature) == ("judge", 2048, 0.0)


def judge(**changes: Any) -> Auxiliary:
    sampling = Sampling(temperature=0.8, top_p=0.9, top_k=20, repetition_penalty=1.1, responses=1)
    own = Auxiliary(role="judge", name="llm", path="/j", engine="hf", gpus=2, own_pool=True, response_max_tokens=64)
    return own.model_copy(update={"sampling": sampling, "prompt": "Xguard", **changes})


def judging(*models: Auxiliary, domains: tuple[Domain, ...] = ()) -> Plan:
    new_plan = plan()
    new_plan.stages[0].placement.auxiliary = list(models)
    new_plan.stages[0].data.domains = list(domains)
    new_plan.stages[0].data.mixing = "weighted" if domains[1:] else "concat"
    return new_plan


def test_numbers_of_a_judge() -> None:
    new_plan = judging(judge(model_max_tokens=512))
    assert refusals(new_plan) == []
    assert job_of(new_plan).graders == (
        Grader("judge", "", "/j", 2, True, "auto", 0.0, 512, 64, 0.8, 0.9, 20, 1.1, "Xguard", captures=True),
    )


MATH, CHAT = Domain(name="math", tags=["m"], weight=0.5), Domain(name="chat", tags=["c"], weight=0.5)


def test_a_domain_has_a_model_of_its_own() -> None:
    new_plan = judging(
        judge(domain="chat"), judge(domain="seen", name="val"), domains=(MATH, CHAT, Domain(name="seen"))
    )
    assert refusals(new_plan) == []
    assert [grader.domain for grader in job_of(new_plan).graders] == ["chat"]
    assert unasked(new_plan.stages[0]) == ["val"]
    alone = judging(judge(domain="math"), domains=(MATH.model_copy(update={"weight": 1.0}),))
    assert [grader.domain for grader in job_of(alone).graders] == [""]


def test_a_model_scores_one_domain_and_functions_the_others() -> None:
    """A framework's own reward code is not the model's score, until someone says that it is."""
    coded = CHAT.model_copy(update={"reward": "roll.SomeWorker"})
    new_plan = judging(judge(role="reward", domain="chat"), domains=(MATH, coded))
    new_plan.stages[0].reward.function_path = new_plan.stages[0].reward.function_name = None
    assert {refusal.path for refusal in refusals(new_plan)} == {
        "stage.data.domains[].reward",
        "stage.reward.function_path",
    }
    rules.give(new_plan, "chat=model")
    rules.give(new_plan, "math=exact")
    assert refusals(new_plan) == []
    job = job_of(new_plan)
    assert [grader.kind for grader in job.graders] == ["classifier"]
    assert [source.domain for source in job.rewards] == ["math"]


def test_the_models_score_instead_of_a_function() -> None:
    new_plan = plan(**MODEL)
    rules.give(new_plan, "model")
    assert refusals(new_plan) == []
    assert [grader.kind for grader in job_of(new_plan).graders] == ["classifier"]


@pytest.mark.parametrize(
    ("changes", "path", "why"),
    [
        ({"role": "teacher"}, "role", "a teacher's distribution"),
        ({"role": None}, "role", "guesses none"),
        ({"engine": "external"}, "engine", "nobody repeats"),
        ({"engine": "sglang"}, "engine", "executes vllm"),
        ({"tp": 2}, "tp", "one GPU"),
        ({"path": None}, "path", "which model"),
        ({"load_format": "dummy"}, "load_format", "random weights"),
        ({"dtype": "fp8"}, "dtype", "fp8"),
        ({"response_max_tokens": None}, "response_max_tokens", "how long"),
        ({"sampling": Sampling(responses=3)}, "sampling.responses", "does not read it"),
    ],
)
def test_what_is_not_executed_is_refused_by_field(changes: dict[str, Any], path: str, why: str) -> None:
    (refused,) = refusals(judging(judge(**changes)))
    assert refused.path == f"stage.placement.auxiliary[].{path}"
    assert why in refused.why


def test_two_models_for_the_same_answers() -> None:
    assert [refusal.path for refusal in refusals(judging(judge(), judge()))] == ["stage.placement.auxiliary[].domain"]


def test_what_a_reward_models_score_does_not_go_through() -> None:
    assert [refusal.path for refusal in refusals(modelled(reward__reward_manager__name="dapo"))] == [
        "stage.reward.manager"
    ]


def test_a_dry_run_says_who_scores_and_where(tmp_path: Path) -> None:
    chat, auxiliary = judge(domain="chat", gpus=1, engine="vllm"), judge(domain="seen", name="val")
    plans = {"judged": judging(chat, auxiliary, domains=(MATH, CHAT, Domain(name="seen"))), "modelled": modelled()}
    reply = {}
    for name, new_plan in plans.items():
        file = tmp_path / f"{name}.json"
        file.write_text(new_plan.model_dump_json())
        words = [
            sys.executable,
            "-m",
            "rftconf_runner",
            str(file),
            "--out",
            str(tmp_path / name),
            "--dry-run",
            "--no-trackers",
        ]
        path = os.pathsep.join((str(ROOT), str(ROOT / "runners")))
        done = subprocess.run(
            words, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        others = ("validation, which", "on GPUs: ")
        reply[name] = [line for line in done.stdout.splitlines()[1:] if not any(words in line for words in others)]
    assert reply["judged"] == [
        "judge 0: /j is asked by the reward function; answers of chat, on a place of its own",
        "domain math: 4 of a period's 8 prompts",
        "domain chat: 4 of a period's 8 prompts",
        "domain seen: 0 of a period's 8 prompts",
        "left out: val, which score validation only",
    ]
    assert reply["modelled"] == ["classifier 0: /rm scores by its head, bfloat16; answers, on the place of an engine"]


def test_a_symbol_is_named_not_guessed() -> None:
    with pytest.raises(ValueError, match=r"stage\.placement\.auxiliary\[0\]\.path = M"):
        job_of(modelled(reward__reward_model__model_path="${M}"))


def test_a_judges_yes(tmp_path: Path) -> None:
    form = tmp_path / "form.txt"
    form.write_text("Q {question} A {response} R {reference} {{yes}}")
    path, name, arguments = rules.parse_reward_option(f"judge:{form}")
    assert (path, name) == (judged.__file__, "says_yes")
    new_name = judged.judge_prompt(solution_str="4", ground_truth=5, prompt=[{"content": "2+2"}], **arguments)
    assert new_name == "Q 2+2 A 4 R 5 {yes}"
    assert [judged.says_yes(reply) for reply in ("Well, YES.", "no")] == [1.0, 0.0]
    with pytest.raises(ValueError, match="no judge"):
        judged.says_yes()


@pytest.mark.parametrize(("text", "message"), [("{answer}", "KeyError"), ("{", "ValueError"), (None, "cannot read")])
def test_what_no_form_is(tmp_path: Path, text: str | None, message: str) -> None:
    if text is not None:
        (tmp_path / "form").write_text(text)
    with pytest.raises(ValueError, match=message):
        rules.parse_reward_option(f"judge:{tmp_path / 'form'}")


def test_which_model_scores_an_answer() -> None:
    """A classifier of all leaves a domain alone that was given a function; a judge of all is asked there too."""
    pytest.importorskip("ray", reason="needs the runner's environment (make runner-env)")
    from rftconf_runner.grading import _grader_of

    (of_all,) = job_of(modelled()).graders
    own, wise = replace(of_all, domain="chat"), replace(of_all, kind="judge")
    job = replace(job_of(modelled()), graders=(of_all, own), rewards=(RewardSource("math", "f.py", "f", {}),))
    assert [_grader_of(job, domain) for domain in ("chat", "math", "code", "")] == [own, None, of_all, of_all]
    assert _grader_of(replace(job, graders=(wise,)), "math") is wise


ASKS = """
def judge_prompt(solution_str, template, weight, **_):
    return f"{template} {solution_str} {weight}"


def compute_score(judge_reply, weight, **_):
    return {"score": len(judge_reply) * weight, "length": len(judge_reply)}
"""


def test_what_a_reward_function_asks_and_is_told(tmp_path: Path) -> None:
    """Its own arguments go to both; a function that asks nobody is not asked for a question, unless none asks."""
    pytest.importorskip("ray", reason="needs the runner's environment (make runner-env)")
    from rftconf_runner import reward
    from rftconf_runner.scoring_requests import ScoringRequest

    actor: Any = reward.Scorer
    instance = actor.__ray_metadata__.modified_class
    (tmp_path / "asks.py").write_text(ASKS)
    sources = [RewardSource("", str(tmp_path / "asks.py"), "compute_score", {"weight": 2}), *_silent()]
    scorer = instance(sources)
    first, second = ScoringRequest("chat", "s", "hello", "t", {}), ScoringRequest("math", "s", "7", "7", {})
    assert scorer.prompts([first, second], "form") == ["form hello 2", None]
    (score,) = scorer.scores([replace(first, reply="four")])
    assert (score.reward, score.metrics) == (8.0, {"score": 8.0, "length": 4.0})
    assert scorer.scores([second])[0].reward == 1.0
    scorer.check()
    scorer.pool.close()  # Ray ends the processes with their actor; here nobody else does


def test_functions_that_do_not_fit_are_named_before_anything_is_drawn(tmp_path: Path) -> None:
    pytest.importorskip("ray", reason="needs the runner's environment (make runner-env)")
    from rftconf_runner import reward
    from rftconf_runner.score_columns import BadRewardError

    actor: Any = reward.Scorer
    instance = actor.__ray_metadata__.modified_class
    (tmp_path / "asks.py").write_text(ASKS)
    asks = RewardSource("", str(tmp_path / "asks.py"), "compute_score", {"weight": 2})
    (of_all,) = job_of(judging(judge())).graders
    instance([asks, *_silent()], [of_all]).check()
    for rewards, judges in (([asks, *_silent()], [replace(of_all, domain="math")]), (_silent(), [of_all])):
        with pytest.raises(BadRewardError, match=r"rules.py: no function judge_prompt, and the judge /j has to be"):
            instance(rewards, judges).check()
    (tmp_path / "verl.py").write_text("def compute_score(reward_router_address, **_):\n    return 0\n")
    for name, text in (("compute_score", "judge_prompt says what a judge is asked"), ("score", "no function score")):
        with pytest.raises(BadRewardError, match=text):
            instance([RewardSource("", str(tmp_path / "verl.py"), name, {})]).check()


def _silent() -> list[RewardSource]:
    return [RewardSource("math", rules.__file__, "exact", {})]
