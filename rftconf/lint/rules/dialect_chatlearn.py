"""What only ChatLearn has: copies of one number, roles, back ends."""

from __future__ import annotations

from rftconf.lint.rule import ERROR, WARNING, Family, Findings, Put, chatlearn, found
from rftconf.lint.subject import Subject

FAMILY = Family("DIA", ("chatlearn",))
rule = FAMILY.rule
RUN, POLICY, TRAINER = "runtime_args.", "models.policy.", "models.policy_trainer."
MEGATRON = f"{RUN}train_backend=megatron"


@rule(
    201, WARNING, "two numbers of answers per prompt",
    bad=chatlearn(f"{POLICY}num_inference_per_prompt=8", f"{RUN}num_inference_per_prompt=32"),
    good=chatlearn(f"{POLICY}num_inference_per_prompt=8", f"{RUN}num_inference_per_prompt=8"),
    advice="give both the same value", source="H13, D32; ChatLearn algorithm/grpo_utils/advantage_compute.py 20-40", fixable=True,
)  # fmt: skip
def _two_groups(s: Subject) -> Findings:
    """The policy generates by one key, advantages are computed by the other; both default to 32 and nothing compares them.
    With different values rewards of several episodes are mixed in one group."""
    one, other = f"{POLICY}num_inference_per_prompt", f"{RUN}num_inference_per_prompt"
    mine, theirs = s.native.value(one), s.native.value(other)
    if isinstance(mine, int) and isinstance(theirs, int) and mine != theirs:
        yield found(f"{s.says(one)}, but {s.says(other)}", other, one, fix=Put(other, mine))


@rule(
    202, ERROR, "advantages that are never computed",
    bad=chatlearn(f"{RUN}max_replay_episode=0"), good=chatlearn(f"{RUN}max_replay_episode=1"),
    advice="set it to 1", source="H14, D28; ChatLearn algorithm/grpo.py", fixable=True,
)  # fmt: skip
def _no_replay(s: Subject) -> Findings:
    """At 0, the default, the callback that computes advantages does not run, and the trainer stops with a KeyError."""
    key = f"{RUN}max_replay_episode"
    if s.native.value(key) == 0:
        yield found(
            f"{s.says(key)}: advantages are never computed", key, RUN + "sample_per_episode", fix=Put(key, 1), safe=True
        )


@rule(
    203, WARNING, "a learning rate that falls to nothing at once",
    bad=chatlearn(MEGATRON, f"{TRAINER}optimizer.lr=2e-6", f"{TRAINER}optimizer.min_lr=0"),
    good=chatlearn(MEGATRON, f"{TRAINER}optimizer.lr=2e-6", f"{TRAINER}optimizer.min_lr=2e-6"),
    advice="set min_lr to lr", source="H47; ChatLearn models/megatron_module.py 70", fixable=True,
)  # fmt: skip
def _collapse(s: Subject) -> Findings:
    """Megatron's schedule is made for one training iteration, so after the first update the rate is min_lr for ever."""
    lr, low = s.native.value(f"{TRAINER}optimizer.lr"), s.native.value(f"{TRAINER}optimizer.min_lr")
    if s.native.value(f"{RUN}train_backend") != "megatron" or not isinstance(lr, (int, float)) or isinstance(low, str):
        return
    if (low or 0) < lr:
        yield found(f"the rate is {low or 0} after the first update", f"{TRAINER}optimizer.min_lr", f"{TRAINER}optimizer.lr",
                    fix=Put(f"{TRAINER}optimizer.min_lr", lr))  # fmt: skip


@rule(
    204, ERROR, "a task or engine that does not exist",
    bad=chatlearn(f"{RUN}task_type=code"), good=chatlearn(f"{RUN}task_type=chat"),
    advice="task_type chat or agent, rollout_backend vllm or sglang", source="RULES 4.4; ChatLearn algorithm/grpo.py run", fixable=True,
)  # fmt: skip
def _unknown(s: Subject) -> Findings:
    """Anything else is an UnboundLocalError when the run starts."""
    for name, known in (("task_type", ("chat", "agent")), ("rollout_backend", ("vllm", "sglang"))):
        got = s.native.value(RUN + name)
        if isinstance(got, str) and s.written(RUN + name) and got not in known:
            yield found(f"{s.says(RUN + name)}", RUN + name, fix=Put(RUN + name, known[0]))


