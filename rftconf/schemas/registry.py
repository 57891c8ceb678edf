"""The frameworks and releases that rftconf knows are strings only, so that any command may import them at start."""

from __future__ import annotations

import re
from functools import cache

from rftconf.base.errors import UsageError
from rftconf.schemas.framework import Framework, Recipe, TemplateLauncher


def _recipe(name: str, backend: str, program: str, own_key: str) -> Recipe:
    folder = f"verl/experimental/{name}_policy"
    module, earlier = f"{folder}/{program}".replace("/", "."), f"recipe.{name}_policy.{program}"
    return Recipe(name, backend, f"{name}_policy", module, f"{folder}/config", own_key, "0.7.1", earlier)


_FULLY_ASYNC = ("fully_async_main", "async_training")
_ONE_STEP_OFF = ("main_ppo", "rollout.nnodes")
_VERL_RECIPES = {
    "fully_async": _recipe("fully_async", "fsdp", *_FULLY_ASYNC),
    "fully_async_megatron": _recipe("fully_async", "megatron", *_FULLY_ASYNC),
    "one_step_off": _recipe("one_step_off", "fsdp", *_ONE_STEP_OFF),
    "one_step_off_megatron": _recipe("one_step_off", "megatron", *_ONE_STEP_OFF),
}
VERL = Framework(
    name="verl",
    title="veRL",
    releases=("0.2.0", "0.3.0", "0.4.1", "0.5.0", "0.6.1", "0.7.1", "0.8.0", "0.9.0", "0.9.1"),
    published={"0.2.0": "0.2.0.post2", "0.3.0": "0.3.0.post1"},
    trainers=("fsdp", "megatron", "veomni", "torchtitan", *_VERL_RECIPES),
    trainers_since=dict.fromkeys(("veomni", "torchtitan"), "0.7.1"),
    aliases=("volcengine-verl",),
    programs=("verl.trainer.", "verl.experimental.", "recipe.", "verl/trainer/"),
    trial_programs=("verl.experimental.",),
    config_names={
        "fsdp": "ppo_trainer",
        "megatron": "ppo_megatron_trainer",
        "veomni": "ppo_trainer",
        "torchtitan": "ppo_trainer",
        "fully_async": "fully_async_ppo_trainer",
        "fully_async_megatron": "fully_async_ppo_megatron_trainer",
        "one_step_off": "one_step_off_ppo_trainer",
        "one_step_off_megatron": "one_step_off_ppo_megatron_trainer",
    },
    config_groups={name: (f"model_engine={name}",) for name in ("veomni", "torchtitan")},
    recipes=_VERL_RECIPES,
    trainer_keys=("actor_rollout_ref.actor.strategy",),
    sections=("actor_rollout_ref", "data", "trainer"),
    adds_with_plus=True,
    forms=("sh", "yaml", "overrides"),
    usual_form="sh",
    mains=(
        "verl.trainer.main_ppo",
        "recipe.dapo.main_dapo",
        "recipe.dapo.src.main_dapo",
        "recipe.entropy.main_entropy",
    ),
    recipe_keys=("data.gen_batch_size", "algorithm.filter_groups", "reward_model.overlong_buffer"),
    last={
        "recipe.dapo.main_dapo": "0.7.1",
        "recipe.dapo.src.main_dapo": "0.4.1",
        "recipe.entropy.main_entropy": "0.7.1",
    },
    first={
        "verl.trainer.main_generation_server": "0.6.1",
        "verl.experimental.": "0.7.1",
        "verl.trainer.main_ppo_sync": "0.8.0",
    },
    at_home_until={"recipe.": "0.7.1"},
    asks_for=("actor_rollout_ref.rollout.name",),
    kinds_since={"distill": "0.8.0"},
    instead_of_offline="convert main_ppo with trainer.val_only=true, which generates and scores",
    lacks={
        "dpo": "veRL has no trainer for pairs of answers: no DPO loss, and no data set with a chosen and a rejected answer",
        "offline_distill": "veRL distils a student on its own answers alone (distillation.*), on no given texts",
    },
)
TRINITY = Framework(
    name="trinity",
    title="Trinity-RFT",
    releases=("0.3.3", "0.4.1", "0.5.2", "0.6.0"),
    aliases=("trinity-rft", "trinity_rft"),
    sections=("model", "buffer", "explorer", "trainer"),
    adds_nothing=True,
    # trinity/common/config.py before 0.3.3
    older_keys=(
        "buffer.max_retry_times",
        "buffer.max_retry_interval",
        "buffer.read_batch_size",
        "buffer.explorer_input.reply_prefix",
        "buffer.explorer_input.system_prompt",
        "buffer.explorer_input.taskset.task_type",
        "explorer.eval_on_latest_checkpoint",
        "algorithm.use_token_level_loss",
        "algorithm.gamma",
        "algorithm.lam",
        "algorithm.add_strategy",
        "explorer.max_waiting_steps",
        "explorer.max_pending_requests",
        "explorer.use_v1",
        "global_config.algorithm_type",
        "synchronizer.sync_iteration_interval",
        "trainer.sft_warmup_steps",
        "trainer.sft_warmup_iteration",
        "trainer.actor_use_kl_loss",
        "trainer.actor_kl_loss_coef",
        "trainer.actor_grad_clip",
    ),
    converts_texts=True,
    programs=("trinity", "trinity.cli.launcher"),
    fills_missing=True,
    tells_time=False,
    refuses_unknown=True,
    two_forms=True,
    kinds_since={"distill": "0.4.1"},
    lacks={
        "offline_distill": "Trinity-RFT distils a student on its own answers alone (on_policy_distill, jsd), on no given texts"
    },
    pins={"0.3.3": ("0.5.0",), "0.4.1": ("0.7.0",), "0.5.2": ("0.7.1",), "0.6.0": ("0.8.0", "0.7.1")},
)
ROLL = Framework(
    name="roll",
    title="ROLL",
    releases=("0.1.1", "0.1.3", "0.2.1", "0.3.0"),
    trainers=("rlvr", "agentic", "dpo", "sft", "distill"),
    aliases=("alibaba-roll",),
    sections=("actor_train", "actor_infer", "rollout_batch_size"),
    drops_unknown=True,
    revisions={"0.1.1": "v0.1.1", "0.1.3": "v0.1.3", "0.2.1": "v0.2.1", "0.3.0": "v0.3.0"},
    programs=("examples/start_", "start_", "roll.pipeline."),
    kinds_since={"distill": "0.2.1"},
    trainer_of_kind={
        "rl": "rlvr",
        "eval": "rlvr",
        "distill": "rlvr",
        "sft": "sft",
        "dpo": "dpo",
        "offline_distill": "distill",
    },
    trainer_sections={
        "agentic": ("train_env_manager", "val_env_manager", "custom_envs", "reward_normalization"),
        "sft": ("sft_train",),
        "distill": ("student", "distill_loss_weight"),
        "dpo": ("chosen_key", "rejected_key", "beta", "ipo"),
    },
)
CHATLEARN = Framework(
    name="chatlearn",
    title="ChatLearn",
    forms=("sh", "yaml"),
    releases=("1.2.0", "2025.10.23"),
    trainers=("fsdp", "megatron"),
    trainer_keys=("runtime_args.train_backend",),
    aliases=("alibaba-chatlearn",),
    sections=("runtime_args", "models"),
    adds_nothing=True,
    converts_texts=True,
    programs=("chatlearn/entrypoint.py", "chatlearn.entrypoint", "entrypoint.py"),
    revisions={"1.2.0": "v1.2.0", "2025.10.23": "b7af31a972eb6c420ef0b5c04ea920820d68f784"},
    unread_sections=dict.fromkeys(
        ("runtime", "runtime_env"),
        "it belongs to ChatLearn up to 1.0.3, where a Python script of the user's own holds the algorithm",
    ),
    instead="ChatLearn 1.2.0 and later: python chatlearn/entrypoint.py grpo, with runtime_args and models",
    lacks=dict.fromkeys(
        ("sft", "dpo", "distill", "offline_distill", "eval", "generate"),
        "ChatLearn's entrypoint starts grpo and nothing else",
    ),
    launcher=TemplateLauncher(
        program=("python", "chatlearn/entrypoint.py", "grpo"),
        option="--config-file",
        path="template/grpo_{trainer}.yaml",
        prelude=(
            "# Run it in a checkout of ChatLearn.",
            "export CHATLEARN=$(pwd)",
            'export PYTHONPATH="${CHATLEARN}:${PYTHONPATH:-}"',
            "source scripts/base_env.sh",
            "",
        ),
    ),
    stepless="ChatLearn's agents answer rows of data with tools (task_type agent); it has no worlds that are reset and stepped",
)
"""The second release is the main branch on that day: it still calls itself 1.2.0, but 71 keys are new."""

