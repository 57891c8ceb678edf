"""OpenRLHF's own program on scripts: a file with a list of texts of shell scripts, one JSON object on the last line, with what
its parser makes of each, or why it is refused. Bash expands the words; openrlhf/cli/train_ppo_ray.py then runs whole, with
its checks, except that what it imports beside the standard library and its own config.py does nothing."""

import ast
import contextlib
import importlib.util
import io
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import MagicMock

from programs import ANSWERS, NUMBER

PACKAGE = Path(next(iter(importlib.util.find_spec("openrlhf").submodule_search_locations)))
PROGRAM = PACKAGE / "cli" / "train_ppo_ray.py"
OWN, CONFIG = "openrlhf.utils.config", PACKAGE / "utils" / "config.py"
"""The module in which names with points become groups since 0.10.2."""
SHIM = "#!/bin/sh\nexec {python} -c 'import json, sys; print(json.dumps(sys.argv[1:]))' \"$@\"\n"
SUBMIT = '#!/bin/sh\nwhile [ "$1" != "--" ]; do shift; done\nshift\nexec "$@"\n'
"""`ray job submit ... -- program`: the program alone starts here."""
VARIABLE = re.compile(r"\$\{?(\w+)")
CALCULATED = re.compile(r"\(\((.*?)\)\)")
STARTED = ["-m", "openrlhf.cli.train_ppo_ray"]


def stand_in(tree):
    """Put a module that does nothing in place of each that the program imports and the standard library lacks."""
    for node in ast.walk(tree):
        names = [each.name for each in node.names] if isinstance(node, ast.Import) else []
        names += [node.module] if isinstance(node, ast.ImportFrom) else []
        for name in names:
            if name.split(".")[0] not in sys.stdlib_module_names and name != OWN:
                sys.modules[name] = MagicMock()
    if CONFIG.exists():  # loaded from its file, because the package around it imports torch and DeepSpeed
        spec = importlib.util.spec_from_file_location(OWN, CONFIG)
        sys.modules[OWN] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[OWN])


def words_of(script, folder):
    """Return the words that a script starts the program with: another python3 prints them."""
    for name, text in (("python3", SHIM.format(python=sys.executable)), ("ray", SUBMIT)):
        shim = Path(folder) / name
        shim.write_text(text)
        shim.chmod(0o755)
    # whoever runs a script has its variables
    counts = re.findall(r"[A-Za-z_]\w*", " ".join(CALCULATED.findall(script)))
    environment = dict.fromkeys(VARIABLE.findall(script), "given") | dict.fromkeys(counts, NUMBER)
    environment |= {"PATH": folder, **ANSWERS}
    places = max((int(name) for name in VARIABLE.findall(script) if name.isdigit()), default=0)
    file = Path(folder) / "run.sh"
    file.write_text(script)
    words = ["/bin/bash", str(file), *["given"] * places]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=True)
    words = json.loads(done.stdout.splitlines()[-1])
    assert words[:2] == STARTED, words[:2]
    return words[2:]


def flat(arguments, above=""):
    """Return the arguments by name with points."""
    result = {}
    for name, value in vars(arguments).items():
        if isinstance(value, SimpleNamespace):
            result |= flat(value, f"{above}{name}.")
        else:
            result[above + name] = value
    return result


def compiled():
    """Return the program's code, with stand-ins for what it imports."""
    tree = ast.parse(PROGRAM.read_text(encoding="utf-8"))
    stand_in(tree)
    return compile(tree, str(PROGRAM), "exec")


def started(program, script):
    """Start the program with the words of one script; return its arguments and what it printed, or raise what it raises."""
    with tempfile.TemporaryDirectory() as folder:
        sys.argv = [str(PROGRAM), *words_of(script, folder)]
    printed, wrong = io.StringIO(), io.StringIO()
    names = {"__name__": "__main__"}
    try:
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(wrong):
            exec(program, names)
    except SystemExit:
        raise ValueError(wrong.getvalue().strip().splitlines()[-1]) from None
    return names["args"], printed.getvalue().splitlines()


def answer(program, script):
    """Start the program with the words of one script."""
    try:
        args, printed = started(program, script)
    except (AssertionError, ValueError, TypeError) as why:
        return {"refused": f"{type(why).__name__}: {why}"}
    return {"arguments": flat(args), "printed": printed}


def main():
    """Judge every script of the file."""
    program = compiled()
    scripts = json.loads(Path(sys.argv[1]).read_text())
    print(json.dumps({"answers": [answer(program, script) for script in scripts]}))


if __name__ == "__main__":
    main()