@rule(
    205, ERROR, "an agent on the wrong engine",
    bad=chatlearn(f"{RUN}task_type=agent", f"{RUN}rollout_backend=vllm"), good=chatlearn(f"{RUN}task_type=chat", f"{RUN}rollout_backend=vllm"),
    advice="use sglang", source="RULES 4.4; ChatLearn algorithm/grpo.py run", fixable=True,
)  # fmt: skip
def _agent(s: Subject) -> Findings:
    """Agent tasks run on sglang only; the algorithm asserts it."""
    key = f"{RUN}rollout_backend"
    if s.native.value(f"{RUN}task_type") == "agent" and s.native.value(key) == "vllm":
        yield found(f"{s.says(f'{RUN}task_type')} with {s.says(key)}", key, f"{RUN}task_type", fix=Put(key, "sglang"))


@rule(
    206, ERROR, "samples that groups do not divide",
    bad=chatlearn(f"{RUN}sample_per_episode=510"), good=chatlearn(f"{RUN}sample_per_episode=512"),
    advice="a multiple of the answers per prompt and of train_global_batch_size", source="RULES 4.3; ChatLearn configs/runtime_config.py 215", fixable=True,
)  # fmt: skip
def _samples(s: Subject) -> Findings:
    """An episode is counted in samples, of which each prompt makes a group and each update a batch."""
    key, samples = f"{RUN}sample_per_episode", s.native.value(f"{RUN}sample_per_episode")
    n, batch = s.native.value(f"{POLICY}num_inference_per_prompt"), s.native.value(f"{RUN}train_global_batch_size")
    for name, by in ((f"{POLICY}num_inference_per_prompt", n), (f"{RUN}train_global_batch_size", batch)):
        if isinstance(samples, int) and isinstance(by, int) and by > 0 and samples % by:
            step = batch if isinstance(batch, int) and isinstance(n, int) and n and batch % n == 0 else by
            yield found(
                f"{s.says(key)} does not divide by {s.says(name)}", key, name, fix=Put(key, -(-samples // step) * step)
            )


@rule(
    207, ERROR, "no evaluation data",
    bad=chatlearn(f"~{RUN}eval_data_path"), good=chatlearn(f"{RUN}eval_data_path=/data/test.json"),
    advice="give eval_data_path", source="MAPPING 7.2; ChatLearn algorithm/grpo.py run",
)  # fmt: skip
def _no_eval(s: Subject) -> Findings:
    """The path is split without a look whether there is one: an AttributeError when the run starts."""
    key = f"{RUN}eval_data_path"
    if s.native.value(key) is None and not s.written(key):
        yield found(f"{key} is not given, and the run stops without it", key, f"{RUN}data_path")


@rule(
    208, WARNING, "sequence-level ratios that FSDP leaves out",
    bad=chatlearn(f"{TRAINER}use_group_sequence_policy=true"), good=chatlearn(MEGATRON, f"{TRAINER}use_group_sequence_policy=true",
                                                                            f"{TRAINER}optimizer.lr=2e-6", f"{TRAINER}optimizer.min_lr=2e-6"),
    advice="train with Megatron", source="MAPPING 4.2.18; ChatLearn loss_gallery.py 37-75",
)  # fmt: skip
def _gspo(s: Subject) -> Findings:
    """Only the Megatron trainer has the loss of GSPO; the FSDP trainer does not look at the switch."""
    key = f"{TRAINER}use_group_sequence_policy"
    if s.native.value(key) is True and s.native.value(f"{RUN}train_backend") == "fsdp":
        yield found(f"{s.says(key)} with {s.says(f'{RUN}train_backend')}", key, f"{RUN}train_backend")
