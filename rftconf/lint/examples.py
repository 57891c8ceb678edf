"""Rules' examples as a person would write them: overrides for veRL, flags for OpenRLHF, YAML for the others."""

from __future__ import annotations

from rftconf.lint.rule import Example
from rftconf.schemas import registry
from rftconf.text import keys


def example_lines(example: Example) -> str:
    """The example's own lines; a key that it takes out is a comment."""
    out = [line for line in example.lines if not line.startswith("~")]
    known = registry.framework(example.framework)
    dashes = "--" if known.switches else ""
    missing = [f"# without {dashes}{line[1:]}" for line in example.lines if line.startswith("~")]
    head = [f"# on {example.gpu}"] if example.gpu else []
    head += [example.script.rstrip()] if example.script else []
    if known.adds_with_plus:
        return "\n".join([*head, *out, *missing]) or "# the key is left out"
    if known.switches:
        return "\n".join([*head, *flags(out), *missing]) or "# the flag is left out"
    return "\n".join([*head, *(block(tree(out), 0) if out else []), *missing]) or "# the key is left out"


def flags(lines: list[str]) -> list[str]:
    """`key=value` lines as flags; one that is true is a switch, one that is false a comment, a list several words."""
    out = []
    for line in lines:
        key, _, value = line.partition("=")
        words = " ".join(
            f"'{word.strip()}'" if " " in word.strip() or "{" in word else word.strip() for word in _words(value)
        )
        out.append(f"# without --{key}" if value == "false" else f"--{key}" if value == "true" else f"--{key} {words}")
    return out


def _words(value: str) -> list[str]:
    return value[1:-1].split(",") if value.startswith("[") and value.endswith("]") else [value]


def tree(lines: list[str]) -> dict[str | int, object]:
    """`key=value` lines as nested mappings, values as text."""
    root: dict[str | int, object] = {}
    for line in lines:
        key, _, value = line.partition("=")
        node = root
        *parents, last = keys.segments(key)
        for parent in parents:
            node = node.setdefault(parent, {})  # type: ignore[assignment]
        node[last] = value
    return root


def block(node: dict[str | int, object], indent: int) -> list[str]:
    """YAML lines; integer names are items of a list."""
    lines: list[str] = []
    pad = " " * indent
    for name, value in node.items():
        if isinstance(name, int):
            first, *more = block(value, indent + 2)  # type: ignore[arg-type]
            lines += [f"{pad}- {first.strip()}", *more]
        elif isinstance(value, dict):
            lines += [f"{pad}{name}:", *block(value, indent + 2)]
        else:
            lines.append(f"{pad}{name}: {value}")
    return lines
