"""Extract the config files that frameworks ship for other configs to start from, into rftconf/schemas/*/base_files.json.

veRL's stand in the packages that scripts/extract_keys.py reads, below --packages. ROLL publishes none: its are read
from a clone of its repository (--clone roll=FOLDER) at the revisions that the registry names, or from the folders that
scripts/roll_sources.py makes of it below --packages; without either ROLL is left out. NeMo-RL's are read from a clone
alone: its examples, and of its recipes those that another one inherits from. The configs of veRL's recipes stand
in no package: they are read from a clone (--clone verl=FOLDER) at the releases' tags, into recipe_files.json, and left out
without one. --check writes nothing and fails when a committed file differs from what the releases hold.
"""

from __future__ import annotations

import itertools
import json
import posixpath
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "scripts")]


from generated import clones_of, keep_and_tell, parser_of  # noqa: E402

from rftconf.schemas.base_files import file_of, recipes_of  # noqa: E402
from rftconf.schemas.framework import Framework  # noqa: E402
from rftconf.schemas.registry import NEMO_RL, ROLL, VERL  # noqa: E402
from rftconf.text.keys import segments  # noqa: E402
from rftconf.text.launch.programs import STOCK_CONFIGS  # noqa: E402
from rftconf.text.yaml.leaves import YamlReader  # noqa: E402

FOLDERS = {
    "roll": ("examples/config",),
    "verl": ("verl/trainer/config", "verl/experimental/*/config"),
    "nemo_rl": ("examples/configs",),
}
"""Where a framework keeps them, in its repository or package."""
RECIPES, OF_RECIPE = "recipe", re.compile(r"recipe/\w+/config/\w+\.yaml")
"""The folder of veRL's recipes, and the configs there that a program starts from."""
RECIPES_OF_ALL = "recipes/"
"""Below NeMo-RL's folder: two hundred runs, most of which nothing starts from."""
_MADE = "_generated_"
"""veRL's own composed copies of its configs: no config starts from one."""

Files = dict[str, dict[str, Any]]
"""Path below its folder to what the data hold of the file."""


def entry_of(folder: str, text: str) -> dict[str, Any]:
    """A file as the data hold it: its folder, the section that its `# @package` line names, and its values."""
    header = re.match(r"\s*#\s*@package\s+(\S+)", text)
    return {"folder": folder, **({"package": header[1]} if header else {}), "values": nested(text)}


def nested(text: str) -> dict[str, Any]:
    """The values of a YAML text as mappings and lists, its interpolations as they are written."""
    tree: dict[str, Any] = {}
    for leaf in YamlReader("", text).leaves():
        _put(tree, segments(leaf.key), leaf.value)
    return tree


def _put(tree: Any, path: tuple[str | int, ...], value: Any) -> None:
    for name, following in itertools.pairwise(path):
        empty: Any = [] if isinstance(following, int) else {}
        if isinstance(tree, list):
            if name == len(tree):
                tree.append(empty)
            tree = tree[int(name)]
        else:
            tree = tree.setdefault(name, empty)
    if isinstance(tree, list):
        tree.append(value)
    else:
        tree[path[-1]] = value


def from_folder(framework: Framework, package: Path) -> Files:
    """The files of one release that lies unpacked in `package`."""
    return {
        str(path.relative_to(folder)): entry_of(str(folder.relative_to(package)), path.read_text())
        for pattern in FOLDERS[framework.name]
        for folder in sorted(package.glob(pattern))
        for path in sorted(folder.rglob("*.yaml"))
        if not path.name.startswith(_MADE)
    }


def from_clone(framework: Framework, release: str, clone: Path) -> Files:
    """The files of one release out of a repository, which stays as it is."""

    def git(*arguments: str) -> str:
        return subprocess.run(["git", "-C", clone, *arguments], check=True, capture_output=True, text=True).stdout

    revision, files = framework.revisions[release], Files()
    for folder in FOLDERS[framework.name]:
        for path in git("ls-tree", "-r", "--name-only", revision, f"{folder}/").splitlines():
            if path.endswith(".yaml"):
                files[path.removeprefix(f"{folder}/")] = entry_of(folder, git("show", f"{revision}:{path}"))
    return inherited(files) if framework is NEMO_RL else files


