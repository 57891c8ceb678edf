"""Points of conversions, comparisons and migrations that were read line by line, each beside the code that decides it."""

from __future__ import annotations

import pytest

from rftconf.base.ledger import State
from rftconf.base.symbols import MISSING, Expr
from rftconf.convert.convert import Options, convert, convert_loaded
from rftconf.diff.as_text import seen_text
from rftconf.diff.compare import Difference, compare
from rftconf.load.load import load
from rftconf.text.read.read import read
from rftconf.text.read.read_options import ReadOptions
from rftconf.text.source import Source
from tests.diff.runs import side_of_text
from tests.migrate.texts import migrated
from tests.test_line_by_line import ACTOR, MEGATRON, ROLL, TRINITY, VERL, asked, converted, document, lines

DEEPSPEED = ROLL.replace("fsdp2_train", "deepspeed_train")
OVERRIDES = "actor_rollout_ref.actor.megatron.override_transformer_config."


def ends(text: str, to: str) -> dict[str, tuple[State, str]]:
    return {line.key: (line.state, line.reason) for line in converted(text, to).ledger.sources}


def differing(a: str, b: str) -> dict[str, Difference]:
    sides = [side_of_text(text, "a.sh" if "python3" in text else "a.yaml") for text in (a, b)]
    (stage,) = compare(*sides).stages
    return {difference.path: difference for difference in stage.differences}


@pytest.mark.parametrize(("to", "key"), [("trinity", "trainer.trainer_strategy"), ("verl", f"{ACTOR}strategy")])
def test_what_trains_in_place_of_deepspeed_is_named(to: str, key: str) -> None:
    """Trinity-RFT 0.6.0 config.py and veRL 0.9.1 actor.yaml: what is not named is FSDP."""
    state, reason = ends(DEEPSPEED, to)["actor_train.strategy_args.strategy_name"]
    assert state is State.NO_COUNTERPART
    assert f"the default of {key}, acts" in reason
    assert "so fsdp" in reason


def test_fsdp_by_default_takes_no_linear_schedule_either() -> None:
    """veRL 0.9.1 workers/config/optimizer.py, which Trinity-RFT 0.6.0 builds for its default strategy."""
    done = converted(DEEPSPEED, "trinity")
    assert lines(done)["algorithm.optimizer.lr_scheduler_type"] == MISSING
    assert "linear" in asked(done)["algorithm.optimizer.lr_scheduler_type"]


@pytest.mark.parametrize(
    ("to", "lost", "unchanged"),
    [
        ("roll", {"attention_backend"}, {"apply_rope_fusion", "moe_permute_fusion", "recompute_granularity"}),
        ("chatlearn", {"moe_permute_fusion"}, {"apply_rope_fusion", "recompute_granularity"}),
    ],
)
def test_a_lost_option_of_a_mapping_says_nothing_of_its_neighbours(
    to: str, lost: set[str], unchanged: set[str]
) -> None:
    """ROLL 0.3.0 mcore_adapter takes Megatron's back end from the environment; ChatLearn 2025.10.23 has some options' keys."""
    values = {"attention_backend": "flash", "apply_rope_fusion": "True", "moe_permute_fusion": "True", "recompute_granularity": "full"}  # fmt: skip
    new_values = ends(VERL + MEGATRON + " ".join(f"+{OVERRIDES}{name}={value}" for name, value in values.items()), to)
    assert {name for name in values if new_values[OVERRIDES + name][0] is State.NARROWED} == lost
    assert {name for name in values if new_values[OVERRIDES + name] == (State.EXACT, "")} == unchanged


def test_only_engines_that_generate_are_answers() -> None:
    """ROLL 0.3.0 strategy/factory.py has trainers as well, which actor_infer cannot be."""
    text = VERL.replace("actor_rollout_ref.rollout.name=vllm", "'actor_rollout_ref.rollout.name=???'")
    (question,) = [
        decision
        for decision in converted(text, "roll").ledger.decisions
        if decision.key == "actor_infer.strategy_args.strategy_name"
    ]
    assert question.choices == ("vllm", "sglang")


def test_a_column_that_the_source_names_is_the_one_that_the_question_names() -> None:
    """ROLL 0.3.0 data_args.py: response is solution; a row of veRL's has reward_model.ground_truth."""
    key = "buffer.explorer_input.tasksets[].format"
    assert "the answer in solution" in asked(converted(ROLL, "trinity"))[key]
    assert "reward_model.ground_truth" in asked(converted(VERL, "trinity"))[key]


def test_a_run_that_validates_nothing_does_not_begin_with_it() -> None:
    """ChatLearn 2025.10.23 engine.evaluate asks for an interval, whatever enable_eval_before_training says."""
    text = converted(VERL + "trainer.test_freq=-1", "chatlearn").text
    assert lines(converted(text, "verl"))["trainer.val_before_train"] is False


def test_a_split_in_a_files_name_is_known() -> None:
    """Trinity-RFT 0.6.0 loads a folder's split `train`; veRL 0.9.1 reads the file that is named."""
    difference = differing(TRINITY, VERL)["stage.data.train[0].split"]
    assert (difference.a.value, difference.b.value, difference.certain) == ("train", "t", True)


def test_a_temperature_of_0_is_no_switch() -> None:
    """What sleeps because nothing is validated says why, also where its value is 0."""
    difference = differing(VERL, converted(VERL, "chatlearn").text)["stage.sampling.eval.temperature"]
    assert difference.b.idle == "nothing is validated"


