"""No leaf is silent: set to another value, it changes the target, is refused, or is told by a reason of its own."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache
from itertools import permutations
from zlib import crc32

import pytest

from rftconf.base.ledger import State
from rftconf.mappers.tables import reason_for, table_of
from rftconf.mappers.trinity.folds_logprob import OLD_FIELDS
from rftconf.schemas import catalogue, registry
from tests.laws.flip_values import is_node
from tests.laws.function_arguments import NOT_TAKEN
from tests.laws.leaf_flip import (
    FURTHER,
    GENERIC,
    OTHER,
    STAGE,
    Catalogued,
    Verdict,
    bases,
    defaults_written,
    further,
    has_row,
    name_all,
    run,
    unflipped,
)
from tests.laws.survey import flip_all, survey

ROLL = tuple(
    Catalogued("roll", "0.3.0", pipeline) for pipeline in registry.ROLL.trainers if pipeline not in ("distill", "dpo")
)
"""Distillation from a file and DPO are kinds of run that Trinity-RFT's table declines, so no key of them can be flipped."""
STAGED = Catalogued("trinity", "0.6.0")
NEWEST = (
    *(Catalogued("verl", "0.9.1", trainer) for trainer in registry.VERL.trainers),
    STAGED,
    *ROLL,
    *(Catalogued("chatlearn", "2025.10.23", trainer) for trainer in registry.CHATLEARN.trainers),
)
ENGINES = ("veomni", "torchtitan")
"""veRL's trainers whose engines give common keys a meaning of their own: all their leaves are flipped."""
FIRST = {
    **dict.fromkeys(("megatron", *ENGINES), "fsdp"),
    **dict.fromkeys(registry.ROLL.trainers[1:], registry.ROLL.trainer),
}
"""A trainer to the one whose keys are surveyed already."""
OLDER = tuple(
    Catalogued(framework.name, release, trainer)
    for framework in registry.FRAMEWORKS.values()
    if framework.name in ("verl", "trinity", "roll", "chatlearn")
    for release in framework.releases[:-1]
    for trainer in framework.trainers_of(release)
    if framework.name != "roll" or trainer == "rlvr"
)
ALWAYS_DEAD = {
    "actor_rollout_ref.actor.grad_clip": "H48",
    "critic.grad_clip": "H48",
    "critic.ulysses_sequence_parallel_size": "H65",
    **dict.fromkeys(
        (
            *("critic.use_dynamic_bsz", "critic.ppo_micro_batch_size_per_gpu", "critic.ppo_max_token_len_per_gpu"),
            *("critic.forward_micro_batch_size_per_gpu", "critic.forward_max_token_len_per_gpu"),
        ),
        "0.9: the critic's engine reads its own block, and the default trainer caps it by ppo_infer_max_token_len_per_gpu",
    ),
    "trainer.balance_batch": "H64",
    "algorithm.policy_loss_fn_args.loss_agg_mode": "H34",
    "actor_rollout_ref.rollout.val_kwargs.do_sample": "validation is greedy up to 0.6 unless it is true",
    "trainer.grad_clip": "H48",
    "trainer.trainer_config.critic.grad_clip": "H48",
    "trainer.trainer_config.trainer.critic_warmup": "only the back end before 0.6 reads it",
    **dict.fromkeys(
        (
            f"trainer.trainer_config.critic.model.enable_{name}"
            for name in ("gradient_checkpointing", "activation_offload")
        ),
        "Trinity 0.6 makes the critic's model itself (HFModelConfig in trainer/verl/trainer.py)",
    ),
    **dict.fromkeys(
        (f"{prefix}.generating_args.max_new_tokens" for prefix in ("actor_infer", "train_env_manager")),
        "it acts on agents (tests/mappers/test_roll_worlds.py)",
    ),
    **dict.fromkeys(
        (f"{role}.optim.total_training_steps" for role in ("actor_rollout_ref.actor", "critic")),
        "the trainer overwrites it",
    ),
    **dict.fromkeys(
        (f"actor_rollout_ref.model.lora.{name}" for name in ("rank", "alpha", "target_modules")),
        "the FSDP model has LoRA keys of its own",
    ),
    **{
        f"trainer.trainer_config.algorithm.rollout_correction.{name}": "Trinity 0.6 hands the block to nobody"
        for name in OLD_FIELDS
    },
    "runtime_args.train_micro_batch_size": "packing fills batches by tokens",
    **dict.fromkeys(
        (
            *(f"actor_rollout_ref.{key}" for key in ("actor.ppo_micro_batch_size", "ref.log_prob_micro_batch_size")),
            *("actor_rollout_ref.rollout.log_prob_micro_batch_size", "critic.ppo_micro_batch_size"),
            "critic.forward_micro_batch_size",
        ),
        "each rank has a key of its own",
    ),
    "reward.num_gpus_per_worker": "the reward model has a pool of its own",
    "models.policy_trainer.tokenizer_type": "only the policy's tokenizer is made",
    "models.ref_policy.tokenizer_type": "only the policy's tokenizer is made",
    **dict.fromkeys(
        (f"models.{model}.seq_length" for model in ("policy", "policy_trainer", "ref_policy")),
        "overwritten with the sum of the two lengths",
    ),
    **NOT_TAKEN,
}
"""Keys with a row for older releases that the newest release does not read, and where that is shown."""
OF_ANOTHER_PROGRAM = {
    False: {"actor_rollout_ref.rollout.standalone_gpu_memory_utilization"},
    True: {"data.gen_batch_size"},
}
"""Keys that only the fully asynchronous program reads, and those that it does not read."""
DETERMINED = {
    "trainer.v1.separate_async.parameter_sync_step": "must be B/m",
    "pure_opd_pipeline_type": "names the pipeline that the keys are of",
}
"""Keys whose only legal value follows from others."""
PROMPT_TYPES = {
    f"buffer.explorer_input.{tasks}.format.prompt_type" for tasks in ("taskset", "tasksets[0]", "eval_tasksets[0]")
}
AS_UNSAID = {("trinity", "roll"): PROMPT_TYPES, ("roll", "verl"): {"enable_old_logprobs_recompute"}}
"""Keys whose other value arrives as what the unsaid one becomes there anyway: ROLL reads the prompt's own column as plain text,
and recomputes old log-probabilities wherever a period has several updates, as veRL always does."""