TRL = Framework(
    name="trl",
    title="TRL",
    releases=(
        *("0.18.2", "0.19.1", "0.20.0", "0.21.0", "0.22.2", "0.23.1", "0.24.0", "0.25.1", "0.26.2", "0.27.2", "0.28.0", "0.29.1"),
        *("1.0.0", "1.6.0", "1.7.1", "1.8.0", "1.10.0", "1.14.2", "1.16.0"),
    ),
    aliases=("huggingface-trl",),
    programs=("trl", "grpo", "src/open_r1/grpo"),
    for_scripts=True,
    interpolates=False,
    unread_since={"max_prompt_length": "0.26.2"},
    sections=("num_generations", "reward_funcs", "max_completion_length"),
    converts_texts=True,
    one_or_several=True,
    forms=("yaml", "sh"),
    command=("trl", "grpo"),
    lacks=dict.fromkeys(
        ("sft", "dpo", "distill", "offline_distill", "eval", "generate"),
        "`trl grpo` learns from rewards alone: TRL's other trainers are programs of their own, which rftconf does not write",
    ),
    stepless="TRL's GRPOTrainer answers rows of data; its tools and environments are Python objects that no config names",
    marks=(
        *("num_generations", "max_completion_length", "max_prompt_length", "num_iterations", "generation_batch_size", "reward_funcs"),
        *("scale_rewards", "epsilon_high", "loss_type", "use_vllm", "vllm_mode", "steps_per_generation", "reward_weights"),
    ),
)  # fmt: skip
"""Its releases from 0.18 on in which a key of GRPO's came or went, or a default changed, and those between that many people run."""
OPENRLHF = Framework(
    name="openrlhf",
    title="OpenRLHF",
    releases=(
        *("0.8.0", "0.8.1", "0.8.2", "0.8.5", "0.8.6", "0.8.7", "0.8.8", "0.8.9", "0.8.11", "0.9.1", "0.9.2", "0.9.4"),
        *("0.9.7", "0.9.8", "0.9.9", "0.9.10", "0.10.0", "0.10.2", "0.10.4", "0.11.0", "0.11.2"),
    ),
    programs=("openrlhf.cli.train_ppo_ray", "openrlhf/cli/train_ppo_ray"),
    interpolates=False,
    refuses_unknown=True,
    adds_nothing=True,
    sections=("actor", "rollout", "vllm"),
    converts_texts=True,
    one_or_several=True,
    forms=("sh",),
    usual_form="sh",
    switches=True,
    command=("python3", "-m", "openrlhf.cli.train_ppo_ray"),
    lacks=dict.fromkeys(
        ("sft", "dpo", "distill", "offline_distill", "eval", "generate"),
        "train_ppo_ray learns from rewards alone: OpenRLHF's other trainers are programs of their own, which rftconf does not write",
    ),
    stepless="OpenRLHF's agents are Python code that --train.agent_func_path names; no flag names a world",
)  # fmt: skip
"""Its releases from 0.8 on in which a flag came or went, or a default or what a flag does changed."""
NEMO_RL = Framework(
    name="nemo_rl",
    title="NeMo-RL",
    releases=("0.3.1", "0.4.0", "0.5.0", "0.6.0", "0.7.0"),
    revisions={number: f"v{number}" for number in ("0.3.1", "0.4.0", "0.5.0", "0.6.0", "0.7.0")},
    aliases=("nemo-rl", "nemorl", "nemo"),
    programs=("examples/run_grpo", "run_grpo", "nemo_rl."),
    resolvers=("mul", "div", "max"),
    tells_time=False,
    adds_with_plus=True,
    drops_unknown=True,
    converts_texts=True,
    forms=("yaml", "sh", "overrides"),
    usual_form="sh",
    command=("uv", "run", "python", "examples/run_grpo.py"),
    inherits="examples/configs/grpo_math_1B.yaml",
    sections=("grpo", "loss_fn", "policy"),
    unread_sections={
        "sft": "it belongs to NeMo-RL's run_sft.py, which learns from given answers",
        "dpo": "it belongs to NeMo-RL's run_dpo.py, which learns from pairs of answers",
        "rm": "it belongs to NeMo-RL's run_rm.py, which trains a reward model",
        "ppo": "it belongs to NeMo-RL's run_ppo.py, which trains a value model beside the policy",
        "distillation": "it belongs to NeMo-RL's run_distillation.py, which follows a teacher",
    },
    instead="NeMo-RL's run_grpo.py, with grpo, loss_fn and policy",
    lacks=dict.fromkeys(
        ("sft", "dpo", "distill", "offline_distill", "eval", "generate"),
        "run_grpo.py learns from rewards alone: NeMo-RL's other trainers are programs of their own, which rftconf does not write",
    ),
    stepless="NeMo-RL's environments are Ray actors that a data set's env_name names; no key describes a world that is reset and stepped",
)  # fmt: skip
"""Its releases since configs inherit from each other, and Megatron trains."""
FRAMEWORKS: dict[str, Framework] = {
    framework.name: framework for framework in (VERL, TRINITY, ROLL, CHATLEARN, TRL, OPENRLHF, NEMO_RL)
}
READ = tuple(FRAMEWORKS.values())