def test_a_coefficient_of_0_is_its_own_switch() -> None:
    differences = differing(VERL + f"{ACTOR}entropy_coeff=0.01", VERL + f"{ACTOR}entropy_coeff=0")
    assert differences["stage.algorithm.entropy_coef"].b.idle is None


def test_a_key_of_nobodys_that_goes_is_lost() -> None:
    """veRL 0.9.1 builds ActorConfig from these keys, which takes no other; 0.5.0 handed the mapping on."""
    done = migrated(VERL + f"+{ACTOR}my_fork_key=3", "0.5.0", "0.9.1")
    assert f"{ACTOR}my_fork_key" not in done.text
    assert not done.faithful
    assert [leftover.name for leftover in done.unlike if leftover.nature == "lost"] == [f"{ACTOR}my_fork_key"]


def test_what_a_missing_base_file_may_say_is_in_no_sum() -> None:
    """Hydra stops without the file; a number of the release's own is no answer to what stands in it."""
    base = "defaults:\n  - my_base\n  - _self_\nactor_rollout_ref: {actor: {ppo_mini_batch_size: 72}, rollout: {n: 8, name: vllm}}\n"
    done = converted(base, "roll")
    assert "SYN520" in {diagnostic.code for diagnostic in done.loaded.diagnostics}
    assert isinstance(load(done.loaded.document).stages[-1].values["stage.batch.prompts_per_rollout"], Expr)


BESIDE = "my_switch: 3\nactor_train: {my_option: 1}\nmy_worlds: {maze: {size: 4}, lake: {size: 5}}\n"


def test_what_a_forks_base_file_says_by_itself_is_not_dead() -> None:
    """ROLL 0.3.0 drops what no class has (dacite); a fork with a class of its own reads it. Names to take from are none."""
    text = "defaults:\n  - mine@_here_\n  - _self_\nmy_world: ${my_worlds.maze}\n" + ROLL
    loaded = load(read(Source("run.yaml", text), ReadOptions(sources={"mine.yaml": BESIDE})))
    assert loaded.framework == "roll"
    states = {line.key: line.state for line in convert_loaded(loaded, "verl", Options()).ledger.sources}
    assert states["my_switch"] is State.EXTENSION
    assert states["actor_train.my_option"] is State.EXTENSION
    assert states["my_worlds.lake.size"] is State.DEAD_IN_SOURCE


@pytest.mark.parametrize("release", ["0.2.0", "0.3.0"])
def test_a_schedule_that_no_worker_reads_is_not_written(release: str) -> None:
    """veRL 0.2.0 and 0.3.0 fsdp_workers.py: get_constant_schedule_with_warmup, whatever warmup_style says."""
    done = convert(document(ROLL), "verl", to_release=release)
    assert f"{ACTOR}optim.warmup_style" not in lines(done)
    assert not [key for key in asked(done) if key.endswith("warmup_style")]
    assert any("linear in the source, constant here" in change.says for change in done.ledger.learning)


@pytest.mark.parametrize("release", ["0.3.3", "0.4.1", "0.5.2"])
def test_megatron_clips_by_its_optimizers_key(release: str) -> None:
    """verl_config.py copies algorithm.optimizer field by field, and init_megatron_optim_config takes its clip_grad; FSDP's
    dp_actor takes actor.grad_clip, which follows trainer.grad_clip."""
    text = (
        TRINITY.replace("algorithm: {", "algorithm: {optimizer: {clip_grad: 0.5}, ")
        + "trainer: {grad_clip: 0.25, STRATEGY}\n"
    )
    for strategy, clip in (("megatron", 0.5), ("fsdp", 0.25)):
        run = text.replace("STRATEGY", f"trainer_strategy: {strategy}")
        assert load(document(run), release=release).stages[-1].values["stage.optim.actor.grad_clip"] == clip
    plain = convert(document(VERL + f"{ACTOR}optim.clip_grad=0.5"), "trinity", to_release=release)
    assert lines(plain)["trainer.grad_clip"] == 0.5
    assert "algorithm.optimizer.clip_grad" not in lines(plain)


@pytest.mark.parametrize("to", ["verl", "trinity", "chatlearn"])
def test_full_recomputation_has_a_method_elsewhere(to: str) -> None:
    """megatron-core 0.16.1 transformer_config.py raises for `full` without a method; ROLL's mcore_adapter model_config.py
    takes `uniform` and one layer then."""
    text = ROLL.replace(
        "{strategy_name: fsdp2_train}",
        "{strategy_name: megatron_train, strategy_config: {recompute_granularity: full}}",
    )
    written = str(lines(converted(text, to)))
    assert "'uniform'" in written
    assert "recompute_num_layers': 1" in written
    assert not [key for key in lines(converted(text, "roll")) if "recompute_method" in key]


@pytest.mark.parametrize("to", ["roll", "trinity", "chatlearn"])
def test_no_reward_manager_is_said_to_run_where_there_is_none(to: str) -> None:
    """`naive` is a class of veRL 0.9.1 reward_manager; elsewhere reward workers, workflows and rules score, and add nothing."""
    text = VERL + "reward.reward_manager.name=dapo"
    (change,) = [change for change in converted(text, to).ledger.learning if change.cause == "reward"]
    assert "dapo in the source" in change.says
    assert "naive" not in change.says
    other = differing(text, converted(text, to).text)["stage.reward.manager"].b
    assert "own score" in seen_text("stage.reward.manager", other)
