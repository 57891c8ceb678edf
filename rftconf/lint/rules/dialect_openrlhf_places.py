"""Rules for what only OpenRLHF has: groups of GPUs by role that share, or wait for each other's memory."""

from __future__ import annotations

from rftconf.lint.rule import ERROR, INFO, WARNING, Drop, Family, Findings, Put, finding, openrlhf
from rftconf.lint.subject import Subject

FAMILY = Family("DIA", ("openrlhf",))
rule = FAMILY.rule
MAIN = "openrlhf/cli/train_ppo_ray.py"
ALL, WITH_REF, WITH_REWARD, ASYNC, PARTIAL, QUEUE = (
    f"train.{name}"
    for name in ("colocate_all", "colocate_actor_ref", "colocate_critic_reward", "async_enable", "partial_rollout_enable", "async_queue_size")
)  # fmt: skip
ENGINES, TP, ENGINE_SLEEP = "vllm.num_engines", "vllm.tensor_parallel_size", "vllm.enable_sleep"
SLEEP, STAGE, HOST, RING, DS_TP = (
    f"ds.{name}" for name in ("enable_sleep", "zero_stage", "adam_offload", "ring_attn_size", "tensor_parallel_size")
)
ESTIMATOR, KL = "algo.advantage.estimator", "algo.kl.init_coef"
MODEL, URL, AGENT = "reward.model_name_or_path", "reward.remote_url", "train.agent_func_path"
CRITIC = (f"{ESTIMATOR}=gae", "algo.kl.use_loss=false", "algo.kl.estimator=k1")
APART = (f"{ALL}=false", f"{ENGINE_SLEEP}=false", f"{SLEEP}=false")


def is_on(s: Subject, key: str) -> bool:
    """True where a switch is known to be on."""
    return s.value(key) is True


def is_missing(s: Subject, *keys: str) -> bool:
    """True where none of the keys is given, by the file or below it."""
    return s.alone and all(s.native.value(key) is None for key in keys)


def gpus_of(s: Subject, role: str) -> int | None:
    """The GPUs of a role's group, None where a number is not known."""
    nodes, each = s.count(f"{role}.num_nodes"), s.count(f"{role}.num_gpus_per_node")
    return None if nodes is None or each is None else nodes * each


def _sizes(*roles: str) -> tuple[str, ...]:
    return tuple(f"{role}.{name}" for role in roles for name in ("num_gpus_per_node", "num_nodes"))


def _have_other_sizes(s: Subject, role: str, role_b: str) -> bool:
    """True where two roles' nodes, or GPUs of a node, are known to differ."""
    pairs = [(s.count(f"{role}.{name}"), s.count(f"{role_b}.{name}")) for name in ("num_nodes", "num_gpus_per_node")]
    return any(None not in pair and pair[0] != pair[1] for pair in pairs)


def _others(s: Subject) -> tuple[str, ...]:
    """The roles beside the actor that a run has."""
    coef, has_reward = s.number(KL), is_missing(s, URL, AGENT)
    present = {"ref": coef is not None and coef > 0, "critic": s.value(ESTIMATOR) == "gae", "reward": has_reward}
    return tuple(role for role, takes_part in present.items() if takes_part)


@rule(
    501, ERROR, "engines that do not take the actor's GPUs",
    bad=openrlhf(f"{ENGINES}=3", f"{TP}=2"), good=openrlhf(f"{ENGINES}=4", f"{TP}=2"),
    advice="make engines x tensor parallel size the actor's GPUs, or give the engines GPUs of their own", source=f"OpenRLHF {MAIN}: train",
)  # fmt: skip
def _other_engines(s: Subject) -> Findings:
    """Engines that share GPUs with all models take those of the actor one for one, and the run stops where they are not as many."""
    mine, count, tp = gpus_of(s, "actor"), s.count(ENGINES), s.count(TP)
    if not is_on(s, ALL) or s.value(ASYNC) is not False or mine is None or count is None or tp is None:
        return
    if count * tp != mine:
        yield finding(f"{mine} GPUs of the actor, but {count} engines of {tp}: {s.says(ALL)} asks for as many",
                      ENGINES, TP, *_sizes("actor"))  # fmt: skip


