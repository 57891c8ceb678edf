from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rftconf.base.symbols import Value, Var
from rftconf.schemas import catalogue, versions
from rftconf.schemas.acceptance import judge
from rftconf.schemas.edits import Move, Removed
from tests.schemas.shared import CORPUS, STEPS, Cell, catalogue_id, concrete, needs_corpus

steps = pytest.mark.parametrize(("framework", "older", "newer", "trainer"), STEPS, ids=catalogue_id)


@steps
def test_closure(framework: str, older: str, newer: str, trainer: str) -> None:
    """The keys that vanished are exactly the keys the edits explain."""
    before, after = catalogue.load(framework, older, trainer), catalogue.load(framework, newer, trainer)
    vanished = {name for name in before.keys if name not in after and name not in after.prefixes()}
    touched = [edit.touches(before.keys) for edit in versions.edits(framework, older, trainer)]
    assert frozenset().union(*touched) == vanished


@steps
def test_every_new_name_exists_and_every_reason_is_one(framework: str, older: str, newer: str, trainer: str) -> None:
    before, after = catalogue.load(framework, older, trainer), catalogue.load(framework, newer, trainer)
    for edit in versions.edits(framework, older, trainer):
        if isinstance(edit, Removed):
            assert len(edit.why.split()) >= 4, edit
        if isinstance(edit, Move) and not edit.tree and edit.old in before.keys:
            assert edit.new in after or edit.new in after.prefixes(), edit
            assert edit.stays == (edit.old in after), edit


VALUES: st.SearchStrategy[Value] = st.sampled_from(
    [None, 0, 7, True, 0.5, "sync", "cosine", "gspo", "text", [1, 2], Var("X")]
)


def configs(framework: str, release: str, trainer: str) -> st.SearchStrategy[dict[str, Cell]]:
    """A few keys of a release, with values."""
    names = sorted(catalogue.load(framework, release, trainer).keys)
    touched = sorted({n for edit in versions.edits(framework, release, trainer) for n in edit.touches(names)})
    pool = st.sampled_from(names) | st.sampled_from(touched) if touched else st.sampled_from(names)
    return st.dictionaries(pool.map(concrete), VALUES, max_size=8).map(
        lambda values: {name: Cell(value, name) for name, value in values.items()}
    )


@steps
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_laws(framework: str, older: str, newer: str, trainer: str, data: st.DataObject) -> None:
    flat = data.draw(configs(framework, older, trainer))
    new = versions.upgrade(framework, flat, older, newer, trainer)
    back = versions.downgrade(framework, new.flat, older, newer, trainer)
    again = versions.upgrade(framework, back.flat, older, newer, trainer)
    after, before = catalogue.load(framework, newer, trainer), catalogue.load(framework, older, trainer)
    assert all(key in after or after.is_node(key) for key in new.flat)
    assert all(key in before or before.is_node(key) for key in back.flat)
    names = {change.key for change in (*new.changes, *back.changes)}
    for key, cell in flat.items():
        assert key in names or back.flat.get(key) == cell, f"{key} was lost in silence"
    dropped = {change.key for change in back.changes if not change.became}
    new_values = {key for key, cell in new.flat.items() if cell.value is not None}
    added = {change.key for change in back.changes if change.key not in new_values}  # the older release asks for it
    once, twice = ({k: c.value for k, c in x.flat.items() if k not in dropped | added} for x in (new, again))
    assert once == twice, "going back and up again changes nothing"


@steps
def test_renames_alone_come_back_exactly(framework: str, older: str, newer: str, trainer: str) -> None:
    before = catalogue.load(framework, older, trainer)
    for edit in versions.edits(framework, older, trainer):
        if isinstance(edit, Move) and not edit.both and not edit.only_if and edit.touches(before.keys):
            flat = {concrete(name): Cell("x", name) for name in edit.touches(before.keys)}
            new = versions.upgrade(framework, flat, older, newer, trainer)
            assert not new.losses
            assert versions.downgrade(framework, new.flat, older, newer, trainer).flat == flat


