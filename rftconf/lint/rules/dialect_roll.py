"""Rules for what only ROLL has: texts that are evaluated, roles' back ends, switches, environments."""

from __future__ import annotations

from rftconf.base.symbols import Expr
from rftconf.lint.measures import ranks
from rftconf.lint.rule import ERROR, WARNING, Family, Findings, Put, finding, roll
from rftconf.lint.subject import Subject
from rftconf.mappers.roll.devices import NotDevicesError, NotReadError, devices
from rftconf.schemas.registry import at_least
from rftconf.schemas.roll.megatron_arguments import arguments, inherited_arguments

FAMILY = Family("DIA", ("roll",))
rule = FAMILY.rule
ENGINES = ("vllm", "sglang")
NAME = ".strategy_args.strategy_name"
MANAGER = "train_env_manager."
DOMAINS = "actor_train.data_args.domain_interleave_probs"
MANAGERS = (MANAGER, "val_env_manager.")
ENVIRONMENTS = (f"{MANAGER}num_env_groups=8", f"{MANAGER}group_size=8", f"{MANAGER}tags=[a,b]")
TEMPLATES = ("native", "qwen2_5", "qwen3", "chatml", "base", "empty", "longCOT_qwen2.5", "longcot_V3")


@rule(
    301, ERROR, "rollout on an engine that does not generate",
    bad=roll("actor_infer.strategy_args.strategy_name=megatron_train"), good=roll("actor_infer.strategy_args.strategy_name=sglang"),
    advice="vllm or sglang", source="ROLL configs/base_config.py (assert)", fixable=True,
)  # fmt: skip
def _engine(s: Subject) -> Findings:
    """The base config asserts that actor_infer runs on vLLM or SGLang; a role of its own without a strategy does not."""
    key = "actor_infer.strategy_args.strategy_name"
    got = s.native.value(key)
    if s.written(key) and isinstance(got, str) and got not in ENGINES:
        yield finding(f"{s.says(key)} cannot generate", key, fix=Put(key, "vllm"))


@rule(
    302, WARNING, "clip bounds without their switch",
    bad=roll("pg_clip_low=0.1", "pg_clip_high=0.28"), good=roll("use_pg_clip_range=true", "pg_clip_low=0.1", "pg_clip_high=0.28"),
    advice="set use_pg_clip_range", source="ROLL rlvr/actor_worker.py loss_func", fixable=True,
)  # fmt: skip
def _idle_bounds(s: Subject) -> Findings:
    """Both sides are cut at pg_clip while use_pg_clip_range is false, and the two bounds are not looked at."""
    if s.native.value("use_pg_clip_range") is False:
        for key in ("pg_clip_low", "pg_clip_high"):
            if s.written(key):
                switch = Put("use_pg_clip_range", value=True)
                yield finding(
                    f"{s.says(key)} does nothing without use_pg_clip_range", key, "use_pg_clip_range", fix=switch
                )
                return


@rule(
    303, ERROR, "asynchronous rollout without the scheduler that it needs",
    bad=roll("async_generation_ratio=1", "generate_opt_level=0"), good=roll("async_generation_ratio=1", "generate_opt_level=1"),
    advice="set generate_opt_level to 1", source="ROLL configs/base_config.py (assert)", fixable=True,
)  # fmt: skip
def _no_scheduler(s: Subject) -> Findings:
    """Rollout ahead of training needs the scheduler of level 1; the config asserts it when it is built."""
    ratio, level = s.value("async_generation_ratio"), s.value("generate_opt_level")
    if isinstance(ratio, (int, float)) and ratio > 0 and level not in (1, None):
        keys = ("generate_opt_level", "async_generation_ratio")
        yield finding(f"{s.says(keys[1])} with {s.says(keys[0])}", *keys, fix=Put(keys[0], 1), safe=True)


@rule(
    304, ERROR, "GPUs as a list instead of a text",
    bad=roll("actor_train.device_mapping=[0,1,2,3]"), good=roll("actor_train.device_mapping=list(range(0,8))"),
    advice='write it as a text, "list(range(0,8))"', source="ROLL configs/worker_config.py __post_init__ (eval)",
)  # fmt: skip
def _listed(s: Subject) -> Findings:
    """The text is evaluated; a YAML list, which the type allows, ends in a TypeError."""
    for key, leaf in s.written_keys():
        if key.endswith("device_mapping") and isinstance(leaf.value, list):
            yield finding(f"{leaf.key} is a list; ROLL evaluates a text", key)


