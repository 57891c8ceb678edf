"""Commands start a framework by their program's name; a table lists the names with the form of the arguments."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import Enum

from rftconf.base.record import record
from rftconf.text.launch.marks import of_program


class Style(Enum):
    """The form in which a program takes its arguments."""

    HYDRA = "hydra"
    FLAGS = "flags"
    """`--name value` options, then `key=value`."""
    DOTLIST = "dotlist"
    """`--name value` options, then `key=value` whose values are YAML (OmegaConf.from_dotlist)."""
    ARGPARSE = "argparse"
    """Every key is a `--name value` option; `--config` names a file that says the rest."""


@record
class Main:
    """A program that starts a framework; `rl` when it runs RL training (not SFT, evaluation, merging)."""

    pattern: re.Pattern[str]
    framework: str
    style: Style
    rl: bool


def _main(pattern: str, framework: str, style: Style, *, rl: bool) -> Main:
    return Main(re.compile(pattern), framework, style, rl)


_IN = r"(?:.*[./])?"
"""The folders, or packages, that a program lies in: a checkout inside another project is started as one of its modules."""

MAINS = (
    _main(_IN + r"verl[./]trainer[./]main_(?:eval|generation\w*)(?:\.py)?", "verl", Style.HYDRA, rl=False),
    _main(_IN + r"(?:fsdp_)?sft_trainer(?:_ray)?(?:\.py)?", "verl", Style.HYDRA, rl=False),
    _main(_IN + r"(?:verl|recipes?)\.(?:\w+\.)*(?:\w+_)?main(?:_\w+)?", "verl", Style.HYDRA, rl=True),
    _main(r"(?:.*/)?main_ppo(?:_\w+)?\.py", "verl", Style.HYDRA, rl=True),
    _main(r"(?:.*/)?(?:verl|recipes?)/(?:.*/)?(?:\w+_)?main(?:_\w+)?\.py", "verl", Style.HYDRA, rl=True),
    _main(r"(?:.*/)?trinity|(?:.*\.)?trinity\.cli\.launcher", "trinity", Style.FLAGS, rl=True),
    _main(r"(?:.*/)?start_(?!reward_fl_)\w+_pipeline(?:_\w+)?\.py", "roll", Style.FLAGS, rl=True),
    _main(r"(?:.*/)?entrypoint\.py|(?:.*\.)?chatlearn\.entrypoint", "chatlearn", Style.DOTLIST, rl=True),
    _main(r"(?:.*/)?trl|(?:.*\.)?trl\.scripts\.grpo|trl\.GRPOTrainer|(?:.*/)?grpo\.py", "trl", Style.ARGPARSE, rl=True),
    _main(
        r"(?:.*[./])?openrlhf[./]cli[./]train_ppo_ray\w*(?:\.py)?|(?:.*/)?train_ppo_ray\w*\.py",
        "openrlhf",
        Style.ARGPARSE,
        rl=True,
    ),
    _main(
        r"(?:.*/)?examples/(?:[\w-]+/)*run_(?:\w+_)?grpo(?:_\w+)?\.py|(?:.*/)?run_(?:grpo_(?:math|rm|sliding_puzzle)|vlm_grpo)\.py",
        "nemo_rl",
        Style.FLAGS,
        rl=True,
    ),
    _main(r"(?:.*/)?run_grpo\.py", "", Style.FLAGS, rl=True),
    _main(_IN + r"main_(?:ppo|grpo|dapo|rl|rft)(?:_\w+)?(?:\.py)?", "", Style.HYDRA, rl=True),
)
"""First match wins; a program of nobody's own (`framework` is empty) is named as the frameworks name theirs."""

_ENGINE_SERVERS = re.compile(
    r"(?:.*/)?trl vllm-serve|(?:.*\.)?trl\.scripts\.vllm_serve|(?:.*/)?trl/scripts/vllm_serve\.py"
)
"""Programs, with their first word where that chooses one of several, that serve a run's engines beside its trainer."""

