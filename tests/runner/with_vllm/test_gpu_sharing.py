"""Whose turn a GPU is, on a machine without one: the order of calls, by stand-ins that refuse any other, and the same numbers."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("vllm", reason="needs the runner's environment (make runner-env)")
import ray
import torch
from rftconf_runner import gpu_sharing, offload, rollout
from rftconf_runner.asking import GenerationRequest
from rftconf_runner.consistency_checks import GateError
from rftconf_runner.job import Offload, Optimizer
from rftconf_runner.job_reader import job_of
from rftconf_runner.offload import States
from rftconf_runner.places import Places
from rftconf_runner.rollout import ENVIRONMENT, Engine
from rftconf_runner.score_columns import BadRewardError
from rftconf_runner.sharded import Learner, shard
from rftconf_runner.sleeping import CACHE, DISCARDS, KEEPS, WEIGHTS, Sleep, level_of

from tests.runner.test_job import plan
from tests.runner.with_vllm.test_demo import trained, without_times

pytestmark = pytest.mark.filterwarnings("default")
SETTINGS = Optimizer(1e-3, (0.9, 0.999), 0.01, 1.0, "constant", 0, 0, 0.0)
DEVICE, HOST = torch.float32, torch.float64
"""Where there is no second device, a second type stands in: nothing is lost on the way, and nothing computes across them."""


class Memory:
    """vLLM's sleep as its documentation has it, without a GPU."""

    def __init__(self) -> None:
        self.asleep, self.said = set[str](), list[str]()

    def sleep(self, level: int) -> None:
        assert not self.asleep, "twice"
        self.asleep, self.said = {WEIGHTS, CACHE}, [*self.said, f"sleep {level}"]

    def wake_up(self, tags: list[str]) -> None:
        assert self.asleep.issuperset(tags), "what is awake"
        self.asleep -= set(tags)
        self.said.append(f"wake {' '.join(tags)}")


def test_weights_wake_for_weights_and_the_cache_for_answers() -> None:
    memory = Memory()
    engine = Sleep(memory, DISCARDS)
    for _ in range(2):
        engine.wake(WEIGHTS, CACHE)  # awake already, in the first period
        engine.begin()
        engine.begin()
        engine.wake(WEIGHTS)
    assert memory.said == ["sleep 2", f"wake {WEIGHTS}", f"wake {CACHE}", "sleep 2", f"wake {WEIGHTS}"]
    never = Sleep(memory, 0)
    never.begin()
    never.wake(WEIGHTS, CACHE)
    assert len(memory.said) == 5


def test_weights_are_discarded_only_where_a_sync_follows() -> None:
    assert [level_of(sleeps=True, every=every) for every in (1, 2)] == [DISCARDS, KEEPS]
    assert level_of(sleeps=False, every=1) == 0


@pytest.fixture(scope="module")
def engine(demo: Path) -> Iterator[Any]:
    """The actor's class in this process."""
    model = str(demo / "model")
    with pytest.MonkeyPatch.context() as patch:
        for name, value in ENVIRONMENT.items():
            patch.setitem(os.environ, name, value)
        yield Engine(replace(job_of(plan()), model=model, tokenizer=model))


def test_vllm_is_woken_in_time(engine: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a real engine, whose memory a processor leaves as it is, but which keeps account of what sleeps, and draws nothing
    until all is awake. The prefix cache is empty after the sync."""
    from transformers import AutoModelForCausalLM

    executor, rpc = engine.llm.llm_engine.model_executor, engine.llm.collective_rpc
    requests = [GenerationRequest((*range(3, 14), index), index) for index in range(4)]
    weights = list(AutoModelForCausalLM.from_pretrained(engine.job.model, dtype=torch.float32).state_dict().items())
    awake, observed = engine.generate(requests), []

    def watched(method: Any, **more: Any) -> Any:
        observed.append(set(executor.sleeping_tags))
        return rpc(method, **more)

    engine.resting = Sleep(engine.llm, DISCARDS)
    monkeypatch.setattr(engine.llm, "collective_rpc", watched)
    engine.sleep()
    assert executor.sleeping_tags == {WEIGHTS, CACHE}
    engine.load(weights, 1)
    assert observed == [{CACHE}] * 3  # as weights are taken, as they are laid out, and as they are named
    again = engine.generate(requests)
    assert executor.sleeping_tags == set()
    assert [entry.tokens for entry in again] == [entry.tokens for entry in awake]


@pytest.mark.parametrize(("captures", "gpu"), [(True, True), (False, True), (True, False)])
def test_graphs_are_captured_where_the_plan_has_them_and_a_gpu_is(
    captures: bool, gpu: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """vLLM and PyTorch's compiler read the variable as they are imported: it is gone before that, or stays."""
    options = dict[str, Any]()

    def imported() -> Any:
        options["compiles"] = rollout.COMPILES_NOTHING not in os.environ
        return lambda _, **more: options.update(more)

    monkeypatch.setenv(rollout.COMPILES_NOTHING, "1")
    monkeypatch.setenv("VLLM_HOST_IP", "127.0.0.1")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: gpu)
    monkeypatch.setattr(ray.util, "get_node_ip_address", lambda: "127.0.0.1")
    monkeypatch.setattr(rollout, "_imported", imported)
    rollout.started("model", 0.5, captures=captures)
    assert (options["compiles"], options["enforce_eager"]) == (captures and gpu, not (captures and gpu))