def inherited(files: Files) -> Files:
    """The files of GRPO runs, without recipes that no other file inherits from."""
    named = {
        posixpath.normpath(posixpath.join(posixpath.dirname(path), name))
        for path, entry in files.items()
        for name in _listed(entry["values"].get("defaults", []))
    }
    return {
        path: entry
        for path, entry in files.items()
        if (path in named or not path.startswith((RECIPES_OF_ALL, "evals/")))
        and {"grpo", "defaults"} & entry["values"].keys()
    }


def _listed(names: Any) -> list[str]:
    return [names] if isinstance(names, str) else list(names)


def releases_of(framework: Framework, packages: Path, clone: Path | None) -> Iterator[tuple[str, Files]]:
    """Each release with its files; nothing where a release is not at hand. Raises CalledProcessError."""
    for release in framework.releases:
        package = packages / f"{framework.name}-{release}"
        if clone is not None and framework.revisions:
            yield release, from_clone(framework, release, clone)
        elif package.is_dir():
            yield release, from_folder(framework, package)


def of_recipes(framework: Framework, clone: Path) -> Iterator[tuple[str, Files]]:
    """The configs of recipes at each release's tag that the clone has, but for those whose keys the catalogues hold."""

    def git(*arguments: str) -> str:
        return subprocess.run(["git", "-C", clone, *arguments], check=True, capture_output=True, text=True).stdout

    tags = set(git("tag").split())
    for release in framework.releases:
        if f"v{release}" not in tags:
            continue
        paths = git("ls-tree", "-r", "--name-only", f"v{release}", f"{RECIPES}/").splitlines()
        named = [path for path in paths if OF_RECIPE.fullmatch(path) and Path(path).stem not in STOCK_CONFIGS]
        entries = {path: entry_of(RECIPES, git("show", f"v{release}:{path}")) for path in named}
        yield (
            release,
            {
                path.removeprefix(f"{RECIPES}/"): entry
                for path, entry in entries.items()
                if "defaults" in entry["values"]
            },
        )


def render(framework: Framework, base_files: dict[str, Files]) -> str:
    """The data file: each file once for all releases in which it is the same."""
    same: dict[str, dict[str, list[str]]] = {}
    for release, files in base_files.items():
        for path, entry in files.items():
            same.setdefault(path, {}).setdefault(json.dumps(entry), []).append(release)
    lines = []
    for path in sorted(same):
        versions = (json.dumps({"releases": have, **json.loads(entry)}) for entry, have in same[path].items())
        lines.append(f"{json.dumps(path)}: [\n" + ",\n".join(versions) + "\n]")
    head = {
        "framework": framework.name,
        "source": f"values of the config files in {framework.title}'s releases, by scripts/extract_base_files.py",
        "licence": "Apache-2.0",
        "releases": list(base_files),
    }
    top = "".join(f"{json.dumps(name)}: {json.dumps(value)},\n" for name, value in head.items())
    return "{\n" + top + '"files": {\n' + ",\n".join(lines) + "\n}\n}\n"


def main() -> int:
    """Write or check the data files; 1 when a check finds a difference."""
    parser = parser_of(__doc__, "folder with verl-<release> and roll-<release>")
    args = parser.parse_args()
    clones = clones_of(args.clone)
    differing = 0
    for framework in (ROLL, VERL, NEMO_RL):
        base_files = dict(releases_of(framework, args.packages.resolve(), clones.get(framework.name)))
        lacking = [release for release in framework.releases if release not in base_files]
        if lacking:
            print(f"{framework.name} {', '.join(lacking)}: left out, neither in --packages nor in a --clone")
            continue
        path, text = file_of(framework.name), render(framework, base_files)
        differing += keep_and_tell(path, text, f"{len(text):,} characters", check=args.check)
    if VERL.name in clones:
        text = render(VERL, dict(of_recipes(VERL, clones[VERL.name])))
        differing += keep_and_tell(recipes_of(VERL.name), text, f"{len(text):,} characters", check=args.check)
    return int(args.check and differing > 0)


if __name__ == "__main__":
    sys.exit(main())