@rule(
    305, ERROR, "no length",
    bad=roll("~response_length"), good=roll("response_length=2048"),
    advice="give response_length", source="ROLL configs/base_config.py (assert)",
)  # fmt: skip
def _no_length(s: Subject) -> Findings:
    """One of the two must be there; sequence_length is prompt_length and response_length together."""
    if s.alone and not s.written("response_length") and not s.written("sequence_length") and s.written("prompt_length"):
        yield finding("neither response_length nor sequence_length is given", "response_length", "prompt_length")


@rule(
    306, ERROR, "half of validation's lengths",
    bad=roll("val_prompt_length=4096"), good=roll("val_prompt_length=4096", "val_sequence_length=8192"),
    advice="give both or none", source="ROLL configs/base_config.py (assert)",
)  # fmt: skip
def _half_a_length(s: Subject) -> Findings:
    """The two stand in for prompt_length and sequence_length in validation, and only together."""
    keys = ("val_prompt_length", "val_sequence_length")
    written_keys = [key for key in keys if s.native.value(key) is not None]
    if len(written_keys) == 1:
        yield finding(
            f"{s.says(written_keys[0])} without {next(k for k in keys if k not in written_keys)}", written_keys[0]
        )


@rule(
    307, ERROR, "two profilers at once",
    bad=roll("profiler_timeline=true", "profiler_memory=true"), good=roll("profiler_timeline=true"),
    advice="choose one", source="ROLL configs/base_config.py (assert)", fixable=True,
)  # fmt: skip
def _two_profilers(s: Subject) -> Findings:
    """The config asserts that at most one of them is on."""
    keys = ("profiler_memory", "profiler_timeline")
    if all(s.native.value(key) is True for key in keys):
        yield finding(f"{s.says(keys[0])} with {s.says(keys[1])}", *keys, fix=Put(keys[0], value=False), safe=True)


@rule(
    308, ERROR, "groups of environments that do not fill the batch",
    bad=roll(f"{MANAGER}num_env_groups=8", f"{MANAGER}group_size=6", "rollout_batch_size=64"),
    good=roll(f"{MANAGER}num_env_groups=8", f"{MANAGER}group_size=8", "rollout_batch_size=64"),
    advice="make the batch a multiple of the group", source="ROLL agentic_config.py (assert)",
)  # fmt: skip
def _part_of_a_group(s: Subject) -> Findings:
    """A batch of trajectories is made of whole groups."""
    key = f"{MANAGER}group_size"
    batch, group = s.native.value("rollout_batch_size"), s.native.value(key)
    known = s.written(key) and isinstance(batch, int) and isinstance(group, int) and batch > 0 and group > 0
    if known and batch % group:
        yield finding(f"{s.says('rollout_batch_size')} is no multiple of {s.says(key)}", key, "rollout_batch_size")


@rule(
    309, ERROR, "a rollout less than one step ahead",
    bad=roll("async_generation_ratio=0.5"), good=roll("async_generation_ratio=1"),
    advice="0 or at least 1", source="ROLL rlvr_config.py (assert)", fixable=True,
)  # fmt: skip
def _part_of_a_step(s: Subject) -> Findings:
    """The RLVR pipeline asserts that a rollout that runs ahead is a whole step ahead; agents may be ahead by less."""
    key, ratio = "async_generation_ratio", s.native.value("async_generation_ratio")
    if s.best.trainer == "rlvr" and isinstance(ratio, (int, float)) and 0 < ratio < 1:
        yield finding(f"{s.says(key)} is neither 0 nor at least 1", key, fix=Put(key, 1))