def drawn(engine: Any, seeds: range) -> list[tuple[int, ...]]:
    """Tokens of an answer by each seed, all to one prompt."""
    return [answer.tokens for answer in engine.generate([GenerationRequest((*range(3, 14),), seed) for seed in seeds])]


def test_on_a_gpu_a_call_has_one_generator(engine: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its answers differ and are the same again; those of a call that begins with another answer are others."""
    monkeypatch.setattr(engine, "on_gpu", True)
    assert engine._params(GenerationRequest((3,), 1)).seed is None
    first, again, other = drawn(engine, range(4)), drawn(engine, range(4)), drawn(engine, range(4, 8))
    assert first == again
    assert len({*first, *other}) == 8


def test_where_the_plan_wants_the_same_numbers_each_answer_has_a_generator(
    engine: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An answer is the same whatever is drawn beside it, and a GPU draws by the seeds that a CPU draws by."""
    whole = drawn(engine, range(4))
    monkeypatch.setattr(engine, "on_gpu", True)
    monkeypatch.setattr(engine, "job", replace(engine.job, repeats=True))
    assert drawn(engine, range(2, 4)) == whole[2:]


def test_nothing_sleeps_without_a_gpu(engine: Any) -> None:
    assert engine.job.sleeps
    fresh = level_of(sleeps=engine.job.sleeps and torch.cuda.is_available(), every=1)
    assert fresh == (DISCARDS if torch.cuda.is_available() else 0)


class Actor:
    """Says what it is called for."""

    def __init__(self, name: str, messages: list[str]) -> None:
        self.name, self.said = name, messages

    def __getattr__(self, method: str) -> Any:
        def remote() -> str:
            self.said.append(f"{self.name} {method}")
            return method

        return type("Method", (), {"remote": staticmethod(remote)})


def test_trainers_leave_before_engines_answer_and_engines_before_trainers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray, "get", lambda refs: refs)
    messages: list[str] = []
    places = Places(
        [Actor("t0", messages)], [Actor("c0", messages)], [[Actor("e0", messages), Actor("e0.1", messages)]], None
    )
    job = replace(job_of(plan()), offload=Offload(param=True))
    with gpu_sharing.engines_turn(job, places):
        messages.append("answers")
    assert messages == ["t0 rest", "c0 rest", "answers", "e0 sleep", "e0.1 sleep"]
    messages.clear()
    for kind in (BadRewardError, GateError):
        with pytest.raises(kind), gpu_sharing.engines_turn(job, places):
            raise kind("what was learned is saved then: trainers take back what is theirs")
        assert messages == ["t0 rest", "c0 rest", "e0 sleep", "e0.1 sleep"]
        messages.clear()
    with pytest.raises(RuntimeError), gpu_sharing.engines_turn(job, places):
        raise RuntimeError("a rank that waits for one that died would not hear of it")
    assert messages == ["t0 rest", "c0 rest"]
    messages.clear()
    with gpu_sharing.engines_turn(replace(job, offload=Offload(), sleeps=False), places):
        pass
    assert messages == []
    with gpu_sharing.engines_turn(replace(job, offload=Offload(), sleeps=True), places):
        messages.append("answers")
    assert messages == ["t0 rest", "c0 rest", "answers", "e0 sleep", "e0.1 sleep"]


def test_what_pytorch_keeps_is_given_back_whether_or_not_states_leave(monkeypatch: pytest.MonkeyPatch) -> None:
    emptied = list[str]()
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "empty_cache", lambda: emptied.append("cache"))
    States(None, None, Offload(), "cuda").rest()
    assert emptied == ["cache"]


