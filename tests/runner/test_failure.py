"""Ends that nobody foresaw are sentences; a finished run is gone on from with a longer plan, and with no other one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from rftconf_runner import __main__, failure
from rftconf_runner.extending import other_run
from rftconf_runner.job_reader import job_of
from rftconf_runner.refusals import refusals
from rftconf_runner.watch import Watch

from rftconf.base.errors import RftconfError
from rftconf.load.load import load
from rftconf.report.plan import plan_text
from rftconf.text.read.read import read
from rftconf.text.source import Source
from tests.corpus import ROWS, corpora
from tests.runner.test_job import plan
from tests.sources import CORPUS


class _OfATaskError(RuntimeError):
    """An error as Ray hands it on, with what a process raised and the function that it was in."""

    def __init__(self, cause: BaseException, function: str) -> None:
        super().__init__("a traceback\nof many lines")
        self.cause, self.function_name = cause, function


def test_what_a_process_raised_is_said_with_the_process_and_the_phase(tmp_path: Path) -> None:
    watch = Watch("quiet")
    watch.enter(3, "update")
    error = _OfATaskError(RuntimeError("first line\nlast line.\n"), "Policy.update")
    assert failure.describe_failure(error, watch) == "RuntimeError: last line in Policy.update, period 3, phase update"
    assert str(tmp_path / failure.FILE) in failure.written(error, tmp_path)
    assert "of many lines" in (tmp_path / failure.FILE).read_text()


def test_a_lack_of_memory_says_what_helps() -> None:
    message = failure.describe_failure(RuntimeError("CUDA out of memory. Tried to allocate 2 GiB"), Watch("quiet"))
    assert "before the first period: there is not enough memory; smaller micro-batches" in message


def test_a_longer_run_goes_on(tmp_path: Path) -> None:
    assert other_run(plan(), plan(trainer__total_training_steps="90", trainer__save_freq="5")) == []
    assert __main__._not_ours(plan(), tmp_path, resume=False) == []
    longer = plan(trainer__total_training_steps="90")
    assert __main__._not_ours(longer, tmp_path, resume=True) == []
    assert __main__._plan(tmp_path / "plan.json") == longer


def test_another_run_does_not() -> None:
    (why,) = other_run(plan(), plan(actor_rollout_ref__actor__optim__lr="1e-6"))
    assert why == "stage.optim.actor.lr was 0.002 and is 1e-06"


def test_a_rate_that_falls_over_the_whole_run_does_not_fall_over_a_longer_one() -> None:
    cosine = {"actor_rollout_ref__actor__optim__lr_scheduler_type": "cosine"}
    short, long = plan(**cosine), plan(**cosine, trainer__total_training_steps="90")
    for new_plan in (short, long):
        new_plan.stages[0].optim.actor.decay_updates = None
    (why,) = other_run(short, long)
    assert "stage.optim.actor.schedule 'cosine' falls over the whole run" in why


@pytest.mark.skipif(not CORPUS.is_dir(), reason="no corpus of upstream examples beside the project")
def test_a_plan_as_it_is_printed_is_the_plan(tmp_path: Path) -> None:
    """Formulas in it, too."""
    file = tmp_path / "plan.json"
    for real in (real for reals in corpora().values() for real in reals[::9]):
        try:
            new_plan = load(real.document(), framework=real.framework, release=real.release, rows=ROWS).plan
        except RftconfError:  # no config of a run
            continue
        file.write_text(plan_text(new_plan))
        assert __main__._plan(file) == new_plan


def test_a_plan_with_formulas_comes_back(tmp_path: Path) -> None:
    text = (
        "python3 -m verl.trainer.main_ppo actor_rollout_ref.model.path=$MODEL data.train_files=$DATA/train.parquet "
        "data.train_batch_size=$((BATCH * 2)) actor_rollout_ref.rollout.n=4 actor_rollout_ref.actor.ppo_mini_batch_size=$BATCH\n"
    )
    new_plan = load(read(Source("run.sh", text)), framework="verl", release="0.9.1").plan
    (tmp_path / "plan.json").write_text(plan_text(new_plan))
    assert __main__._plan(tmp_path / "plan.json") == new_plan
    assert "op" in json.dumps(json.loads(plan_text(new_plan)))


def test_what_a_critic_infers_is_cut_as_its_updates_are() -> None:
    """The engine's `use_dynamic_bsz` alone says it; a micro-batch of no sequences would stop the first update."""
    from tests.runner.test_job import EVERYTHING

    new_plan = plan(
        **{**EVERYTHING, "critic__fsdp__use_dynamic_bsz": "True", "critic__ppo_infer_max_token_len_per_gpu": "1024"}
    )
    new_plan.stages[0].batch.critic_infer.dynamic = None
    assert [refusal for refusal in refusals(new_plan) if "critic_infer" in refusal.path] == []
    critic = job_of(new_plan).critic
    assert critic is not None
    assert (critic.infer.tokens, critic.infer.sequences) == (1024, 0)


def test_too_few_rows_are_said() -> None:
    new_plan = plan()
    new_plan.stages[0].run_length.rollouts, new_plan.stages[0].data.rows = 0, 3
    (refusal,) = refusals(new_plan)
    assert refusal.why.endswith("1 or more: the data have 3 rows, and a batch is 8 prompts")