@rule(
    310, ERROR, "a distillation that lacks a part, or has two forms",
    bad=roll("is_pure_opd=true", "use_opd=true"), good=roll("use_opd=false"),
    advice="one of the two switches, with a teacher", source="ROLL configs/base_config.py _apply_opd_config", since="0.2.1",
)  # fmt: skip
def _distillation(s: Subject) -> Findings:
    """On-policy distillation is pure (a student and a teacher) or mixed into the rewards (a teacher, and no reference)."""
    pure, mixed = (s.native.value(key) is True for key in ("is_pure_opd", "use_opd"))
    if pure and mixed:
        yield finding(f"{s.says('is_pure_opd')} with {s.says('use_opd')}", "is_pure_opd", "use_opd")
        return
    switch = "is_pure_opd" if pure else "use_opd"
    if (pure or mixed) and s.alone and not _below(s, ("teacher.", "teacher<")):
        yield finding(f"{s.says(switch)} without a teacher", switch)
    for role in ("student_train", "student_infer") if pure and s.alone else ():
        if not _below(s, (f"{role}.",)):
            yield finding(f"{s.says(switch)} without {role}", switch)


@rule(
    311, ERROR, "a chat template that ROLL does not have",
    bad=roll("global_template=qwen9"), good=roll("global_template=qwen3"),
    advice="take one of the templates named", source="ROLL datasets/chat_template.py, rlvr_config.py", fixable=True,
)  # fmt: skip
def _template(s: Subject) -> Findings:
    """Templates are looked up by name: those of single tags when the config is built, the global one with the first data."""
    from difflib import get_close_matches

    known = (*TEMPLATES, *(() if s.since("0.2.1") else ("qwen2_5_dpo",)))
    for key, leaf in s.written_keys():
        if key != "global_template" and not key.startswith("tag_to_template."):
            continue
        if isinstance(leaf.value, str) and "${" not in leaf.value and leaf.value not in known:
            near = get_close_matches(leaf.value, known, n=1)
            yield finding(
                f"{s.title} has no {leaf.key} {leaf.value}: {', '.join(known)}",
                key,
                fix=Put(key, near[0]) if near else (),
            )


@rule(
    312, ERROR, "environments that do not add up",
    bad=roll(*ENVIRONMENTS, f"{MANAGER}num_groups_partition=[3,4]"), good=roll(*ENVIRONMENTS, f"{MANAGER}num_groups_partition=[4,4]"),
    advice="one number a tag, together num_env_groups", source="ROLL agentic_config.py make_env_configs (assert)",
)  # fmt: skip
def _partition(s: Subject) -> Findings:
    """Each tag gets its number of groups, and all groups have to be given out."""
    for manager in MANAGERS:
        key, groups = f"{manager}num_groups_partition", s.native.value(f"{manager}num_env_groups")
        parts = s.native.value(key)
        numbers = isinstance(parts, list) and all(isinstance(part, int) for part in parts)
        if s.written(key) and numbers and isinstance(groups, int) and sum(parts) != groups:
            total = f"{manager}num_env_groups"
            yield finding(f"{s.says(key)} is {sum(parts)} groups, and {s.says(total)}", key, total)


@rule(
    313, ERROR, "a validation that its environments do not divide",
    bad=roll(*ENVIRONMENTS, "val_env_manager.num_env_groups=6", "val_env_manager.group_size=1", "val_batch_size=64"),
    good=roll(*ENVIRONMENTS, "val_env_manager.num_env_groups=8", "val_env_manager.group_size=1", "val_batch_size=64"),
    advice="make val_batch_size a multiple of groups x group size", source="ROLL agentic_config.py (assert)",
)  # fmt: skip
def _validation(s: Subject) -> Findings:
    """Every environment of the validation plays equally often, unless val_batch_size is negative: then each plays once."""
    batch = s.native.value("val_batch_size")
    groups, size = (s.native.value(f"val_env_manager.{name}") for name in ("num_env_groups", "group_size"))
    known = all(isinstance(number, int) and number > 0 for number in (batch, groups, size))
    if known and s.written("val_env_manager.num_env_groups") and batch % (groups * size):
        yield finding(
            f"{s.says('val_batch_size')} is no multiple of {groups * size} environments",
            "val_batch_size",
            "val_env_manager.num_env_groups",
        )