def learner(demo: Path, new_offload: Offload) -> Learner:
    """A model under FSDP2, on one rank."""
    from torch.distributed.device_mesh import init_device_mesh
    from transformers import AutoModelForCausalLM

    model = AutoModelForCausalLM.from_pretrained(demo / "model", dtype=DEVICE)
    model = shard(model, init_device_mesh("cpu", (1,)), "float32", checkpointing=False, offload=new_offload).train()
    return Learner(model, SETTINGS, new_offload, 9, 0, 1)


def updated(new_learner: Learner) -> tuple[float, float, float]:
    ids = torch.arange(32).view(2, 16) % 60 + 3
    return new_learner.step(lambda: [new_learner.backward(new_learner.model(ids, labels=ids).loss)])


@pytest.mark.usefixtures("alone")
def test_states_that_wait_elsewhere_change_no_number(demo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Parameters and moments leave together, come back when they are needed, and the numbers are the same bit for bit."""
    monkeypatch.setattr(offload, "HOST", HOST)
    plain, moved = learner(demo, Offload()), learner(demo, Offload())
    moved.states = States(moved.model, moved.optimizer, Offload(param=True, optimizer=True), DEVICE)
    for _ in range(3):
        assert updated(plain) == updated(moved)
        moved.states.rest()
        kinds = {parameter.dtype for parameter in moved.model.parameters()}
        moments = [value for state in moved.optimizer.state.values() for value in state.values() if value.dim()]
        assert kinds == {HOST}
        assert {value.dtype for value in moments} == {HOST}
        assert len(moments) == 2 * len(list(moved.model.parameters()))
        assert all(parameter.grad is None for parameter in moved.model.parameters())
    pairs = zip(plain.weights(torch.float32), moved.weights(torch.float32), strict=True)
    assert [name for (name, first), (_, second) in pairs if not torch.equal(first, second)] == []
    assert {value.dtype for state in moved.optimizer.state.values() for value in state.values() if value.dim()} == {
        HOST
    }
    moved.states.back("optimizer")
    assert {value.dtype for state in moved.optimizer.state.values() for value in state.values()} == {DEVICE}


@pytest.mark.usefixtures("alone")
def test_layers_that_stay_gathered_change_no_number(demo: Path) -> None:
    """What is read between two updates is what was learned, too."""
    plain, new_learner = learner(demo, Offload()), learner(demo, Offload(reshards=False))
    ids = torch.arange(32).view(2, 16) % 60 + 3
    for _ in range(2):
        assert updated(plain) == updated(new_learner)
        with torch.no_grad():
            assert torch.equal(plain.model(ids).logits, new_learner.model(ids).logits)
    pairs = zip(plain.weights(torch.float32), new_learner.weights(torch.float32), strict=True)
    assert [name for (name, first), (_, second) in pairs if not torch.equal(first, second)] == []
    stays = [m._get_fsdp_state()._fsdp_param_group.post_forward_mesh_info for m in new_learner.model.model.layers]
    assert stays == [None] * len(stays)


@pytest.mark.usefixtures("alone")
def test_only_what_the_plan_names_leaves(demo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(offload, "HOST", HOST)
    new_learner = learner(demo, Offload())
    updated(new_learner)
    for part, kinds in (("param", [HOST, DEVICE]), ("optimizer", [DEVICE, HOST])):
        states = States(new_learner.model, new_learner.optimizer, replace(Offload(), **{part: True}), DEVICE)
        states.rest()
        values = [
            next(new_learner.model.parameters()).dtype,
            next(iter(new_learner.optimizer.state.values()))["exp_avg"].dtype,
        ]
        assert values == kinds
        states.back("param", "optimizer")
    on_host = States(new_learner.model, new_learner.optimizer, Offload(param=True, optimizer=True), HOST)
    on_host.rest()
    assert on_host.away == set()


def test_fsdps_own_offload_is_the_same_curve(demo: Path) -> None:
    """Policy, reference and critic by its policy, on two ranks: updates, checkpoint and sync go through the host's memory."""
    short = {
        "trainer__total_training_steps": "3", "trainer__save_freq": "3", "trainer__n_gpus_per_node": "2",
        "actor_rollout_ref__actor__use_kl_loss": "True", "actor_rollout_ref__ref__fsdp_config__dtype": "float32",
    }  # fmt: skip
    questions = {f"actor_rollout_ref__{role}__fsdp_config__offload_policy": "True" for role in ("actor", "ref")}
    plain, target = (without_times(trained(demo, f"host-{len(more)}", **short, **more)) for more in ({}, questions))
    assert target == plain