def cells(**values: Value) -> dict[str, Cell]:
    return {name.replace("__", "."): Cell(value) for name, value in values.items()}


def values(flat: dict[str, Cell]) -> dict[str, Value]:
    return {name: cell.value for name, cell in flat.items()}


def test_an_old_verl_script_in_the_newest_shape() -> None:
    flat: dict[str, Value] = {
        "actor_rollout_ref.rollout.mode": "sync",
        "actor_rollout_ref.rollout.name": "sglang_async",
        "actor_rollout_ref.actor.optim.warmup_style": "cosine",
        "critic.model.fsdp_config.param_offload": True,
        "reward_model.reward_manager": "dapo",
        "reward_model.reward_kwargs.overlong_buffer_cfg.len": 4096,
        "custom_reward_function.path": "my.py",
        "ray_init.num_cpus": 8,
        "trainer.profile_steps": [2],
    }
    done = versions.upgrade("verl", {k: Cell(v) for k, v in flat.items()}, "0.5.0")
    assert values(done.flat) == {
        "actor_rollout_ref.rollout.mode": "async",
        "actor_rollout_ref.rollout.name": "sglang",
        "actor_rollout_ref.actor.optim.lr_scheduler_type": "cosine",
        "critic.fsdp.param_offload": True,
        "reward.reward_manager.name": "dapo",
        "reward.reward_kwargs.overlong_buffer_cfg.len": 4096,
        "reward.custom_reward_function.path": "my.py",
        "ray_kwargs.ray_init.num_cpus": 8,
        "global_profiler.steps": [2],
        "global_profiler.tool": "nsys",
    }
    assert done.losses == ()


@pytest.mark.parametrize("release", ["0.7.1", "0.8.0"])
def test_reward_names_are_live_until_0_8_and_dead_in_0_9(release: str) -> None:
    flat = {"reward_model.enable": Cell(True), "reward.reward_model.enable": Cell(False)}
    assert values(versions.upgrade("verl", flat, release).flat) == {"reward.reward_model.enable": True}
    assert versions.upgrade("verl", flat, "0.9.1").flat == flat
    assert versions.dead("verl", "0.9.1", "reward_model.enable")
    assert versions.dead("verl", release, "reward_model.enable") is None
    assert versions.dead("verl", "0.9.1", "reward.reward_model.enable") is None


def test_sum_norm_changed_its_divisor_at_0_7_1() -> None:
    flat = {"actor_rollout_ref.actor.loss_agg_mode": Cell("seq-mean-token-sum-norm")}
    (loss,) = versions.upgrade("verl", flat, "0.6.1").losses
    assert "divided" in loss.why
    assert versions.upgrade("verl", flat, "0.7.1").losses == ()


def test_gspo_aggregation_is_written_out_at_0_9_1() -> None:
    flat = {"actor_rollout_ref.actor.policy_loss.loss_mode": Cell("gspo")}
    aggregation = "actor_rollout_ref.actor.loss_agg_mode"
    assert versions.upgrade("verl", flat, "0.8.0").flat[aggregation].value == "seq-mean-token-mean"
    assert aggregation not in versions.upgrade("verl", flat, "0.9.1").flat
    new_cells = {**flat, aggregation: Cell("token-mean")}
    assert [loss.key for loss in versions.downgrade("verl", new_cells, "0.8.0").losses] == [aggregation]


def test_a_key_that_went_is_no_loss_where_it_repeats_its_default() -> None:
    flat = {"trainer.use_legacy_worker_impl": Cell("auto")}
    (change,) = versions.upgrade("verl", flat, "0.7.1").changes
    assert (change.lossy, change.became) == (False, ())
    assert versions.upgrade("verl", {"trainer.use_legacy_worker_impl": Cell("disable")}, "0.7.1").losses


def test_router_replay_lives_in_the_engine_since_0_9_1() -> None:
    flat = {"actor_rollout_ref.actor.router_replay.mode": Cell("R2")}
    done = versions.upgrade("verl", flat, "0.8.0", trainer="megatron")
    assert list(done.flat) == ["actor_rollout_ref.actor.megatron.router_replay.mode"]
    assert list(versions.downgrade("verl", done.flat, "0.8.0", trainer="megatron").flat) == list(flat)