@rule(
    314, ERROR, "prompts and messages at once",
    bad=roll("actor_train.data_args.prompt=question", "actor_train.data_args.messages=messages"), good=roll("actor_train.data_args.messages=messages"),
    advice="name one column", source="ROLL configs/data_args.py (assert)",
)  # fmt: skip
def _two_columns(s: Subject) -> Findings:
    """A sample is read from one column or from the other."""
    for role in ("actor_train", "validation"):
        keys = tuple(f"{role}.data_args.{name}" for name in ("prompt", "messages"))
        if all(s.native.value(key) is not None for key in keys):
            yield finding(f"{s.says(keys[0])} with {s.says(keys[1])}", *keys)


@rule(
    315, ERROR, "prompts that Megatron's ranks do not divide",
    bad=roll("rollout_batch_size=68", "actor_train.training_args.gradient_accumulation_steps=68"), good=roll("rollout_batch_size=64"),
    advice="a multiple of the data-parallel size", source="ROLL utils/config_utils.py validate_megatron_batch_size", since="0.2.1",
)  # fmt: skip
def _prompts(s: Subject) -> Findings:
    """Checked for Megatron alone when the config is built: rollout_batch_size counts prompts there, not samples."""
    prompts, d = s.native.value("rollout_batch_size"), ranks(s)
    if s.value("placement.actor.backend") == "megatron" and isinstance(prompts, int) and d and prompts % d:
        yield finding(f"{s.says('rollout_batch_size')} is no multiple of {d} data-parallel ranks", "rollout_batch_size")


@rule(
    316, ERROR, "engines without sampling parameters",
    bad=roll("~validation.generating_args.temperature", "~validation.generating_args.top_p", "~validation.generating_args.top_k"),
    good=roll("validation.generating_args.temperature=0.6"),
    advice="give generating_args", source="ROLL rlvr_config.py __post_init__, agentic_config.py (assert)", fixable=True,
)  # fmt: skip
def _no_sampling(s: Subject) -> Findings:
    """The config writes max_new_tokens into them and meets None; so it does where a run validates. Agents may give them with
    their environments."""
    places = ("actor_infer.generating_args", "train_env_manager.generating_args", "student_infer.generating_args")
    key = "actor_infer.strategy_args.strategy_name"
    if s.alone and s.written(key) and not _below(s, places):
        yield finding(
            "actor_infer.generating_args is not given, and the config needs it",
            key,
            fix=Put(f"{places[0]}.temperature", 1.0),
        )
    key = "validation.data_args.file_name"
    if s.best.trainer == "rlvr" and s.alone and s.written(key) and not _below(s, ("validation.generating_args",)):
        yield finding("validation.generating_args is not given, and the config needs it", key,
                    fix=Put("validation.generating_args.temperature", 1.0))  # fmt: skip


def _below(s: Subject, places: tuple[str, ...]) -> bool:
    """True when the file writes anything at or below one of the keys, by its own name or by that of the role it stands for."""
    return any(name.startswith(places) for key, leaf in s.written_keys() for name in (key, leaf.key))


@rule(
    317, ERROR, "a domain without data or reward",
    bad=roll(f"~{DOMAINS}.math"), good=roll(f"{DOMAINS}.math=1.0"),
    advice="name each domain once with its share, and once under rewards", source="ROLL pipeline/rlvr/rlvr_pipeline.py __init__",
)  # fmt: skip
def _domains(s: Subject) -> Findings:
    """The pipeline makes a scheduler for each domain of domain_interleave_probs, and looks its reward up by that name. Up to
    0.1.3 there is a pipeline for mathematics with images (start_rlvr_vlmath_pipeline.py), which has one reward and no domains."""
    if s.best.trainer != "rlvr" or not s.alone or not s.written("actor_train.device_mapping"):
        return
    domains = _names(s, DOMAINS)
    if not domains and not s.since("0.2.1") and len(_names(s, "rewards")) == 1:
        return
    if not domains:
        yield finding(
            f"{DOMAINS} is not given, and the pipeline goes through it", DOMAINS, "actor_train.data_args.file_name"
        )
    rewards = _names(s, "rewards")
    for domain in domains if s.native.value("is_pure_opd") is not True else ():
        if domain not in rewards:
            yield finding(f"domain {domain} has no rewards.{domain}", f"{DOMAINS}.{domain}", "rewards")