VERL_SFT = Framework(
    name="verl_sft",
    title="veRL SFT",
    of="verl",
    kinds=("sft",),
    releases=("0.6.1", "0.7.1", "0.8.0", "0.9.0", "0.9.1"),
    programs=("verl.trainer.sft_trainer", "verl.trainer.sft_trainer_ray", "verl/trainer/sft_trainer"),
    first={"verl.trainer.sft_trainer_ray": "0.7.1"},
    trainers=("fsdp", "megatron"),
    trainer_keys=("engine.strategy",),
    config_names=dict.fromkeys(("fsdp", "megatron"), "sft_trainer_engine"),
    config_groups={name: (f"engine={name}", f"optim={name}") for name in ("fsdp", "megatron")},
    part_groups={"model": "hf_model"},
    spmd_until="0.6.1",
    adds_with_plus=True,
    mains=("verl.trainer.sft_trainer", "verl.trainer.sft_trainer_ray"),
)
VERL_FSDP_SFT = Framework(
    name="verl_fsdp_sft",
    title="veRL FSDP SFT",
    of="verl",
    kinds=("sft",),
    releases=("0.2.0", "0.3.0", "0.4.1", "0.5.0", "0.6.1"),
    programs=("verl.trainer.fsdp_sft_trainer", "verl/trainer/fsdp_sft_trainer"),
    config_names={"": "sft_trainer"},
    spmd_until="0.6.1",
    adds_with_plus=True,
    mains=("verl.trainer.fsdp_sft_trainer",),
)
VERL_EVAL = Framework(
    name="verl_eval",
    title="veRL evaluation",
    of="verl",
    releases=("0.2.0", "0.3.0", "0.4.1", "0.5.0", "0.6.1", "0.7.1", "0.8.0", "0.9.0", "0.9.1"),
    programs=("verl.trainer.main_eval", "verl/trainer/main_eval"),
    config_names={"": "evaluation"},
    adds_with_plus=True,
    mains=("verl.trainer.main_eval",),
)
VERL_GENERATION = Framework(
    name="verl_generation",
    title="veRL generation",
    of="verl",
    releases=("0.2.0", "0.3.0", "0.4.1", "0.5.0", "0.6.1"),
    programs=("verl.trainer.main_generation", "verl/trainer/main_generation"),
    config_names={"": "generation"},
    adds_with_plus=True,
    mains=("verl.trainer.main_generation",),
)
PROGRAMS: dict[str, Framework] = {
    program.name: program for program in (VERL_SFT, VERL_FSDP_SFT, VERL_EVAL, VERL_GENERATION)
}
"""Programs of a framework that read a config of their own, preferred ones of a kind first."""


