"""Programs that start other programs: which of their words are their own, and where what they start begins. A table."""

from __future__ import annotations

from enum import Enum

from rftconf.base.record import record


class Takes(Enum):
    """The kind of words that a wrapper takes behind its own options and operands."""

    COMMAND = "a program and its arguments"
    TEXT = "words that make one text for a shell"
    SCRIPT = "a script's file and its arguments"
    KEYS = "keys that are typed into a terminal"


@record
class Wrapper:
    """The form in which one wrapper is called.

    `verbs`: words of which one sequence must come first (`run`, `job submit`); none: it always starts something.
    `valued`: options whose value is the next word. `operands`: words of its own before what it starts (a host, an image).
    `texts`: options whose value is a text for a shell. `sets`: options whose value is NAME=VALUE for what it starts;
    `assigns`: such words stand before the command itself. `types`: without a command it reads a script from its input.
    `inherits`: what it starts sees what the script exports. `until`: words that end the command.
    """

    takes: Takes = Takes.COMMAND
    verbs: tuple[str, ...] = ()
    valued: frozenset[str] = frozenset()
    operands: int = 0
    texts: frozenset[str] = frozenset()
    sets: frozenset[str] = frozenset()
    assigns: bool = False
    types: bool = False
    inherits: bool = True
    feeds: bool = False
    """It adds arguments that it reads itself, where `{}` or the text of `-I` stands, else behind the others."""
    until: frozenset[str] = frozenset()
    entry: str = ""
    """The option that names the program which a scheduler starts; the one of `texts` holds its arguments."""


def _wrapper(
    takes: Takes = Takes.COMMAND,
    *,
    verbs: tuple[str, ...] = (),
    valued: str = "",
    operands: int = 0,
    texts: str = "",
    sets: str = "",
    assigns: bool = False,
    types: bool = False,
    inherits: bool = True,
    feeds: bool = False,
    until: str = "",
    entry: str = "",
) -> Wrapper:
    words = [frozenset(options.split()) for options in (valued, texts, sets, until)]
    return Wrapper(
        takes, verbs, words[0], operands, words[1], words[2], assigns, types, inherits, feeds, words[3], entry
    )


_SLURM = (
    "-A --account -a --array -c --cpus-per-task -C --constraint -d --dependency -D --chdir -e --error -G --gpus -i --input "
    "-J --job-name -L --licenses -m --distribution -n --ntasks -N --nodes -o --output -p --partition -q --qos -t --time "
    "-w --nodelist -x --exclude --mem --mem-per-cpu --mem-per-gpu --gres --gpus-per-node --gpus-per-task --ntasks-per-node "
    "--export --jobid --het-group --container-image --container-mounts --container-name --container-workdir --signal "
    "--mail-type --mail-user --reservation --cpu-bind --gpu-bind --mpi --network --wait"
)
_CONTAINER = (
    "--name --gpus --shm-size -v --volume --mount -w --workdir -u --user --network --net --ipc --pid --ulimit -p --publish "
    "--entrypoint --env-file -h --hostname --device --cap-add --security-opt --memory -m --cpus --cpuset-cpus --runtime -l "
    "--label --add-host --restart --platform --log-driver --log-opt --tmpfs --uts --userns --group-add --pull --dns"
)
_SHELL = _wrapper(Takes.SCRIPT, valued="-o -O +o +O --rcfile --init-file", texts="-c", types=True)
_ENGINE = _wrapper(verbs=("run", "exec", "container run", "container exec", "compose run", "compose exec"),
                   valued=_CONTAINER, operands=1, sets="-e --env", inherits=False)  # fmt: skip
_IMAGE = _wrapper(verbs=("exec", "run"), valued="-B --bind --pwd -H --home --overlay -W --workdir --env-file", operands=1,
                  sets="--env")  # fmt: skip
_RUNS = _wrapper(
    verbs=("run",),
    valued="-n --name -p --prefix --cwd --extra --with --group --only-group --python --env-file --project --directory "
    "--index-url --index --package --with-requirements --with-editable -i -C --config-file",
)
_MPI = _wrapper(valued="-n -np -N -H --host -hostfile --hostfile -machinefile --machinefile -bind-to --bind-to -map-by "
                "--map-by --oversubscribe -mca --mca")  # fmt: skip