@rule(
    318, WARNING, "shares of domains that do not add up to 1",
    bad=roll(f"{DOMAINS}.math=0.5"), good=roll(f"{DOMAINS}.math=1.0"),
    advice="make them add up", source="ROLL pipeline/rlvr/rlvr_pipeline.py (domain_batch_size)",
)  # fmt: skip
def _domain_shares(s: Subject) -> Findings:
    """The last domain gets what the others leave of the batch, whatever its own share says."""
    keys = [f"{DOMAINS}.{name}" for name in _names(s, DOMAINS)]
    shares = [s.native.value(key) for key in keys]
    numbers = [share for share in shares if isinstance(share, (int, float))]
    if s.best.trainer == "rlvr" and numbers and len(numbers) == len(shares) and abs(sum(numbers) - 1) > 1e-6:
        yield finding(
            f"the shares of domains add up to {sum(numbers):g}; {keys[-1].rpartition('.')[2]} gets the rest",
            *reversed(keys),
        )


@rule(
    319, ERROR, "GPUs that are no list of numbers",
    bad=roll("actor_train.device_mapping=list(range(0,8)"), good=roll("actor_train.device_mapping=list(range(0,8))"),
    advice='write "list(range(0,8))"', source="ROLL configs/worker_config.py __post_init__ (eval)",
)  # fmt: skip
def _no_devices(s: Subject) -> Findings:
    """ROLL evaluates the text as Python. rftconf evaluates nothing: of what is more than lists, ranges and sums it cannot say
    which GPUs it means, and nothing that depends on them is looked at."""
    for key, cell in s.native.cells.items():
        if not key.endswith(".device_mapping") or cell.value is None or isinstance(cell.value, (list, Expr)):
            continue
        try:
            devices(str(cell.value))
        except NotDevicesError as why:
            severity = WARNING if isinstance(why, NotReadError) and isinstance(cell.value, str) else ERROR
            yield finding(f"{key} {why}", key, severity=severity)


FILLED = (
    *((role, "infer") for role in ("actor_train", "reference", "critic")),
    *((role, "train") for role in ("actor_train", "critic")),
)


@rule(
    320, ERROR, "batches filled with tokens, and no number of tokens",
    bad=roll("actor_train.use_dynamic_batching_in_infer=true"),
    good=roll("actor_train.use_dynamic_batching_in_infer=true", "actor_train.max_tokens_per_microbatch_in_infer=16384"),
    advice="give max_tokens_per_microbatch_in_train or _in_infer: at least the longest sequence",
    source="ROLL utils/dynamic_batching.py dynamic_batching_shard (assert); worker_config.py",
)  # fmt: skip
def _uncapped(s: Subject) -> Findings:
    """use_dynamic_batching_in_train and _in_infer assert that every sequence fits max_tokens_per_microbatch, whose default is 0
    for training and nothing for the rest."""
    if s.best.trainer not in ("rlvr", "agentic") or not s.alone:
        return
    for role, when in FILLED:
        switch, cap = f"{role}.use_dynamic_batching_in_{when}", f"{role}.max_tokens_per_microbatch_in_{when}"
        idle = switch in s.reading.inactive or s.native.value(switch) is not True
        if not idle and s.written(switch) and s.native.value(cap) in (None, 0):
            yield finding(f"{s.says(switch)} needs {cap}, which is not given", switch, cap)


CRITIC_MODEL, CRITIC_STRATEGY = "critic.model_args.model_type", "critic.strategy_args.strategy_name"
VALUE_MODELS = ("trl", "auto_token_classification")


