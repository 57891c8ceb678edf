"""Parallel sizes of trainer and engines."""

from __future__ import annotations

from rftconf.lint.chosen_parts import chooses
from rftconf.lint.measures import TRAINERS, largest_divisor
from rftconf.lint.rule import ERROR, INFO, WARNING, Drop, Family, Findings, Put, Rename, finding, trinity, verl
from rftconf.lint.subject import Subject

FAMILY = Family("PAR")
rule = FAMILY.rule
ACTOR, ROLLOUT, CRITIC = "actor_rollout_ref.actor.", "actor_rollout_ref.rollout.", "critic."
GAE = ("algorithm.adv_estimator=gae", "critic.model.path=Qwen/Qwen2.5-7B-Instruct")
MEGATRON = (f"{ACTOR}strategy=megatron", "model_engine=megatron", "~actor_rollout_ref.model.use_remove_padding")
AT = "placement.actor."


@rule(
    1, ERROR, "sequence parallelism without packed sequences",
    bad=verl(f"{ACTOR}ulysses_sequence_parallel_size=2", "actor_rollout_ref.model.use_remove_padding=False"),
    good=verl(f"{ACTOR}ulysses_sequence_parallel_size=2", "actor_rollout_ref.model.use_remove_padding=True"),
    advice="set use_remove_padding to true", source="verl-project/verl PR#153; veRL utils/config.py validate_config", fixable=True,
)  # fmt: skip
def _padded(s: Subject) -> Findings:
    """Ulysses splits sequences that were packed together. Releases that do not check it run every sequence whole on each
    GPU and go out of memory."""
    size, packed = s.count(f"{AT}sp"), "model_options.remove_padding"
    if size and size > 1 and s.value(packed) is False and s.value(f"{AT}backend") != "megatron":
        yield finding(f"{s.says(f'{AT}sp')} needs packed sequences, and {s.says(packed)}", packed, f"{AT}sp",
                    fix=Put(packed, value=True), safe=True)  # fmt: skip


@rule(
    2, ERROR, "sequence parallelism of the critic without packed sequences",
    bad=verl(*GAE, "critic.fsdp.ulysses_sequence_parallel_size=2", "critic.model.use_remove_padding=False"),
    good=verl(*GAE, "critic.fsdp.ulysses_sequence_parallel_size=2", "critic.model.use_remove_padding=True"),
    advice="set the critic's own use_remove_padding to true", source="veRL utils/config.py validate_config", fixable=True,
)  # fmt: skip
def _padded_critic(s: Subject) -> Findings:
    """The critic has a switch of its own; the actor's does not reach it."""
    size, packed = s.count("placement.critic.sp"), "model_options.critic_remove_padding"
    if s.value("algorithm.critic.enabled") and size and size > 1 and s.value(packed) is False:
        yield finding(f"{s.says('placement.critic.sp')} needs packed sequences, and {s.says(packed)}", packed,
                    "placement.critic.sp", fix=Put(packed, value=True), safe=True)  # fmt: skip


@rule(
    3, WARNING, "a critic's sequence parallelism that never arrives",
    bad=verl(*GAE, "critic.ulysses_sequence_parallel_size=2"), good=verl(*GAE, "critic.fsdp.ulysses_sequence_parallel_size=2"),
    advice="set critic.fsdp.ulysses_sequence_parallel_size", source="H65; veRL 0.9 workers/config/critic.py 212-232",
    frameworks=("verl",), since="0.8.0", fixable=True,
)  # fmt: skip
def _critic_placebo(s: Subject) -> Findings:
    """Since 0.8 the key is accepted and checked, but only the one in critic.fsdp reaches the engine: the critic runs
    without sequence parallelism, with more memory per GPU than planned."""
    old, new = "critic.ulysses_sequence_parallel_size", "critic.fsdp.ulysses_sequence_parallel_size"
    if (s.count(old) or 1) > 1 and not s.written(new) and s.best.trainer != "megatron":
        yield finding(f"{s.says(old)} never reaches the critic's engine", old, fix=Rename(old, new))


