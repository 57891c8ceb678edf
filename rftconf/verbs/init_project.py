"""The work of `rftconf init`: it finds the configs of a folder, makes settings of them, and suggests next steps."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rftconf.base.errors import RftconfError, UsageError
from rftconf.lint import recognise_config as config_of
from rftconf.schemas import registry
from rftconf.text import toml
from rftconf.text.source import open_source
from rftconf.verbs.find_files import candidates
from rftconf.verbs.installation import install_line
from rftconf.verbs.open_input import read_source
from rftconf.verbs.read_arguments import Reading, framework_name

_OURS = re.compile(r"\s*\[\[?\s*tool\s*\.\s*rftconf\s*[.\]]")
_MOST = 2_000
"""Files that are looked at."""


@dataclass(frozen=True, slots=True)
class Config:
    """One config that was found; `release` is certain where no other fits as well."""

    file: str
    framework: str
    release: str
    certain: bool


@dataclass(frozen=True, slots=True)
class Start:
    """The settings' file, its whole new text, the configs that it speaks of and what else to do."""

    file: Path
    text: str
    configs: tuple[Config, ...]
    suggestions: tuple[str, ...]


def start(folder: Path, framework: str | None, release: str | None, *, pyproject: bool, force: bool) -> Start:
    """Look at a folder. Raises UsageError where there is no config, or settings that may not be written over."""
    if not folder.is_dir():
        raise UsageError(f"{folder} is no folder")
    name = framework_name(framework) if framework else None
    configs = _configs(folder, name)
    if not configs:
        raise UsageError(f"no config of a known framework in {folder}; name the folder they are in")
    families = Counter(registry.framework(config.framework).family for config in configs)
    family = name or (next(iter(families)) if len(families) == 1 else None)
    if release is not None and family is None:
        raise UsageError(f"the configs are for {_counted(families)}: say with --from whose release {release} is")
    if release is not None and family is not None:
        release = registry.release(registry.framework(family), release)
    settings = _settings(family, release, families, configs)
    file = folder / ("pyproject.toml" if pyproject else "rftconf.toml")
    text = _in_pyproject(file, settings, force=force) if pyproject else _alone(file, settings, force=force)
    return Start(file, text, configs, tuple(_suggestions(folder, configs, release)))


def _configs(folder: Path, name: str | None) -> tuple[Config, ...]:
    configs = []
    for candidate in candidates([str(folder)])[:_MOST]:
        try:
            document = read_source(open_source(candidate.path), candidate.path, Reading(name))
        except RftconfError:
            continue
        best = config_of.recognised(document, name, None) if config_of.is_config(document) else None
        if best is not None:
            configs.append(Config(candidate.path, best.framework, best.release, best.certain))
    return tuple(configs)


def _counted(families: Counter[str]) -> str:
    return ", ".join(f"{registry.framework(name).title} ({count})" for name, count in families.most_common())


def _settings(
    family: str | None, release: str | None, families: Counter[str], configs: tuple[Config, ...]
) -> list[str]:
    """Lines of TOML; what is not known stands as a comment, with what would be written there."""
    lines = [f"# Settings of rftconf check; `rftconf schema settings` describes them. Found: {_counted(families)}."]
    if family is None:
        lines.append('# framework = "…"  # several are used here: each file is guessed by itself')
    else:
        lines.append(f'framework = "{family}"')
    if release is not None:
        lines.append(f'release = "{release}"')
    else:
        guessed = Counter(config.release for config in configs if family is not None)
        best = guessed.most_common(1)[0][0] if guessed else "…"
        lines.append(f'# release = "{best}"  # the one you run; guessed for each file while it is not named')
    lines += [
        'severity = "warning"',
        "",
        "# What the machines have, so that a run that asks for more is found:",
        "# [cluster]",
        "# nodes = 1",
        "# gpus-per-node = 8",
        '# gpu = "h100-80g"',
    ]
    return lines


def _alone(file: Path, settings: list[str], *, force: bool) -> str:
    if file.exists() and not force:
        raise UsageError(f"{file} is there already; --force writes over it")
    return "\n".join(settings) + "\n"


def _in_pyproject(file: Path, settings: list[str], *, force: bool) -> str:
    """The project's own file with our section, and everything else in it as it was."""
    text = open_source(file).text
    try:
        before = toml.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{file}: {error}") from None
    tool = before.get("tool", {})
    if "rftconf" in tool and not force:
        raise UsageError(f"{file} has a section [tool.rftconf] already; --force writes over it")
    base = _without_section(text) if "rftconf" in tool else text
    section = "\n".join(["[tool.rftconf]", *(line.replace("[cluster]", "[tool.rftconf.cluster]") for line in settings)])
    new_text = f"{base.rstrip()}\n\n{section}\n".lstrip("\n")
    others = {name: value for name, value in tool.items() if name != "rftconf"}
    after = _parsed(new_text)
    if after is None or {**after, "tool": {**after["tool"], "rftconf": 0}} != {
        **before,
        "tool": {**others, "rftconf": 0},
    }:
        raise UsageError(f"{file}: [tool.rftconf] cannot be replaced without touching the rest; change it by hand")
    return new_text


def _parsed(text: str) -> dict[str, Any] | None:
    try:
        return toml.loads(text)
    except (ValueError, RecursionError):
        return None


def _without_section(text: str) -> str:
    """The text without the tables below tool.rftconf; the caller compares what is left with what was there."""
    lines, ours = [], False
    for line in text.splitlines(keepends=True):
        if line.lstrip().startswith("["):
            ours = _OURS.match(line) is not None
        if not ours:
            lines.append(line)
    return "".join(lines)


def _suggestions(folder: Path, configs: tuple[Config, ...], release: str | None) -> list[str]:
    suggestions = []
    yaml = [config for config in configs if config.file.endswith((".yaml", ".yml"))]
    kinds = Counter((config.framework, release or config.release) for config in yaml)
    for (framework, number), count in kinds.most_common(3):
        name = f"{framework}-{number}.schema.json"
        suggestions.append(
            f"completion in editors: rftconf schema {framework} --from-release {number} -o {name}\n"
            f"  and as the first line of its {count} YAML file{'s' * (count != 1)}:\n"
            f"  # yaml-language-server: $schema={name}"
        )
    suggestions.append(f"a language server for YAML and scripts: {install_line('lsp')}; then rftconf lsp")
    hooks = folder / ".pre-commit-config.yaml"
    where = f"in {hooks}" if hooks.exists() else "in a .pre-commit-config.yaml"
    suggestions.append(
        f"checks before each commit, {where}:\n"
        "  - repo: local\n"
        "    hooks:\n"
        "      - id: rftconf\n"
        "        name: rftconf check\n"
        "        language: system  # the rftconf that is on the path\n"
        "        entry: rftconf check\n"
        "        types_or: [yaml, shell]"
    )
    return suggestions


def report(start: Start, *, written: bool) -> str:
    """Return the report: the number of configs, the file of settings, and suggestions for the next steps."""
    count = len(start.configs)
    head = f"{'wrote' if written else 'would write'} {start.file}: {count} config{'s' * (count != 1)} found"
    return "\n\n".join([head, *start.suggestions]) + "\n"


def as_json(start: Start, *, written: bool) -> dict[str, Any]:
    """The report as plain JSON data."""
    return {
        "file": str(start.file),
        "written": written,
        "text": start.text,
        "configs": [
            {"file": c.file, "framework": c.framework, "release": c.release, "certain": c.certain}
            for c in start.configs
        ],
        "suggestions": list(start.suggestions),
    }
