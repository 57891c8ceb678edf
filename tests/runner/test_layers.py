"""The runner reads plans; how configs become plans it does not know."""

from __future__ import annotations

from tests.sources import imports, modules, shown

KNOWN = ("rftconf.plan", "rftconf.base.symbols")
"""The plan, and the symbols in it."""


def test_the_runner_knows_the_plan_only() -> None:
    values = [(path, name, line) for path in modules("runners") for name, line in imports(path)]
    ours = [entry for entry in values if entry[1].split(".")[0] == "rftconf"]
    assert ours
    assert [f"{shown(path, line)}: {name}" for path, name, line in ours if not name.startswith(KNOWN)] == []
