"""What only ROLL has: texts that are evaluated, roles' back ends, switches, environments."""

from __future__ import annotations

from rftconf.lint.rule import ERROR, WARNING, Family, Findings, Put, found, roll
from rftconf.lint.subject import Subject

FAMILY = Family("DIA", ("roll",))
rule = FAMILY.rule
ENGINES = ("vllm", "sglang")
MANAGER = "train_env_manager."


@rule(
    301, ERROR, "rollout on an engine that does not generate",
    bad=roll("actor_infer.strategy_args.strategy_name=megatron_train"), good=roll("actor_infer.strategy_args.strategy_name=sglang"),
    advice="vllm or sglang", source="ROLL configs/base_config.py (assert); RULES 3.3", fixable=True,
)  # fmt: skip
def _engine(s: Subject) -> Findings:
    """The base config asserts that actor_infer runs on vLLM or SGLang; a role of its own without a strategy does not."""
    key = "actor_infer.strategy_args.strategy_name"
    got = s.native.value(key)
    if s.written(key) and isinstance(got, str) and got not in ENGINES:
        yield found(f"{s.says(key)} cannot generate", key, fix=Put(key, "vllm"))


@rule(
    302, WARNING, "clip bounds without their switch",
    bad=roll("pg_clip_low=0.1", "pg_clip_high=0.28"), good=roll("use_pg_clip_range=true", "pg_clip_low=0.1", "pg_clip_high=0.28"),
    advice="set use_pg_clip_range", source="ROLL rlvr/actor_worker.py loss_func; MAPPING 7 (pg_clip)", fixable=True,
)  # fmt: skip
def _idle_bounds(s: Subject) -> Findings:
    """Both sides are cut at pg_clip while use_pg_clip_range is false, and the two bounds are not looked at."""
    if s.native.value("use_pg_clip_range") is False:
        for key in ("pg_clip_low", "pg_clip_high"):
            if s.written(key):
                switch = Put("use_pg_clip_range", value=True)
                yield found(
                    f"{s.says(key)} does nothing without use_pg_clip_range", key, "use_pg_clip_range", fix=switch
                )
                return


@rule(
    303, ERROR, "asynchronous rollout without the scheduler that it needs",
    bad=roll("async_generation_ratio=1", "generate_opt_level=0"), good=roll("async_generation_ratio=1", "generate_opt_level=1"),
    advice="set generate_opt_level to 1", source="ROLL configs/base_config.py (assert); RULES 3.3", fixable=True,
)  # fmt: skip
def _no_scheduler(s: Subject) -> Findings:
    """Rollout ahead of training needs the scheduler of level 1; the config asserts it when it is built."""
    ratio, level = s.native.value("async_generation_ratio"), s.native.value("generate_opt_level")
    if isinstance(ratio, (int, float)) and ratio > 0 and level not in (1, None):
        keys = ("generate_opt_level", "async_generation_ratio")
        yield found(f"{s.says(keys[1])} with {s.says(keys[0])}", *keys, fix=Put(keys[0], 1), safe=True)


@rule(
    304, ERROR, "GPUs as a list instead of a text",
    bad=roll("actor_train.device_mapping=[0,1,2,3]"), good=roll("actor_train.device_mapping=list(range(0,8))"),
    advice='write it as a text, "list(range(0,8))"', source="ROLL configs/worker_config.py __post_init__ (eval); RULES 3.1",
)  # fmt: skip
def _listed(s: Subject) -> Findings:
    """The text is evaluated; a YAML list, which the type allows, ends in a TypeError."""
    for key, leaf in s.written_keys():
        if key.endswith("device_mapping") and isinstance(leaf.value, list):
            yield found(f"{leaf.key} is a list; ROLL evaluates a text", key)


@rule(
    305, ERROR, "no length",
    bad=roll("~response_length"), good=roll("response_length=2048"),
    advice="give response_length", source="ROLL configs/base_config.py (assert); RULES 3.3",
)  # fmt: skip
def _no_length(s: Subject) -> Findings:
    """One of the two must be there; sequence_length is prompt_length and response_length together."""
    if s.alone and not s.written("response_length") and not s.written("sequence_length") and s.written("prompt_length"):
        yield found("neither response_length nor sequence_length is given", "response_length", "prompt_length")


@rule(
    306, ERROR, "half of validation's lengths",
    bad=roll("val_prompt_length=4096"), good=roll("val_prompt_length=4096", "val_sequence_length=8192"),
    advice="give both or none", source="ROLL configs/base_config.py (assert); RULES 3.3",
)  # fmt: skip
def _half_a_length(s: Subject) -> Findings:
    """The two stand in for prompt_length and sequence_length in validation, and only together."""
    keys = ("val_prompt_length", "val_sequence_length")
    given = [key for key in keys if s.native.value(key) is not None]
    if len(given) == 1:
        yield found(f"{s.says(given[0])} without {next(k for k in keys if k not in given)}", given[0])


@rule(
    307, ERROR, "two profilers at once",
    bad=roll("profiler_timeline=true", "profiler_memory=true"), good=roll("profiler_timeline=true"),
    advice="choose one", source="ROLL configs/base_config.py (assert); RULES 3.3", fixable=True,
)  # fmt: skip
def _two_profilers(s: Subject) -> Findings:
    """The config asserts that at most one of them is on."""
    keys = ("profiler_memory", "profiler_timeline")
    if all(s.native.value(key) is True for key in keys):
        yield found(f"{s.says(keys[0])} with {s.says(keys[1])}", *keys, fix=Put(keys[0], value=False), safe=True)


@rule(
    308, ERROR, "groups of environments that do not fill the batch",
    bad=roll(f"{MANAGER}num_env_groups=8", f"{MANAGER}group_size=6", "rollout_batch_size=64"),
    good=roll(f"{MANAGER}num_env_groups=8", f"{MANAGER}group_size=8", "rollout_batch_size=64"),
    advice="make the batch a multiple of the group", source="ROLL agentic_config.py (assert); RULES 3.5",
)  # fmt: skip
def _part_of_a_group(s: Subject) -> Findings:
    """A batch of trajectories is made of whole groups."""
    key = f"{MANAGER}group_size"
    batch, group = s.native.value("rollout_batch_size"), s.native.value(key)
    known = s.written(key) and isinstance(batch, int) and isinstance(group, int) and batch > 0 and group > 0
    if known and batch % group:
        yield found(f"{s.says('rollout_batch_size')} is no multiple of {s.says(key)}", key, "rollout_batch_size")
