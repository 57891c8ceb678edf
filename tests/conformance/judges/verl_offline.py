"""veRL's programs that train nothing, main_eval and main_generation, run as they are up to the file of data, which is not here."""

import importlib
import inspect
import sys
import tempfile

import verl_compose

PROGRAMS = ("verl.trainer.main_eval", "verl.trainer.main_generation")


class DataReadError(Exception):
    """The program came to its data."""


class Tables:
    """Stands in for pandas: keeps the config of whoever asks for rows, and has none."""

    def __init__(self, composed):
        self.composed = composed

    def read_parquet(self, path):
        self.composed.config = sys._getframe(1).f_locals["config"]
        raise DataReadError(path)


def judge(case, progress, *, model_folder):
    """The resolved config; raises what veRL raises."""
    progress.stage = "compose"
    module, composed = importlib.import_module(case["program"]), verl_compose.Composed()

    def local(path, *args, **kwargs):
        if path == sys._getframe(1).f_locals["config"].data.path:
            return path
        progress.note(f"{path} -> tiny model")
        return model_folder

    for name in [name for name in vars(module) if name.startswith("copy_")]:
        setattr(module, name, local)
    module.pd = Tables(composed)
    if hasattr(module, "main_task"):  # since 0.3 a task of Ray
        module.run_generation = module.main_task._function
    inspect.unwrap(module.main).__module__ = "__main__"
    quiet = (f"hydra.run.dir={tempfile.mkdtemp(prefix='verl_judge_')}", "hydra.output_subdir=null")
    sys.argv = [case["program"], *case["overrides"], *quiet, "hydra/job_logging=none", "hydra/hydra_logging=none"]
    try:
        module.main()
    except DataReadError:
        return verl_compose.resolve(composed.config, progress)
    raise AssertionError(f"{case['program']} ended without its data")