HYDRA_OPTIONS = frozenset(
    {"config-path", "config-name", "config-dir", "package", "cfg", "experimental-rerun", "info", "help", "hydra-help",
     "version", "resolve", "run", "multirun", "shell-completion"}
)  # fmt: skip
FEWEST_OVERRIDES = 3
"""A program that the table does not know is taken for a Hydra one from this many dotted overrides on."""
OWN_OPTIONS = {
    "trl": frozenset({"num_generations", "max_completion_length", "reward_funcs"}),
    "openrlhf": frozenset(
        {
            "actor_num_gpus_per_node",
            "vllm_num_engines",
            "colocate_all_models",
            "actor.num_gpus_per_node",
            "vllm.num_engines",
            "train.colocate_all",
        }
    ),
}
"""Options of one framework's program alone: two of them tell what a program of anybody's starts."""
_SWIFT = "rlhf_type"
"""An option of ms-swift, whose GRPO has the same names and counts otherwise."""
_DOTTED = re.compile(r"[+~]{0,2}\w+(?:\.[\w-]+)+=").match

STOCK_CONFIGS = frozenset(
    {"ppo_trainer", "ppo_megatron_trainer", "sft_trainer", "sft_trainer_engine", "evaluation", "generation", "config"}
    | {
        f"{recipe}_{name}"
        for recipe in ("fully_async", "one_step_off")
        for name in ("ppo_trainer", "ppo_megatron_trainer")
    }
)
"""Config names that the packages ship: their keys are in the catalogues."""
SHIPPED = re.compile(r"(?:.*/)?template/grpo_(?:fsdp|megatron)\.ya?ml")
"""Config files that ChatLearn ships and its scripts start from: the catalogues hold their values."""

MENTIONS = re.compile(
    r"\bmain_(?:ppo|dapo)\w*|\bactor_rollout_ref\b|\b(?:fsdp_)?sft_trainer(?:_ray)?\b|\bstart_\w+_pipeline\b"
    r"|\btrinity\s+run\b|\btrl\s+grpo\b|\btrain_ppo_ray\b|\brun_grpo\w*\.py\b|\bchatlearn\b|(?m:^(?:actor_train|actor_infer|runtime_args|explorer|synchronizer|grpo|loss_fn):)"
)
"""Words of configs and launch scripts of these frameworks: a text with one is meant for them, also where it is broken."""


def main_of(program: str) -> Main | None:
    """The table's entry for a module or file, if it starts a framework; a declared fork's programs are not in the table."""
    fork = of_program(program) if "." in program else None
    if fork is not None:
        style = Style(fork.arguments) if fork.arguments else Style.HYDRA
        return _main(re.escape(program), fork.framework, style, rl=True)
    return next((main for main in MAINS if main.pattern.fullmatch(program)), None)


def is_engine_server(program: str, arguments: Sequence[str]) -> bool:
    """True for a program that serves a run's engines, by its name or by its name and first argument."""
    return any(_ENGINE_SERVERS.fullmatch(name) for name in (program, " ".join((program, *arguments[:1]))))


def launch_of(program: str, arguments: Sequence[str]) -> Main | None:
    """Return the framework's program that a command starts, by its name, else by its arguments' known beginnings.

    None when it starts no run. `framework` is empty for a program that the table does not know.
    """
    if is_engine_server(program, arguments):
        return None
    main = main_of(program)
    options = [argument[2:].partition("=")[0] for argument in arguments if argument.startswith("--")]
    if main is not None and main.framework:
        return main if main.style is not Style.ARGPARSE or options else None
    named = {option.replace("-", "_") for option in options}
    for framework, own in OWN_OPTIONS.items():
        if len(own & named) > 1 and _SWIFT not in named:
            return _main(
                re.escape(program), framework, Style.ARGPARSE, rl=True
            )  # also where it is called as veRL calls its own
    if main is not None:
        return main
    if sum(_DOTTED(argument) is not None for argument in arguments) < FEWEST_OVERRIDES:
        return None
    style = Style.HYDRA if HYDRA_OPTIONS.issuperset(options) else Style.FLAGS
    return _main(re.escape(program), "", style, rl=True)
