"""A run that never validates gets no validation set where a set is enough to validate; where nobody knows, it is asked.

ROLL validates before step 0 and every `eval_steps` where there is a set (rlvr_pipeline: run); Trinity's explorer validates on
`eval_tasksets`, TRL's script where `eval_strategy` is not no. veRL and ChatLearn open a file even if they validate nothing.
"""

from __future__ import annotations

import pytest

from rftconf.base.ledger import SourceLine, State
from rftconf.convert.convert import Conversion, convert
from rftconf.load.load import load
from rftconf.plan.acting import Validation, validation_of
from rftconf.text.read.read import read
from rftconf.text.source import Source
from tests.sources import ROOT

VERL = """python3 -m verl.trainer.main_ppo algorithm.adv_estimator=grpo data.train_files=/d/train.parquet \\
  data.val_files=/d/test.parquet data.train_batch_size=64 data.max_prompt_length=512 data.max_response_length=512 \\
  actor_rollout_ref.model.path=/m actor_rollout_ref.actor.ppo_mini_batch_size=64 actor_rollout_ref.rollout.n=8 \\
  actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=8 actor_rollout_ref.rollout.name=vllm \\
  actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu=8 actor_rollout_ref.rollout.val_kwargs.n=4 \\
  trainer.total_training_steps=10 trainer.n_gpus_per_node=8 trainer.test_freq={every} trainer.val_before_train={first}
"""
SETS = {
    "roll": "validation.data_args.file_name",
    "trinity": "buffer.explorer_input.eval_tasksets[",
    "trl": "dataset_test_split",
    "chatlearn": "runtime_args.eval_data_path",
}
HAS_TO_OPEN = ("chatlearn",)


def converted(to: str, every: str, first: str, release: str | None = None, to_release: str | None = None) -> Conversion:
    text = VERL.format(every=every, first=first)
    if release is not None:
        text = text.replace("actor_rollout_ref.rollout.val_kwargs.n=4", "")
    return convert(read(Source("run.sh", text)), to, release=release, to_release=to_release)


def line(done: Conversion, key: str) -> SourceLine:
    return next(source for source in done.ledger.sources if source.key == key)


def written_sets(done: Conversion) -> list[str]:
    start = SETS[done.ledger.target_framework]
    return [target.key for target in done.ledger.targets if target.key.startswith(start) and target.value != []]


@pytest.mark.parametrize(
    ("to", "to_release"),
    [("roll", "0.1.1"), ("roll", "0.3.0"), ("trinity", "0.3.3"), ("trinity", "0.6.0"), ("trl", None)],
)
def test_what_never_validates_gets_no_set_and_a_reason(to: str, to_release: str | None) -> None:
    done = converted(to, "-1", "False", to_release=to_release)
    assert written_sets(done) == []
    for key in ("data.val_files", "actor_rollout_ref.rollout.val_kwargs.n"):
        assert line(done, key).state is State.DEAD_IN_SOURCE
        assert "trainer.test_freq" in line(done, key).reason
    assert line(done, "trainer.test_freq").state is State.DEFAULT
    assert line(done, "trainer.val_before_train").state is State.DEFAULT
    back = load(read(Source(f"a{done.file_suffix}", done.text)), framework=to, release=done.ledger.target_release)
    assert validation_of(back.stages[0].values) is Validation.NEVER


def test_the_first_release_of_roll_gets_the_section_that_it_looks_into() -> None:
    """0.1.1, rlvr_pipeline.__init__: `if self.pipeline_config.validation.data_args.file_name`, of a section that is None by default."""
    for release, section in (
        ("0.1.1", {"validation.data_args.file_name": [], "validation.generating_args.num_return_sequences": 1}),
        ("0.1.3", {}),
    ):
        targets = converted("roll", "-1", "False", to_release=release).ledger.targets
        assert {target.key: target.value for target in targets if target.key.startswith("validation.")} == section


@pytest.mark.parametrize("to", HAS_TO_OPEN)
def test_a_framework_that_opens_a_file_all_the_same_gets_it(to: str) -> None:
    done = converted(to, "-1", "False")
    assert written_sets(done) == [SETS[to]]
    assert line(done, "data.val_files").state is State.EXACT


@pytest.mark.parametrize("to", SETS)
@pytest.mark.parametrize(("every", "first"), [("5", "False"), ("-1", "True")])
def test_what_validates_some_time_keeps_its_set(to: str, every: str, first: str) -> None:
    done = converted(to, every, first)
    assert line(done, "data.val_files").state is not State.DEAD_IN_SOURCE


def test_a_release_that_validates_after_its_last_step_keeps_its_set() -> None:
    """veRL 0.2.0, ray_trainer.fit: "perform validation after training", whatever test_freq says; 0.3.0 asks for test_freq."""
    assert written_sets(converted("roll", "-1", "False", release="0.2.0")) != []
    assert written_sets(converted("roll", "-1", "False", release="0.3.0")) == []


@pytest.mark.parametrize("to", ["roll", "trinity"])
def test_whether_a_run_validates_is_asked_where_nobody_knows(to: str) -> None:
    done = converted(to, "$EVERY", "False")
    (question,) = [decision for decision in done.ledger.decisions if "validates at all" in decision.why]
    assert question.key in written_sets(done)
    assert "trainer.test_freq" in question.why


@pytest.mark.parametrize("to", SETS)
def test_nothing_is_asked_where_it_is_known(to: str) -> None:
    for every, first in (("-1", "False"), ("5", "False"), ("$EVERY", "True")):
        assert not [d for d in converted(to, every, first).ledger.decisions if "validates at all" in d.why]


def test_a_switch_that_the_target_has_needs_no_question() -> None:
    """The explorer takes eval_on_startup as it is, and never validates in between."""
    done = converted("trinity", "-1", "$FIRST")
    assert not [decision for decision in done.ledger.decisions if "validates at all" in decision.why]


def test_a_chatlearn_run_without_evaluation_validates_nowhere_in_roll() -> None:
    """Its file must be there (grpo.py: eval_data_path.split), and with eval_episode_interval 0 nothing looks at it."""
    text = (ROOT / "golden" / "convert" / "chatlearn-gspo-to-verl" / "input.yaml").read_text()
    text = text.replace("eval_episode_interval: 10", "eval_episode_interval: 0")
    done = convert(read(Source("run.yaml", text)), "roll")
    assert written_sets(done) == []
    assert line(done, "runtime_args.eval_data_path").state is State.DEAD_IN_SOURCE