@rule(
    502, ERROR, "a reference of another size than the actor it shares GPUs with",
    bad=openrlhf("ref.num_gpus_per_node=4"), good=openrlhf("ref.num_gpus_per_node=8"),
    advice="give both the same nodes and GPUs of a node", source=f"OpenRLHF {MAIN}: train",
)  # fmt: skip
def _other_reference(s: Subject) -> Findings:
    """The reference has flags of its own for nodes and GPUs, and the run stops where they are not those of the actor
    although both share GPUs."""
    shares = next((key for key in (ALL, WITH_REF) if is_on(s, key)), None)
    if shares is not None and "ref" in _others(s) and _have_other_sizes(s, "ref", "actor"):
        yield finding(
            f"the reference has {_shape(s, 'ref')}, the actor {_shape(s, 'actor')}, and {s.says(shares)}",
            *_sizes("ref", "actor"),
        )


def _shape(s: Subject, role: str) -> str:
    nodes, each = s.count(f"{role}.num_nodes"), s.count(f"{role}.num_gpus_per_node")
    return " x ".join("?" if number is None else str(number) for number in (nodes, each)) + " GPUs"


@rule(
    503, ERROR, "a critic of another size than the reward model it shares GPUs with",
    bad=openrlhf(*APART, *CRITIC, f"{WITH_REWARD}=true", "critic.num_gpus_per_node=4"),
    good=openrlhf(*APART, *CRITIC, f"{WITH_REWARD}=true", "critic.num_gpus_per_node=4", "reward.num_gpus_per_node=4"),
    advice="give both the same nodes and GPUs of a node", source=f"OpenRLHF {MAIN}: train",
)  # fmt: skip
def _other_critic(s: Subject) -> Findings:
    """The run stops where the sizes differ, also where a function or a service scores and no reward model is loaded: its
    sizes are then 1 x 8 unless they are written."""
    if s.value(ESTIMATOR) == "gae" and is_on(s, WITH_REWARD) and _have_other_sizes(s, "critic", "reward"):
        yield finding(
            f"the critic has {_shape(s, 'critic')}, the reward model {_shape(s, 'reward')}, and {s.says(WITH_REWARD)}",
            *_sizes("critic", "reward"),
        )


@rule(
    504, WARNING, "a critic that leaves the GPUs of all",
    bad=openrlhf(*CRITIC, f"{WITH_REWARD}=true"), good=openrlhf(*CRITIC, f"{WITH_REWARD}=false"),
    advice="leave colocate_critic_reward out", source=f"OpenRLHF {MAIN}: train, placement groups", fixable=True,
)  # fmt: skip
def _second_group(s: Subject) -> Findings:
    """Beside colocate_all the other switch does not do nothing: it asks Ray for a second group of GPUs, which the critic and
    the reward model take. On a cluster of the actor's size the run waits for them without an end."""
    if s.value(ESTIMATOR) == "gae" and is_on(s, ALL) and is_on(s, WITH_REWARD):
        more = gpus_of(s, "critic")
        number = "" if more is None else f" {more}"
        yield finding(f"{s.says(WITH_REWARD)} beside {s.says(ALL)}: the critic takes{number} GPUs more",
                      WITH_REWARD, ALL, fix=Drop(WITH_REWARD))  # fmt: skip


@rule(
    505, ERROR, "a role of more GPUs than all models share",
    bad=openrlhf(*CRITIC, "actor.num_gpus_per_node=4", "ref.num_gpus_per_node=4", f"{ENGINES}=2"),
    good=openrlhf(*CRITIC, "actor.num_gpus_per_node=4", "ref.num_gpus_per_node=4", f"{ENGINES}=2", "critic.num_gpus_per_node=4"),
    advice="give every role the actor's nodes and GPUs", source="OpenRLHF openrlhf/trainer/ray/launcher.py: RayActorGroup._initiate_actors",
)  # fmt: skip
def _larger_role(s: Subject) -> Findings:
    """The group that all share has a place for each GPU of the actor, and each role takes as many places as its own flags
    say, 1 x 8 unless they are written: Ray has no place for the others."""
    mine = gpus_of(s, "actor")
    if not is_on(s, ALL) or is_on(s, WITH_REWARD) or mine is None:
        return
    for role in ("critic", "reward"):
        wants = gpus_of(s, role)
        if role in _others(s) and wants is not None and wants > mine:
            yield finding(
                f"{s.says(ALL)}: {wants} GPUs of the {role}, and the actor has {mine}", *_sizes(role, "actor")
            )