@rule(
    321, ERROR, "a critic that ROLL does not build",
    bad=roll("adv_estimator=gae", "critic.strategy_args.strategy_name=fsdp2_train"),
    good=roll("adv_estimator=gae", "critic.strategy_args.strategy_name=fsdp2_train", "critic.model_args.model_type=trl"),
    advice="set critic.model_args.model_type to trl, and train it with fsdp2_train or deepspeed_train",
    source="ROLL models/model_providers.py default_value_model_provider (NotImplementedError)", fixable=True,
)  # fmt: skip
def _no_critic(s: Subject) -> Findings:
    """The provider of value models knows a value head (trl) and a token classifier; without a type, and on Megatron, it raises
    NotImplementedError when the workers start."""
    uses_critic = s.written("adv_estimator") or bool(_names(s, "critic"))
    if s.value("algorithm.critic.enabled") is not True or not (s.alone and uses_critic):
        return
    strategy, kind = s.native.value(CRITIC_STRATEGY), s.native.value(CRITIC_MODEL)
    if isinstance(strategy, str) and strategy.startswith("megatron"):
        yield finding(f"{s.says(CRITIC_STRATEGY)}: ROLL has no critic on Megatron", CRITIC_STRATEGY, "adv_estimator")
    elif kind is None or (isinstance(kind, str) and kind not in VALUE_MODELS):
        yield finding(
            f"{s.says(CRITIC_MODEL)}: ROLL builds a critic as trl or auto_token_classification only",
            *(CRITIC_MODEL, CRITIC_STRATEGY, "adv_estimator"), fix=Put(CRITIC_MODEL, "trl"),
        )  # fmt: skip


@rule(
    322, ERROR, "an argument that Megatron's strategy does not take",
    bad=roll("actor_train.strategy_args.strategy_name=megatron_train", "actor_train.strategy_args.strategy_config.num_layers_in_first_pipeline_stage=13"),
    good=roll("actor_train.strategy_args.strategy_name=megatron_train",
              "actor_train.strategy_args.strategy_config.additional_configs.num_layers_in_first_pipeline_stage=13"),
    advice="what Megatron's model config has goes below strategy_config.additional_configs",
    source="ROLL distributed/strategy/megatron_strategy.py: TrainingArguments(**config_dict); mcore_adapter/training_args.py",
)  # fmt: skip
def _no_argument(s: Subject) -> Findings:
    """The whole strategy_config becomes keyword arguments of mcore_adapter's TrainingArguments. A name that is no field of it is
    a TypeError when the worker starts."""
    known = arguments(s.best.release) | inherited_arguments()
    for key, cell in s.native.cells.items():
        if not key.endswith(NAME) or not str(cell.value).startswith("megatron"):
            continue
        block = key.removesuffix(NAME) + ".strategy_args.strategy_config"
        for name in _names(s, block):
            if name not in known:
                yield finding(
                    f"{block}.{name} is no argument of Megatron's strategy in ROLL {s.best.release}",
                    f"{block}.{name}",
                    key,
                )


@rule(
    323, ERROR, "an adapter on modules that no model has",
    bad=roll("actor_train.strategy_args.strategy_name=megatron_train", "actor_train.model_args.lora_target=all"),
    good=roll("actor_train.strategy_args.strategy_name=megatron_train", "actor_train.model_args.lora_target=all-linear"),
    advice="name the modules, e.g. q_proj,k_proj,v_proj,o_proj; in a Megatron trainer of 0.2.1 on write all-linear",
    source="ROLL models/model_providers.py setup_lora_training, mcore_adapter adapters/utils.py find_layers; PEFT inject_adapter",
    fixable=True,
)  # fmt: skip
def _all_modules(s: Subject) -> Findings:
    """ROLL's help says `all`, its code replaces `all-linear`, `all-embedding` and `all-router`. PEFT looks for modules of the name
    `all`, finds none and stops. Up to 0.1.3 no such word is known; since then `all-linear` stands for the layers of Transformer
    Engine, which a model under FSDP or DeepSpeed has none of: PEFT gets an empty list, which it refuses."""
    for key, cell in s.native.cells.items():
        role, _, name = key.partition(".")
        if name != "model_args.lora_target" or not s.written(key):
            continue
        trainer = "actor_train" if role == "actor_infer" else role
        in_megatron = s.native.value(trainer + NAME) == "megatron_train"
        knows = at_least("roll", s.best.release, "0.2.1") and in_megatron
        if cell.value == "all" or (cell.value == "all-linear" and not knows):
            put = Put(key, "all-linear") if knows else ()
            yield finding(f"{s.says(key)}: no module of this model is called so", key, fix=put)


def _names(s: Subject, section: str) -> list[str]:
    """The names written right below a section."""
    found_names = (
        key.removeprefix(f"{section}.").partition(".")[0]
        for key, _ in s.written_keys()
        if key.startswith(f"{section}.")
    )
    return list(dict.fromkeys(found_names))