def test_downgrade_drops_and_names_what_the_old_release_has_not() -> None:
    flat = {"trainer.use_v1": Cell(False), "distillation.enabled": Cell(False), "trainer.total_epochs": Cell(3)}
    done = versions.downgrade("verl", flat, "0.5.0")
    assert list(done.flat) == ["trainer.total_epochs"]
    assert [loss.key for loss in done.losses] == ["trainer.use_v1"]
    assert {change.key for change in done.changes} == {"trainer.use_v1", "distillation.enabled"}


def test_an_old_trinity_file_in_the_newest_shape() -> None:
    flat: dict[str, Value] = {
        "algorithm.optimizer.warmup_style": "cosine",
        "stages[0].algorithm.optimizer.warmup_style": "cosine",
        "explorer.api_port": 9000,
        "buffer.explorer_input.tasksets[1].task_selector.selector_type": "shuffle",
        "buffer.pad_token_id": 3,
        "cluster.node_num": None,
        "synchronizer.sync_style": "dynamic_by_explorer",
        "trainer.trainer_config.trainer.critic_warmup": 5,
        "trainer.trainer_config.actor_rollout_ref.actor.megatron.tensor_model_parallel_size": 2,
        "trainer.max_checkpoints_to_keep": None,
    }
    done = versions.upgrade("trinity", {k: Cell(v) for k, v in flat.items()}, "0.3.3")
    assert values(done.flat) == {
        "algorithm.optimizer.lr_scheduler_type": "cosine",
        "stages[0].algorithm.optimizer.lr_scheduler_type": "cosine",
        "explorer.proxy_port": 9000,
        "buffer.explorer_input.tasksets[1].data_selector.selector_type": "shuffle",
        "cluster.node_num": 0,
        "synchronizer.sync_style": "explorer_driven",
        "trainer.critic_warmup": 5,
        "trainer.megatron.tensor_model_parallel_size": 2,
        "trainer.max_checkpoints_to_keep": 0,
    }
    assert done.losses == ()


@pytest.mark.parametrize(("role", "trainer"), [("grad_clip", 0.5), ("ulysses_sequence_parallel_size", 2)])
def test_the_actors_own_value_wins_over_the_trainers_before_trinity_0_6(role: str, trainer: float) -> None:
    """trinity 0.5.2, verl_config.py, synchronize_config: set_if_none fills only what the actor leaves out."""
    own, common = f"trainer.trainer_config.actor_rollout_ref.actor.{role}", f"trainer.{role}"
    older = versions.upgrade("trinity", {own: Cell(trainer), common: Cell(1)}, "0.5.2")
    assert values(older.flat) == {common: trainer}
    newest = versions.upgrade("trinity", {own: Cell(trainer), common: Cell(1)}, "0.6.0")
    assert values(newest.flat)[common] == 1


@pytest.mark.parametrize(("release", "lost"), [("0.6.1", True), ("0.8.0", False)])
def test_a_key_that_went_is_a_loss_for_the_releases_in_which_it_acted(release: str, lost: bool) -> None:
    """megatron_workers.py of veRL 0.6.1 and 0.7.1 reads load_weight, the engine workers of 0.8.0 do not."""
    flat = {"actor_rollout_ref.actor.load_weight": Cell(False)}
    assert bool(versions.upgrade("verl", flat, release, trainer="megatron").losses) is lost


@pytest.mark.parametrize(
    ("trainer", "name"),
    [("fully_async", "reward.custom_reward_function.path"), ("fsdp", "custom_reward_function.path")],
)
def test_the_asynchronous_trainer_still_obeys_old_reward_names(trainer: str, name: str) -> None:
    """veRL 0.9.1, fully_async_main.py: main calls migrate_legacy_reward_impl, main_ppo.py does not."""
    old = "custom_reward_function.path"
    assert list(versions.upgrade("verl", {old: Cell("r.py")}, "0.9.1", trainer=trainer).flat) == [name]
    assert (versions.dead("verl", "0.9.1", old, trainer) is None) is (trainer == "fully_async")


