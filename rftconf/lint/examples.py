"""Rules' examples as a person would write them: overrides for veRL, YAML for the others."""

from __future__ import annotations

from rftconf.lint.rule import Example
from rftconf.schemas import registry
from rftconf.text import keys


def example_lines(example: Example) -> str:
    """The example's own lines; a key that it takes out is a comment."""
    out = [line for line in example.lines if not line.startswith("~")]
    missing = [f"# without {line[1:]}" for line in example.lines if line.startswith("~")]
    head = [f"# on {example.gpu}"] if example.gpu else []
    head += [example.script.rstrip()] if example.script else []
    if registry.framework(example.framework).adds_with_plus:
        return "\n".join([*head, *out, *missing]) or "# the key is left out"
    return "\n".join([*head, *(block(tree(out), 0) if out else []), *missing]) or "# the key is left out"


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