@rule(
    506, ERROR, "a role whose GPUs make no whole rings",
    bad=openrlhf(*APART, f"{RING}=2", "ref.num_gpus_per_node=1"), good=openrlhf(*APART, f"{RING}=2", "ref.num_gpus_per_node=2"),
    advice="give each role a multiple of ring size x tensor parallel size", source="OpenRLHF openrlhf/utils/deepspeed/deepspeed.py: setup_distributed",
)  # fmt: skip
def _torn_rings(s: Subject) -> Findings:
    """Ring attention and DeepSpeed's tensor parallelism hold for every model that is loaded, not for the actor alone: a
    smaller role has no ranks left, or ranks without a ring."""
    ring, tp = s.count(RING), s.count(DS_TP)
    if ring is None or tp is None or ring * tp == 1:
        return
    for role in _others(s):
        gpus = gpus_of(s, role)
        if gpus is not None and gpus % (ring * tp):
            yield finding(f"{gpus} GPUs of the {role} do not divide by {ring * tp}", *_sizes(role), RING, DS_TP)


@rule(
    507, ERROR, "no engines",
    bad=openrlhf(f"~{ENGINES}"), good=openrlhf(f"{ENGINES}=4"),
    advice="say how many engines there are", source=f"OpenRLHF {MAIN}: main; openrlhf/trainer/ppo_utils: SamplesGenerator",
)  # fmt: skip
def _no_engines(s: Subject) -> Findings:
    """vLLM alone generates. Without a number, or with 0, which the flag's help calls a way without vLLM, nothing does, and
    the run stops, with packed samples before anything is loaded."""
    if s.native.value(ENGINES) == 0 or is_missing(s, ENGINES):
        yield finding(f"{s.says(ENGINES)}: nothing generates", ENGINES, "actor.num_gpus_per_node")


@rule(
    508, INFO, "sleep of engines that have GPUs of their own",
    bad=openrlhf(*APART[::2], f"{ENGINE_SLEEP}=true"), good=openrlhf(*APART),
    advice="leave it out", source=f"OpenRLHF {MAIN}: main", fixable=True,
)  # fmt: skip
def _no_sleep(s: Subject) -> Findings:
    """Engines give memory back to a trainer that shares their GPUs. Without colocate_all the switch is set back to off."""
    if is_on(s, ENGINE_SLEEP) and s.value(ALL) is False:
        yield finding(f"{s.says(ENGINE_SLEEP)} is set back to off: {s.says(ALL)}", ENGINE_SLEEP, ALL,
                      fix=Drop(ENGINE_SLEEP), safe=True)  # fmt: skip


@rule(
    509, ERROR, "engines that sleep and run ahead",
    bad=openrlhf(f"{ASYNC}=true", f"{ENGINE_SLEEP}=true"), good=openrlhf(f"{ASYNC}=true", f"{ENGINE_SLEEP}=false"),
    advice="leave the sleep out", source=f"OpenRLHF {MAIN}: main", fixable=True,
)  # fmt: skip
def _sleeps_ahead(s: Subject) -> Findings:
    """Engines that run ahead of the trainer have GPUs of their own and never wait; the run stops where they are to sleep."""
    if is_on(s, ASYNC) and is_on(s, ALL) and is_on(s, ENGINE_SLEEP):
        yield finding(f"{s.says(ENGINE_SLEEP)} with {s.says(ASYNC)}: the run stops", ENGINE_SLEEP, ASYNC,
                      fix=Drop(ENGINE_SLEEP), safe=True)  # fmt: skip