def test_deprecated_names_of_the_newest_release_are_replaced_too() -> None:
    flat = {"algorithm.optimizer.warmup_style": Cell("cosine"), "synchronizer.sync_style": Cell("dynamic_by_trainer")}
    assert values(versions.upgrade("trinity", flat, "0.6.0").flat) == {
        "algorithm.optimizer.lr_scheduler_type": "cosine",
        "synchronizer.sync_style": "trainer_driven",
    }


def test_defaults_come_under_the_newest_names() -> None:
    old, new = versions.defaults("verl", "0.5.0"), versions.defaults("verl", "0.9.1")
    assert (old["actor_rollout_ref.rollout.enforce_eager"], new["actor_rollout_ref.rollout.enforce_eager"]) == (
        True,
        False,
    )
    assert old["actor_rollout_ref.actor.optim.lr_scheduler_type"] == "constant"
    assert old["reward.reward_manager.name"] == "naive"
    assert "trainer.use_v1" not in old
    assert versions.defaults("trinity", "0.4.1")["cluster.node_num"] == 0


@pytest.mark.parametrize(("framework", "release", "_newer", "trainer"), STEPS, ids=catalogue_id)
def test_defaults_are_keys_of_the_newest_release(framework: str, release: str, _newer: str, trainer: str) -> None:
    newest = catalogue.load(framework, None, trainer)
    assert [name for name in versions.defaults(framework, release, trainer) if newest.get(name) is None] == []


def test_a_flag_that_became_a_name() -> None:
    flat = {"algorithm.rollout_correction.use_policy_gradient": Cell(True)}
    done = versions.upgrade("verl", flat, "0.6.1")
    assert values(done.flat) == {"algorithm.rollout_correction.loss_type": "reinforce"}
    assert versions.downgrade("verl", done.flat, "0.6.1").flat == flat


@needs_corpus
@pytest.mark.parametrize(
    ("date", "release"), [("v0.4.1", "0.4.1"), ("v0.5.0", "0.5.0"), ("v0.6.1", "0.6.1"), ("v0.7.0", "0.7.1")]
)
def test_published_scripts_fit_the_newest_release_after_the_upgrade(date: str, release: str) -> None:
    fitting = upgraded = 0
    for line in (CORPUS / "verl_argv" / f"{date}.jsonl").read_text(encoding="utf-8").splitlines():
        overrides = json.loads(line)["overrides"]
        trainer = "megatron" if any("megatron" in text for text in overrides if text.startswith("--")) else "fsdp"
        flat = {
            text.split("=", 1)[0]: Cell(text.split("=", 1)[1]) for text in overrides if text[0] != "-" and "=" in text
        }
        old, new = (catalogue.load("verl", number, trainer) for number in (release, None))
        if all(judge(old, key, cell.value).fits for key, cell in flat.items()):
            fitting += 1
            bare = {key.lstrip("+"): cell for key, cell in flat.items()}
            done = versions.upgrade("verl", bare, release, trainer=trainer).flat
            upgraded += all(
                judge(new, key, cell.value, overrides=False).fits
                or versions.per_rank("verl", new.release, key) is not None  # migrate divides it: ranks are in no key
                for key, cell in done.items()
            )
    assert fitting > 60
    assert upgraded >= 0.98 * fitting, f"{upgraded} of {fitting}"


def test_history_tells_where_a_key_went() -> None:
    assert versions.history("verl", "critic.model.fsdp_config.dtype") == "known up to 0.7.1; renamed critic.fsdp.dtype"
    assert "engine workers only" in str(versions.history("verl", "trainer.use_legacy_worker_impl"))
    assert versions.history("verl", "trainer.total_epochs") is None
    assert versions.history("verl", "never.was.a.key") is None


def test_upgrading_leaves_its_input_alone() -> None:
    flat = {"ray_init.num_cpus": Cell(8)}
    versions.upgrade("verl", flat, "0.5.0")
    assert flat == {"ray_init.num_cpus": Cell(8)}