@cache
def framework(name: str) -> Framework:
    """The framework called `name` (or by an alias, in any case). Raises UsageError when there is none."""
    wanted_name = name.strip().lower()
    for known in variants():
        if wanted_name in (known.name, known.title.lower(), *known.aliases):
            return known
    raise UsageError(f"no framework is called {name!r}; known: {', '.join(sorted(FRAMEWORKS))}")


@cache
def variants(framework: str | None = None) -> tuple[Framework, ...]:
    """All that read a config of their own: a framework (all frameworks when None) and its programs."""
    known = (*FRAMEWORKS.values(), *PROGRAMS.values())
    return tuple(variant for variant in known if framework is None or framework in (variant.name, variant.family))


def started_by(program: str, among: tuple[Framework, ...]) -> tuple[Framework, ...]:
    """Return those of `among` that a program starts: those that own it, else those whose programs begin alike."""
    module = program.replace("/", ".").removesuffix(".py").rpartition(".")[2]
    own = tuple(
        framework
        for framework in among
        if framework.of and module in {main.rpartition(".")[2] for main in framework.mains}
    )
    return own or tuple(
        framework for framework in among if program and not framework.of and program.startswith(framework.programs)
    )


def starts_itself(of: Framework, program: str) -> bool:
    """True where the program is the framework's own, whose config the rows describe; without a program nothing else is known."""
    family = variants(of.family)
    recipes = [recipe for variant in family for recipe in variant.recipes.values()]
    own = {main for variant in family for main in variant.mains}
    own |= {program for recipe in recipes for program in (recipe.program, recipe.earlier) if program}
    module = program.replace("/", ".").removesuffix(".py")
    return not program or not own or any(module == main or module.endswith(f".{main}") for main in own)


