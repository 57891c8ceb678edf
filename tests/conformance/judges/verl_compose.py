"""veRL's own `main()` under Hydra, stopped where the run would start."""

import dataclasses
import inspect
import sys
import tempfile

from omegaconf import OmegaConf


@dataclasses.dataclass
class Composed:
    """What Hydra composed, and how this release's `main()` would have validated it (0.9 on)."""

    config: object = None
    validation: dict | None = None


def warm_up():
    """Both grammars learn their automata as they parse, and Hydra looks for its plugins: once here, not once a case."""
    from hydra.core.override_parser.overrides_parser import OverridesParser
    from hydra.core.plugins import Plugins

    for override in (
        "+a.b=1",
        "~a",
        "a.b=[x,1.5e-6,null,'q']",
        "a={b:true,c:/p-q/r.s}",
        "a=${b.c}",
        "a=-1",
        "++a@b='x y'",
    ):
        OverridesParser.create().parse_override(override)
    result = {
        "a": {"b": 1},
        "c": "${a.b}",
        "d": "${.a.b}/${c}-x",
        "e": "${oc.select:a.b,null}",
        "f": "${oc.env:HOME,'x'}",
    }
    OmegaConf.to_container(OmegaConf.create(result), resolve=True)
    Plugins.instance()


def compose(overrides, progress):
    """Run `main()` with `overrides` as its arguments; raises what Hydra raises."""
    progress.stage = "compose"
    import verl.trainer.main_ppo as main_ppo

    composed = Composed()

    def run_ppo(config, *args, **kwargs):
        composed.config = config

    def validate_config(config, **kwargs):
        composed.config, composed.validation = config, kwargs

    main_ppo.run_ppo = run_ppo
    # 0.9 validates in main() itself, earlier releases in the task runner
    if "validate_config" in inspect.getsource(main_ppo.main):
        main_ppo.validate_config = validate_config
    # `python -m verl.trainer.main_ppo` is __main__: only then does Hydra resolve a relative --config-path as in a run
    inspect.unwrap(main_ppo.main).__module__ = "__main__"
    quiet = (
        f"hydra.run.dir={tempfile.mkdtemp(prefix='verl_judge_')}",
        "hydra.output_subdir=null",
        "hydra/job_logging=none",
        "hydra/hydra_logging=none",
    )
    sys.argv = ["main_ppo", *overrides, *quiet]
    main_ppo.main()
    return composed


def resolve(config, progress):
    """The config as plain data, interpolations resolved."""
    progress.stage = "resolve"
    missing = sorted(OmegaConf.missing_keys(config))
    if missing:
        progress.note(f"left mandatory: {', '.join(missing)}")
    return OmegaConf.to_container(config, resolve=True)