def _case(of: Catalogued) -> object:
    """A catalogue as a test's parameter. Its tests share one survey, so one process is to run all of them."""
    name = f"{of.framework}-{of.release}-{of.trainer}".rstrip("-")
    return pytest.param(of, id=name, marks=pytest.mark.xdist_group(name))


CASES = [_case(of) for of in NEWEST]


@cache
def verdicts(of: Catalogued) -> list[Verdict]:
    """The survey of one catalogue; a further trainer's adds what the first one's lacks."""
    # ChatLearn's two trainers share their keys, and some act in one of them only
    separate = of.framework == "chatlearn" or of.trainer in ENGINES
    return survey(of, without=frozenset() if separate else of_the_first(of))


@cache
def of_the_first(of: Catalogued) -> frozenset[str]:
    """The leaves of the same framework's first trainer, whose own survey tells what acts; none for that one itself."""
    first = FIRST.get(of.trainer)
    return frozenset() if first is None else frozenset(Catalogued(of.framework, of.release, first).leaves())


def acts_in_another(of: Catalogued, key: str) -> bool:
    """True where the same framework's other trainer does something with the key."""
    if of.trainer in ENGINES and key in of_the_first(of):
        return True
    others = [c for c in NEWEST if c.framework == of.framework == "chatlearn" and c != of]
    return any(
        v.key == key and v.outcome != "dead"
        for other_catalogue_of_release in others
        for v in verdicts(other_catalogue_of_release)
    )


def _student_without_row(of: Catalogued, verdict: Verdict) -> bool:
    """True where ROLL's student has a key for which the policy's role, which it stands for, has no row."""
    own = verdict.key.replace("student_", "actor_", 1)
    return own != verdict.key and not any(v.key == own and v.row and v.outcome != "dead" for v in verdicts(of))


def silent(new_verdicts: Iterable[Verdict]) -> list[str]:
    """The silent ones, but for keys that others determine."""
    return [str(v) for v in new_verdicts if v.outcome == "silent" and v.key not in DETERMINED]


@pytest.mark.parametrize("of", CASES)
def test_no_leaf_of_the_newest_release_is_silent(of: Catalogued) -> None:
    new_verdicts = verdicts(of)
    assert silent(new_verdicts) == []
    few = of.trainer in registry.VERL.recipes or of in ROLL[1:]
    assert len(new_verdicts) >= (5 if few else 200)


@pytest.mark.parametrize("of", CASES)
def test_a_leaf_with_a_row_acts_in_some_base(of: Catalogued) -> None:
    dead = [v for v in verdicts(of) if v.row and v.outcome == "dead"]
    remote = OF_ANOTHER_PROGRAM[of.trainer.startswith("fully_async")]
    unsaid = [v for v in dead if v.key not in ALWAYS_DEAD and v.key not in remote and not _student_without_row(of, v)]
    assert [str(v) for v in unsaid if not acts_in_another(of, v.key)] == []