def starts_recipe(of: Framework, program: str) -> bool:
    """True where the program is one that a framework ships beside its usual one, with more keys of its own."""
    return bool(program) and bool(of.mains) and program.replace("/", ".").removesuffix(".py") in of.mains[1:]


def recipe_reads(of: Framework, program: str, key: str) -> bool:
    """True where the program is such a one, and the key is of a section that it reads in every release."""
    return starts_recipe(of, program) and any(key == own or key.startswith(f"{own}.") for own in of.recipe_keys)


def has(of: Framework, number: str) -> bool:
    """True when a catalogue of `of` covers release `number`."""
    try:
        return bool(release(of, number))
    except UsageError:
        return False


def program_for(framework: Framework, kind: str | None, release_number: str | None = None) -> Framework:
    """Return what of `framework` starts runs of `kind` in a release (the newest when None): a program, or itself."""
    able = [program for program in PROGRAMS.values() if program.of == framework.name and kind in program.kinds]
    number = None if release_number is None else release(framework, release_number)
    return next((program for program in able if number is None or number in program.releases), framework)


def release(of: Framework, number: str | None) -> str:
    """The catalogued release that stands for `number`: itself, or the newest one with the same first two numbers.

    None means the newest. Raises UsageError when no catalogue covers it.
    """
    if number is None:
        return of.newest
    bare = number.strip().lower().removeprefix("v")
    if bare in of.releases:
        return bare
    series = re.match(r"\d+\.\d+", bare)
    same = [known for known in of.releases if series and known.startswith(series[0] + ".")]
    if same:
        return same[-1]
    raise UsageError(f"{of.title} {number} has no catalogue; known: {', '.join(of.releases)}")


def nearest(of: Framework, number: str) -> str:
    """The catalogued release that comes nearest to `number`: itself or one of its series, else the next one after it."""
    try:
        return release(of, number)
    except UsageError:
        return next((known for known in of.releases if _numbers(known) >= _numbers(number)), of.newest)


def at_least(name: str, have: str, number: str) -> bool:
    """True when release `have` of framework `name` is `number` or newer."""
    del name  # releases of one framework compare by their numbers alone
    return _numbers(have) >= _numbers(number)


@cache
def _numbers(release: str) -> tuple[int, ...]:
    return tuple(map(int, release.split(".")))
