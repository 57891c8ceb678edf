"""NeMo-RL's own loader on configs and launch scripts: a checkout and a file with a list of `{"config": PATH}` and
`{"script": TEXT}`; one JSON object on the last line, with what the loader makes of each, or why it refuses it. Bash expands
a script's words; nemo_rl/utils/config.py then loads the file they name and applies what follows, and since 0.7.0 MasterConfig
validates the result, all as examples/run_grpo.py does."""

import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from nemo_rl_classes import Classes

CHECKOUT = Path(sys.argv[1])
SHIM = "#!/bin/sh\nexec {python} -c 'import json, sys; print(json.dumps(sys.argv[1:]))' \"$@\"\n"
VARIABLE = re.compile(r"\$\{([A-Z_]+)\}")
NAMED = re.compile(r"\$\{oc\.env:\s*(\w+)\s*\}")
STARTED = ["run", "python", "examples/run_grpo.py"]
USUAL = "examples/configs/grpo_math_1B.yaml"


def loader():
    """Load the module of the checkout from its file, because the package around it imports torch and Ray."""
    spec = importlib.util.spec_from_file_location("nemo_rl_config", CHECKOUT / "nemo_rl" / "utils" / "config.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    from omegaconf import OmegaConf

    functions = {"mul": lambda a, b: a * b, "div": lambda a, b: a / b, "max": max}
    for name, function in functions.items():  # run_grpo_math.py up to 0.6.0; register_omegaconf_resolvers since
        if not OmegaConf.has_resolver(name):
            OmegaConf.register_new_resolver(name, function)
    return module


def words_of(script, folder):
    """Return the words that a script starts the program with: another uv stands before the real one, and prints them."""
    shim = Path(folder) / "uv"
    shim.write_text(SHIM.format(python=sys.executable))
    shim.chmod(0o755)
    # whoever runs a script has its variables
    environment = dict.fromkeys(VARIABLE.findall(script), "given") | {"PATH": f"{folder}:{os.environ['PATH']}"}
    done = subprocess.run(["bash", "-c", script], env=environment, capture_output=True, text=True, check=True)
    words = json.loads(done.stdout.splitlines()[-1])
    assert words[:3] == STARTED, words
    return words[3:]


def answer(module, master, item):
    """Return the config as the loader has it, interpolations resolved; `master` is the class that validates it."""
    from omegaconf import OmegaConf

    with tempfile.TemporaryDirectory() as folder:
        words = words_of(item["script"], folder) if "script" in item else []
    named = words[1] if words[:1] == ["--config"] else item.get("config", USUAL)
    config = module.load_config(str(CHECKOUT / named))
    overrides = words[2:] if words[:1] == ["--config"] else words
    config = module.parse_hydra_overrides(config, overrides) if overrides else config
    resolved = OmegaConf.to_container(config, resolve=True)
    if hasattr(master, "model_fields"):  # up to 0.6.0 it is a TypedDict, which nothing validates
        master(**resolved)
    return resolved


def main():
    """Print the answers."""
    module, answers = loader(), []
    master = Classes(CHECKOUT).find("nemo_rl.algorithms.grpo", "MasterConfig")
    for file in (CHECKOUT / "examples").rglob("*.yaml"):  # whoever runs a recipe has its variables
        for name in NAMED.findall(file.read_text(encoding="utf-8")):
            os.environ.setdefault(name, "given")
    for item in json.loads(Path(sys.argv[2]).read_text()):
        try:
            answers.append({"config": answer(module, master, item)})
        except Exception as error:  # noqa: BLE001 - whatever the loader says is its answer
            answers.append({"refused": f"{type(error).__name__}: {error}"[:2000]})
    print(json.dumps({"answers": answers}))


if __name__ == "__main__":
    main()