@rule(
    4, ERROR, "Megatron with the config of FSDP",
    bad=verl(f"{ACTOR}strategy=megatron", script="# a launch\n"),
    good=verl(f"{ACTOR}strategy=megatron", "model_engine=megatron", "~actor_rollout_ref.model.use_remove_padding", script="# a launch\n"),
    advice="start with --config-name=ppo_megatron_trainer, or (since 0.8) model_engine=megatron", source="veRL trainer/config",
    frameworks=("verl",),
)  # fmt: skip
def _wrong_config(s: Subject) -> Findings:
    """The blocks that Megatron's workers read are in another Hydra config; with the usual one the run stops with "Missing
    key megatron"."""
    launch = s.document.launch
    if launch is None or s.document.form == "yaml" or s.native.value(f"{ACTOR}strategy") != "megatron":
        return
    chosen = any("model_engine" in key or key.startswith("actor@") for key in s.leaves)
    if s.written(f"{ACTOR}strategy") and "config-name" not in launch.options and not chosen:
        yield finding(f"{s.says(f'{ACTOR}strategy')}, but the launch names no Megatron config", f"{ACTOR}strategy")


@rule(
    5, ERROR, "experts that the GPUs do not hold",
    bad=verl(*MEGATRON, f"{ACTOR}megatron.expert_model_parallel_size=3"), good=verl(*MEGATRON, f"{ACTOR}megatron.expert_model_parallel_size=4"),
    advice="choose EP so that ETP x EP x PP divides the trainer's GPUs", source="Megatron initialize_model_parallel", fixable=True,
)  # fmt: skip
def _uneven_experts(s: Subject) -> Findings:
    """Megatron cuts the GPUs into groups of ETP x EP x PP as well as of TP x PP x CP, and asserts both."""
    gpus, ep = s.count(TRAINERS), s.count(f"{AT}megatron.ep")
    etp = s.count(f"{AT}megatron.etp") or s.count(f"{AT}megatron.tp") or 1
    pp = s.count(f"{AT}megatron.pp") or 1
    if gpus and ep and ep > 1 and gpus % (etp * ep * pp):
        fits = 1 if gpus % (etp * pp) else largest_divisor(gpus // (etp * pp), ep)
        yield finding(f"{gpus} trainer GPUs do not divide by ETP {etp} x EP {ep} x PP {pp}", f"{AT}megatron.ep", TRAINERS,
                    fix=Put(f"{AT}megatron.ep", fits))  # fmt: skip


@rule(
    6, ERROR, "virtual pipeline stages without a pipeline",
    bad=verl(*MEGATRON, f"{ACTOR}megatron.virtual_pipeline_model_parallel_size=2"),
    good=verl(*MEGATRON, f"{ACTOR}megatron.virtual_pipeline_model_parallel_size=2", f"{ACTOR}megatron.pipeline_model_parallel_size=2"),
    advice="leave it out, or set the pipeline's size", source="Megatron initialize_model_parallel", fixable=True,
)  # fmt: skip
def _virtual(s: Subject) -> Findings:
    """Interleaving splits each pipeline stage further; with one stage Megatron refuses it."""
    name = f"{AT}megatron.vpp"
    if s.count(name) and (s.count(f"{AT}megatron.pp") or 1) == 1 and not s.unknown(f"{AT}megatron.pp"):
        yield finding(
            f"{s.says(name)} needs a pipeline of at least 2", name, f"{AT}megatron.pp", fix=Drop(name), safe=True
        )


@rule(
    7, INFO, "Megatron's sequence parallelism without tensor parallelism",
    bad=verl(*MEGATRON, f"{ACTOR}megatron.sequence_parallel=True"),
    good=verl(*MEGATRON, f"{ACTOR}megatron.sequence_parallel=True", f"{ACTOR}megatron.tensor_model_parallel_size=2"),
    advice="leave it out", source="veRL workers/config/engine.py McoreEngineConfig", fixable=True,
)  # fmt: skip
def _sequence_parallel(s: Subject) -> Findings:
    """It splits what tensor parallelism leaves whole. With TP 1 it is switched off in silence."""
    name = f"{AT}megatron.sequence_parallel"
    if s.value(name) is True and s.written(name) and (s.count(f"{AT}megatron.tp") or 1) == 1:
        yield finding(f"{s.says(name)} has no effect with TP 1", name, fix=Drop(name), safe=True)


@rule(
    8, ERROR, "an engine's expert parallelism that is not TP x DP",
    bad=verl(f"{ROLLOUT}expert_parallel_size=4"), good=verl(f"{ROLLOUT}expert_parallel_size=2"),
    advice="set it to TP x DP, or to 1", source="veRL workers/config/rollout.py", frameworks=("verl",), since="0.6.1", fixable=True,
)  # fmt: skip
def _engine_experts(s: Subject) -> Findings:
    """veRL's RolloutConfig asserts that experts are spread over the whole engine or not at all."""
    key, tp, dp = f"{ROLLOUT}expert_parallel_size", s.count("placement.rollout.tp"), s.count("placement.rollout.dp")
    size = s.count(key)
    if size and size > 1 and tp and dp and size != tp * dp:
        yield finding(
            f"{s.says(key)} is not TP {tp} x DP {dp}", key, "placement.rollout.tp", fix=Put(key, tp * dp), safe=True
        )


@rule(
    9, ERROR, "an engine with a pipeline",
    bad=verl(f"{ROLLOUT}pipeline_model_parallel_size=2"), good=verl(f"{ROLLOUT}pipeline_model_parallel_size=1"),
    advice="use tensor parallelism", source="veRL workers/config/rollout.py", frameworks=("verl",), since="0.6.1", fixable=True,
)  # fmt: skip
def _engine_pipeline(s: Subject) -> Findings:
    """veRL has the key and raises NotImplementedError for every engine when it is above 1."""
    key = f"{ROLLOUT}pipeline_model_parallel_size"
    if (s.count(key) or 1) > 1:
        yield finding(f"{s.says(key)} is not implemented in veRL", key, fix=Put(key, 1), safe=True)


@rule(
    10, ERROR, "two kinds of sequence parallelism",
    bad=verl(*MEGATRON, f"{ACTOR}ulysses_sequence_parallel_size=2"), good=verl(*MEGATRON, f"{ACTOR}ulysses_sequence_parallel_size=1"),
    advice="use Megatron's context parallelism", source="veRL fsdp_workers.py, engine_workers.py", frameworks=("verl",), fixable=True,
)  # fmt: skip
def _ulysses_megatron(s: Subject) -> Findings:
    """Megatron's workers demand that Ulysses is off."""
    key = f"{ACTOR}ulysses_sequence_parallel_size"
    if s.value(f"{AT}backend") == "megatron" and (s.count(key) or 1) > 1:
        yield finding(f"{s.says(key)} with Megatron", key, fix=Put(key, 1), safe=True)


@rule(
    11, ERROR, "actor and critic with different trainers",
    bad=verl(*GAE, "critic.strategy=megatron", release="0.5.0"), good=verl(*GAE, "critic.strategy=fsdp", release="0.5.0"),
    advice="use the same for both", source="veRL main_ppo.py TaskRunner.run", frameworks=("verl",), until="0.5.0", fixable=True,
)  # fmt: skip
def _mixed(s: Subject) -> Findings:
    """Up to 0.5 one worker group holds both, and a mix with Megatron raises NotImplementedError."""
    actor, critic = s.native.value(f"{ACTOR}strategy"), s.native.value("critic.strategy")
    if s.written("critic.strategy") and "megatron" in (actor, critic) and actor != critic and isinstance(actor, str):
        yield finding(f"{s.says(f'{ACTOR}strategy')}, but {s.says('critic.strategy')}", "critic.strategy", f"{ACTOR}strategy",
                    fix=Put("critic.strategy", actor))  # fmt: skip


@rule(
    12, ERROR, "a trainer that does not exist",
    bad=verl(f"{ACTOR}strategy=deepspeed"), good=verl(f"{ACTOR}strategy=fsdp2"),
    advice="fsdp, fsdp2 or megatron", source="veRL utils/config.py validate_config", fixable=True,
)  # fmt: skip
def _unknown_trainer(s: Subject) -> Findings:
    """veRL from 0.8 on and Trinity-RFT do not look at the name until the workers start."""
    name, known = (
        f"{AT}backend",
        ("fsdp", "fsdp2", "megatron", "veomni", "torchtitan", "automodel", "fsdp_turbo", "tinker"),
    )
    got = s.value(name)
    if (
        isinstance(got, str)
        and s.written(name)
        and not chooses(s, s.key(name))
        and got not in known
        and s.framework in ("verl", "trinity")
    ):
        yield finding(f"{s.says(name)}: there is no such trainer", name, fix=Put(name, "fsdp2"))


@rule(
    13, ERROR, "Megatron without its bridge",
    bad=verl(*MEGATRON, f"{ACTOR}megatron.use_mbridge=False"), good=verl(*MEGATRON, f"{ACTOR}megatron.use_mbridge=True"),
    advice="leave it true", source="veRL fsdp_workers.py, engine_workers.py", frameworks=("verl",), since="0.8.0", fixable=True,
)  # fmt: skip
def _no_bridge(s: Subject) -> Findings:
    """The engine workers of 0.8 and later load weights through the bridge only, and assert it."""
    key = f"{ACTOR}megatron.use_mbridge"
    if s.native.value(key) is False and s.value(f"{AT}backend") == "megatron":
        yield finding(f"{s.says(key)} stops the workers", key, fix=Put(key, value=True), safe=True)


@rule(
    14, WARNING, "tensor parallelism of the trainer across nodes",
    bad=verl(*MEGATRON, "trainer.nnodes=2", f"{ACTOR}megatron.tensor_model_parallel_size=16"),
    good=verl(*MEGATRON, "trainer.nnodes=2", f"{ACTOR}megatron.tensor_model_parallel_size=8"),
    advice="at most the GPUs of a node; use PP, CP or EP for more", source="Megatron's own guidance", fixable=True,
)  # fmt: skip
def _trainer_across_nodes(s: Subject) -> Findings:
    """Tensor parallelism communicates in every layer, which needs the links within a node."""
    size, each = s.count(f"{AT}megatron.tp"), s.count("cluster.gpus_per_node")
    if size and each and size > each:
        yield finding(f"{s.says(f'{AT}megatron.tp')} is larger than a node of {each} GPUs", f"{AT}megatron.tp",
                    "cluster.gpus_per_node", fix=Put(f"{AT}megatron.tp", each))  # fmt: skip


@rule(
    15, ERROR, "a parallel size below one",
    bad=trinity("explorer.rollout_model.tensor_parallel_size=0"), good=trinity("explorer.rollout_model.tensor_parallel_size=1"),
    advice="use 1", source="Trinity config_validator.py", fixable=True,
)  # fmt: skip
def _below_one(s: Subject) -> Findings:
    """A size counts GPUs that work together, and is at least 1."""
    names = [f"placement.rollout.{n}" for n in ("tp", "dp", "pp")]
    names += [
        f"placement.auxiliary[{index}].{n}" for index in s.items("placement.auxiliary") for n in ("tp", "dp", "pp")
    ]
    for role in ("actor", "reference", "critic"):
        names += [f"placement.{role}.{n}" for n in ("sp", "megatron.tp", "megatron.pp", "megatron.cp", "megatron.ep")]
    for name in names:
        got = s.number(name)
        if got is not None and got < 1 and s.written(name):
            yield finding(f"{s.says(name)} is below 1", name, fix=Put(name, 1), safe=True)