_MULTIPLEXER_VERBS = ("new-session", "new", "new-window", "neww", "split-window", "splitw", "respawn-pane", "respawnp")
WRAPPERS: dict[str, Wrapper] = {
    **dict.fromkeys(("bash", "sh", "zsh", "dash", "ksh"), _SHELL),
    **dict.fromkeys(("docker", "podman", "nerdctl"), _ENGINE),
    **dict.fromkeys(("singularity", "apptainer"), _IMAGE),
    **dict.fromkeys(("uv", "poetry", "pdm", "pipenv", "hatch", "rye", "pixi", "conda", "mamba", "micromamba"), _RUNS),
    **dict.fromkeys(("mpirun", "mpiexec"), _MPI),
    **dict.fromkeys(("nohup", "setsid", "unbuffer", "xvfb-run", "catchsegv"), _wrapper()),
    "env": _wrapper(valued="-u --unset -C --chdir", assigns=True),
    "sudo": _wrapper(valued="-u --user -g --group -h --host -p --prompt -C -D", assigns=True),
    "time": _wrapper(valued="-f --format -o --output"),
    "nice": _wrapper(valued="-n --adjustment"),
    "ionice": _wrapper(valued="-c --class -n --classdata"),
    "stdbuf": _wrapper(valued="-i --input -o --output -e --error"),
    "timeout": _wrapper(valued="-k --kill-after -s --signal", operands=1),
    "numactl": _wrapper(valued="-i -m -N -C -p"),
    "taskset": _wrapper(operands=1),
    "chrt": _wrapper(operands=1),
    "flock": _wrapper(valued="-w --timeout -E", operands=1, texts="-c --command"),
    "gosu": _wrapper(operands=1),
    "su": _wrapper(Takes.SCRIPT, texts="-c --command", operands=1),
    "script": _wrapper(Takes.SCRIPT, texts="-c --command"),
    "coverage": _wrapper(verbs=("run",), valued="--rcfile --source --omit --include"),
    "nsys": _wrapper(verbs=("profile",), valued="-o --output -t --trace -w -c --capture-range -s --sample"),
    "ncu": _wrapper(valued="-o --export -k --kernel-name -c --launch-count -s --launch-skip --set"),
    "srun": _wrapper(valued=_SLURM),
    "salloc": _wrapper(valued=_SLURM),
    "sbatch": _wrapper(Takes.SCRIPT, valued=_SLURM, texts="--wrap", types=True),
    "qsub": _wrapper(Takes.SCRIPT, valued="-N -q -l -o -e -P -A -v -W", types=True),
    "bsub": _wrapper(Takes.TEXT, valued="-J -q -n -o -e -R -W -gpu -P -M -m", types=True),
    "ssh": _wrapper(Takes.TEXT, valued="-p -i -o -l -F -J -L -R -D -b -c -E -m -Q -S -W -w", operands=1, types=True,
                    inherits=False),
    "pdsh": _wrapper(Takes.TEXT, valued="-w -x -l -f -R -t -u", inherits=False),
    "kubectl": _wrapper(verbs=("exec",), valued="-n --namespace -c --container --context", operands=1, inherits=False),
    "ray": _wrapper(verbs=("job submit",), valued="--address --runtime-env --runtime-env-json --working-dir "
                    "--submission-id --job-id --entrypoint-num-cpus --entrypoint-num-gpus --entrypoint-resources "
                    "--metadata-json", inherits=False),
    "nebulactl": _wrapper(verbs=("run mdl",), texts="--user_params", entry="--entry", inherits=False),
    "tmux": _wrapper(Takes.TEXT, verbs=_MULTIPLEXER_VERBS, valued="-s -n -c -t -x -y -F -l", sets="-e"),
    "tmux send-keys": _wrapper(Takes.KEYS, verbs=("send-keys", "send"), valued="-t -N"),
    "screen": _wrapper(valued="-S -dmS -dm -t -c -L -Logfile -s -T -h -p"),
    "screen stuff": _wrapper(Takes.KEYS, verbs=("stuff",), valued="-S -X -p"),
    "xargs": _wrapper(valued="-n -P -d -L -a -s -E --max-args --max-procs --delimiter", feeds=True),
    "parallel": _wrapper(Takes.TEXT, valued="-j --jobs -n -N -a --delay --joblog --results --timeout -S --colsep", feeds=True,
                         until="::: :::: :::+ ::::+"),
}  # fmt: skip
"""By the name of the program; a second row with a space stands for other verbs of the same program."""

KEY_NAMES = frozenset({"C-m", "Enter", "KPEnter", "C-j", "^M"})
"""Names of keys that end a typed line."""
OTHER_KEYS = frozenset({"C-c", "C-d", "C-l", "C-u", "C-z", "Escape", "Space", "Tab", "Up", "Down", "q"})


_ROWS: dict[str, tuple[Wrapper, ...]] = {}
for _name, _row in WRAPPERS.items():
    _program = _name.partition(" ")[0]
    _ROWS[_program] = (*_ROWS.get(_program, ()), _row)


def rows_of(name: str) -> tuple[Wrapper, ...]:
    """The rows of a program, by its name without folders."""
    return _ROWS.get(name, ())
