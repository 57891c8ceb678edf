"""Secrets: no answer to an agent holds one, wherever it is planted."""

from __future__ import annotations

from typing import Any

import pytest

from rftconf.mcp import answers as agents
from rftconf.mcp.roots import Roots
from tests.base.secrets.forms import Planted
from tests.base.secrets.test_every_output import GROUPS, OTHER, PLACES, _command, _settings, parts


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("group", GROUPS, ids=[group[0].name for group in GROUPS])
def test_no_answer_to_an_agent_holds_a_secret(place: str, group: tuple[Planted, ...]) -> None:
    name, framework, written = PLACES[place]
    config = {"text": written(group), "name": name}
    calls: dict[str, dict[str, Any]] = {name: {"config": config, "gpu": "H100"} for name in ("check", "fix", "budget")}
    calls["convert"] = {"config": config, "to": OTHER[framework], "ledger": True}
    calls["diff"] = {"a": config, "b": {"text": _command(_settings())}}
    output = set()
    for tool, arguments in calls.items():
        body = agents.answer(Roots(), tool, arguments).body.decode()
        output |= {(tool, secret.name) for secret in group for part in parts(secret.secret) if part in body}
    assert output == set()