@rule(
    510, ERROR, "answers in parts without engines that run ahead",
    bad=openrlhf(f"{PARTIAL}=true"), good=openrlhf(f"{PARTIAL}=true", f"{ASYNC}=true", f"{ENGINE_SLEEP}=false"),
    advice="set async_enable, or leave partial_rollout_enable out", source=f"OpenRLHF {MAIN}: main", since="0.9.7", fixable=True,
)  # fmt: skip
def _partial_alone(s: Subject) -> Findings:
    """Engines stop in the middle of an answer when weights come, which only happens beside a trainer: the run stops."""
    if is_on(s, PARTIAL) and s.value(ASYNC) is False:
        yield finding(
            f"{s.says(PARTIAL)} without {s.key(ASYNC)}: the run stops", PARTIAL, ASYNC, fix=Drop(PARTIAL), safe=True
        )


@rule(
    511, ERROR, "a queue of nothing",
    bad=openrlhf(f"{ASYNC}=true", f"{ENGINE_SLEEP}=false", f"{QUEUE}=0"), good=openrlhf(f"{ASYNC}=true", f"{ENGINE_SLEEP}=false", f"{QUEUE}=1"),
    advice="let at least one rollout wait", source="OpenRLHF openrlhf/trainer/ppo_trainer_async.py: PPOTrainerAsync", since="0.9.1", fixable=True,
)  # fmt: skip
def _no_queue(s: Subject) -> Findings:
    """Rollouts wait for the trainer in a queue, and the trainer stops where it has no place for one."""
    size = s.number(QUEUE)
    if is_on(s, ASYNC) and size is not None and size <= 0:
        yield finding(f"{s.says(QUEUE)}: the run stops", QUEUE, ASYNC, fix=Put(QUEUE, 1), safe=True)


@rule(
    512, ERROR, "sleep of a trainer that DeepSpeed cannot put to sleep",
    bad=openrlhf("zero_stage=2", release="0.8.9"), good=openrlhf("zero_stage=3", release="0.8.9"),
    advice="take ZeRO stage 3, or adam_offload", source="OpenRLHF openrlhf/utils/deepspeed/deepspeed_utils.py: offload_deepspeed_states",
    until="0.8.9",
)  # fmt: skip
def _no_stage(s: Subject) -> Findings:
    """States go to host memory with ZeRO stage 3 alone in DeepSpeed up to 0.17.5, which these releases run on: they raise
    NotImplementedError as soon as the actor is loaded."""
    stage = s.number(STAGE)
    if is_on(s, SLEEP) and s.value(HOST) is False and stage is not None and stage != 3:
        yield finding(f"{s.says(SLEEP)} with {s.says(STAGE)}: the run stops", STAGE, SLEEP)


@rule(
    513, INFO, "sleep of states that are in host memory",
    bad=openrlhf(f"{HOST}=true"), good=openrlhf(f"{HOST}=false"),
    advice="leave one of them out", source="OpenRLHF openrlhf/utils/deepspeed/deepspeed_utils.py: offload_deepspeed_states",
)  # fmt: skip
def _already_there(s: Subject) -> Findings:
    """An optimizer in host memory is not moved, and nothing else is: gradients and weights stay on the GPU while engines run."""
    if is_on(s, SLEEP) and is_on(s, HOST):
        yield finding(f"{s.says(SLEEP)} moves nothing: {s.says(HOST)}", HOST, SLEEP)


@rule(
    514, INFO, "sleep of a trainer that shares no GPU",
    bad=openrlhf(f"{ALL}=false", f"{ENGINE_SLEEP}=false", f"{SLEEP}=true"), good=openrlhf(*APART),
    advice="leave it out", source="OpenRLHF openrlhf/trainer/ppo_trainer.py: ppo_train", fixable=True,
)  # fmt: skip
def _sleeps_alone(s: Subject) -> Findings:
    """States go to host memory and back in each step, the critic before the actor, although nobody needs the room."""
    if is_on(s, SLEEP) and s.value(ALL) is False and s.value(WITH_REF) is False:
        yield finding(f"{s.says(SLEEP)} with {s.says(ALL)}: nobody needs the room", SLEEP, ALL, fix=Drop(SLEEP))