@pytest.mark.parametrize("of", CASES)
def test_a_leaf_without_a_row_is_told_by_its_own_sentence(of: Catalogued) -> None:
    table = table_of(of.framework)
    for verdict in verdicts(of):
        if not verdict.row and verdict.outcome in ("lost", "dead"):
            assert not verdict.reason.endswith(GENERIC), str(verdict)
            reason = reason_for(table, verdict.key, None)
            assert reason is None or verdict.state is not reason.state or len(verdict.reason) >= 20, str(verdict)


@pytest.mark.parametrize("of", CASES)
def test_defaults_written_out_lose_nothing_without_a_word(of: Catalogued) -> None:
    assert silent(defaults_written(of)) == []


@pytest.mark.parametrize("of", OLDER, ids=lambda c: f"{c.framework}-{c.release}-{c.trainer}")
def test_no_leaf_without_a_row_is_silent_in_older_releases(of: Catalogued) -> None:
    names = [name for name in of.leaves() if not has_row(of, name)]
    assert silent(name_all(of, names)) == []


@pytest.mark.parametrize("of", OLDER, ids=lambda c: f"{c.framework}-{c.release}-{c.trainer}")
def test_no_leaf_with_a_row_is_silent_in_older_releases(of: Catalogued) -> None:
    """Leaves that differ in the next release are flipped, and every sixth of the rest, each in one of six releases that
    follow each other; with RFTCONF_EVERY_FLIP all of them."""
    names = [name for name in of.leaves() if has_row(of, name)]
    tried = names if os.environ.get("RFTCONF_EVERY_FLIP") else [*of_this_release(of, names)]
    assert silent(flip_all(of, tried)) == []


def test_a_sixth_of_the_leaves_of_older_releases_is_tried() -> None:
    leaves = [(of, [name for name in of.leaves() if has_row(of, name)]) for of in OLDER]
    tried = sum(len([*of_this_release(of, names)]) for of, names in leaves)
    assert tried > sum(len(names) for _, names in leaves) / 6


def of_this_release(of: Catalogued, names: list[str]) -> Iterator[str]:
    """The leaves that are otherwise in the next release, and those of the others that are this release's turn."""
    releases = registry.framework(of.framework).releases
    number = releases.index(of.release)
    after = replace(of, release=releases[number + 1])
    has_next = of.trainer in registry.framework(of.framework).trainers_of(after.release)
    then = after.keys if has_next else {}
    for name in names:
        if crc32(name.encode()) % 6 == number % 6 or of.key(name) != then.get(name, catalogue.Key(name)):
            yield name


@pytest.mark.parametrize(("framework", "to"), FURTHER, ids=[f"{name}-{to}" for name, to in FURTHER])
def test_no_leaf_is_silent_in_the_other_directions(framework: str, to: str) -> None:
    """All leaves without a row, and every eighth with one; `leaf_flip_report` flips all of them."""
    of = further(framework, to)
    names = of.leaves()
    new_verdicts = [*name_all(of, [name for name in names if not has_row(of, name)])]
    new_verdicts += flip_all(of, [name for name in names if has_row(of, name)][::8])
    known = AS_UNSAID.get((framework, to), set())
    assert silent(verdict for verdict in new_verdicts if verdict.key not in known) == []
    assert len(new_verdicts) > 60


def test_what_arrives_as_the_unsaid_value_does_is_said_to_arrive() -> None:
    for (framework, to), keys in AS_UNSAID.items():
        of = further(framework, to)
        (base,) = [base for base in bases(of) if base.name == "grpo"]
        for key in keys - {"buffer.explorer_input.taskset.format.prompt_type"}:
            value = "plaintext" if key.endswith("prompt_type") else True
            (line,) = [line for line in run(of, {**base.flat, key: value}).ledger.sources if line.key == key]
            assert line.state in (State.DERIVED, State.DEFAULT)
            assert len(line.reason) > 20


def test_all_directions_are_flipped() -> None:
    """The pairs from and to TRL, OpenRLHF and NeMo-RL are flipped in test_leaf_flip_trl, _openrlhf and _nemo_rl."""
    assert {*OTHER.items(), *FURTHER} == {*permutations(set(registry.FRAMEWORKS) - {"trl", "openrlhf", "nemo_rl"}, 2)}


def test_a_stage_says_what_the_file_says() -> None:
    of = STAGED
    for plain, staged in zip(bases(of), bases(of, staged=True), strict=True):
        assert unflipped(of, plain) == unflipped(of, staged), plain.name


def test_no_leaf_of_a_stage_is_silent() -> None:
    of = STAGED
    keys = of.keys
    names = [
        name for name in keys if name.startswith(STAGE) and not is_node(name, keys) and name != "stages[].stage_name"
    ]
    rowed = [name for name in names if has_row(of, name)]
    new_verdicts = list(name_all(of, [name for name in names if not has_row(of, name)]))
    new_verdicts += flip_all(of, rowed[::20])
    assert silent(new_verdicts) == []
    assert len(new_verdicts) > 400
