"""Which commands of a script start a framework, and how their arguments are read. A table and its lookup."""

from __future__ import annotations

import re
from enum import Enum

from rftconf.record import record


class Style(Enum):
    """How a program takes its arguments."""

    HYDRA = "hydra"
    FLAGS = "flags"
    """`--name value` options, then `key=value`."""
    DOTLIST = "dotlist"
    """`--name value` options, then `key=value` whose values are YAML (OmegaConf.from_dotlist)."""


@record
class Main:
    """A program that starts a framework; `rl` when it runs RL training (not SFT, evaluation, merging)."""

    pattern: re.Pattern[str]
    framework: str
    style: Style
    rl: bool


def _main(pattern: str, framework: str, style: Style, *, rl: bool) -> Main:
    return Main(re.compile(pattern), framework, style, rl)


MAINS = (
    _main(r"verl\.trainer\.main_(?:eval|generation\w*)", "verl", Style.HYDRA, rl=False),
    _main(r"(?:.*[./])?(?:fsdp_)?sft_trainer(?:_ray)?(?:\.py)?", "verl", Style.HYDRA, rl=False),
    _main(r"(?:verl|recipe|recipes)\.(?:\w+\.)*(?:\w+_)?main(?:_\w+)?", "verl", Style.HYDRA, rl=True),
    _main(r"(?:.*/)?main_ppo(?:_\w+)?\.py", "verl", Style.HYDRA, rl=True),
    _main(r"(?:.*/)?(?:verl|recipes?)/(?:.*/)?(?:\w+_)?main(?:_\w+)?\.py", "verl", Style.HYDRA, rl=True),
    _main(r"(?:.*/)?trinity|trinity\.cli\.launcher", "trinity", Style.FLAGS, rl=True),
    _main(r"(?:.*/)?start_\w+_pipeline\.py", "roll", Style.FLAGS, rl=True),
    _main(
        r"(?:.*/)?chatlearn/entrypoint\.py|(?:.*/)?entrypoint\.py|chatlearn\.entrypoint",
        "chatlearn",
        Style.DOTLIST,
        rl=True,
    ),
)
"""First match wins."""

STOCK_CONFIGS = frozenset({"ppo_trainer", "ppo_megatron_trainer", "sft_trainer", "config"})
"""Config names that the packages ship: their keys are in the catalogues."""
SHIPPED = re.compile(r"(?:.*/)?template/grpo_(?:fsdp|megatron)\.ya?ml")
"""Config files that ChatLearn ships and its scripts start from: the catalogues hold their values."""


def main_of(program: str) -> Main | None:
    """The table's entry for a module or file, if it starts a framework."""
    return next((main for main in MAINS if main.pattern.fullmatch(program)), None)
