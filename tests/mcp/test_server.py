"""The server as the SDK's client sees it: tools with their types, resources, errors as answers."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest

pytest.importorskip("mcp")

from jsonschema import validate
from mcp import Client
from mcp.shared.exceptions import MCPError

from rftconf.mcp.names import TOOLS
from rftconf.service.workers import GONE, TOO_SLOW
from tests.mcp.client import GOLDEN, call, content_of, text_of, with_answers, with_client

CONFIG = {"path": "readme/input.sh"}
GOOD: dict[str, dict[str, Any]] = {
    "check": {"config": CONFIG},
    "fix": {"config": CONFIG},
    "convert": {"config": CONFIG, "to": "trinity"},
    "budget": {"config": CONFIG, "gpu": "h100-80g"},
    "fit": {"config": CONFIG, "gpu": "h100-80g", "apply": 1},
    "diff": {"a": CONFIG, "b": CONFIG},
    "explain": {"subject": "KEY001"},
    "migrate": {"config": CONFIG, "to_release": "0.9.1"},
    "new": {"framework": "verl", "algorithm": "grpo", "model": "Qwen/Qwen2.5-7B", "gpus": 8, "gpu": "h100-80g"},
}
BOMB = "a: &a [x, x]\n" + "".join(f"{b}: &{b} [*{a}, *{a}, *{a}, *{a}]\n" for a, b in pairwise("abcdefghijk"))
HOSTILE: dict[str, str] = {
    "bomb": BOMB + "algorithm: {algorithm_type: grpo}\nbuffer: {batch_size: 8}\n",
    "cycle": "a: &a [*a]\nalgorithm: {algorithm_type: grpo}\n",
    "function that calls itself": "f() { f; f; }\nf\npython3 -m verl.trainer.main_ppo data.train_batch_size=1\n",
    "loop without end": "while true; do X=$X$X; done\npython3 -m verl.trainer.main_ppo data.train_batch_size=$X\n",
    "NUL": "python3 -m verl.trainer.main_ppo\0\n",
    "lone surrogate": "python3 -m verl.trainer.main_ppo trainer.project_name=\ud800\n",
    "nothing": "",
    "deep": "[" * 50_000,
    "command": "$(touch made)\n`touch made`\npython3 -m verl.trainer.main_ppo data.train_batch_size=$(touch made)\n",
}


def test_every_tool_is_listed_with_types_and_changes_nothing() -> None:
    listed = with_client(lambda client: client.list_tools()).tools
    assert [tool.name for tool in listed] == list(TOOLS)
    assert set(GOOD) == set(TOOLS)
    for tool in listed:
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint
        assert tool.input_schema["additionalProperties"] is False
        assert tool.output_schema is not None
        assert (tool.description or "").endswith(".")


@pytest.mark.parametrize("name", GOOD)
def test_a_good_call_is_answered_as_its_type_says(name: str) -> None:
    async def ask(client: Client) -> Any:
        schemas = {tool.name: tool.output_schema for tool in (await client.list_tools()).tools}
        return schemas[name], await client.call_tool(name, GOOD[name])

    schema, result = with_client(ask, GOLDEN)
    validate(content_of(result), schema)
    assert json.loads(text_of(result)) == content_of(result)


@pytest.mark.parametrize("kind", HOSTILE)
@pytest.mark.parametrize("name", ["check", "fix", "convert", "budget", "diff", "migrate"])
def test_a_hostile_text_has_an_answer_or_a_sentence(name: str, kind: str) -> None:
    config = {"text": HOSTILE[kind].encode("utf-8", "replace").decode() if kind != "NUL" else HOSTILE[kind]}
    arguments = {"a": config, "b": config} if name == "diff" else {**GOOD[name], "config": config}
    result = call(name, arguments)
    text = text_of(result)
    assert "Traceback" not in text
    assert "defect in rftconf" not in text


@pytest.mark.parametrize(
    ("name", "arguments", "sentence"),
    [
        ("check", {}, "config: field required"),
        ("check", {"config": {}}, "either by `path` or by `text`"),
        ("check", {"config": {"text": "x", "path": "y"}}, "either by `path` or by `text`"),
        ("check", {"config": {"text": "x" * 10_000_000}}, "config.text: string should have at most"),
        ("check", {"config": {"text": "x", "unknown": 1}}, "config.unknown: extra inputs are not permitted"),
        ("convert", {"config": CONFIG, "to": "trinty"}, "did you mean trinity?"),
        ("convert", {"config": CONFIG, "to": "trinity", "style": "sh"}, "a trinity config is written as yaml"),
        ("budget", {"config": CONFIG, "gpu": "h1000"}, "h1000"),
        ("fit", {"config": CONFIG, "gpu": "h100-80g", "apply": 99}, "apply 99: there are"),
        ("explain", {"subject": "H99"}, "H99 is no diagnostic code"),
        ("diff", {"a": CONFIG, "b": CONFIG, "only": ["looks"]}, "looks"),
        ("migrate", {"config": {"path": "old-release/input.sh", "release": "0.5.0"}, "to_release": "0.9.1"}, "on_loss"),
        ("dance", {}, "there is no tool dance"),
    ],
)
def test_an_error_is_an_answer_with_a_sentence(name: str, arguments: dict[str, Any], sentence: str) -> None:
    result = call(name, arguments, GOLDEN)
    assert result.is_error
    assert sentence in text_of(result)
    assert len(text_of(result)) < 2_000


@pytest.mark.parametrize("reply", [TOO_SLOW, GONE])
def test_an_answer_that_does_not_come_is_a_sentence_too(reply: Any) -> None:
    result = with_answers(lambda client: client.call_tool("check", GOOD["check"]), lambda *_: reply)
    assert result.is_error
    assert text_of(result) == json.loads(reply.body)["error"]["message"]


def test_pages_of_rules_and_hazards_are_resources() -> None:
    async def ask(client: Client) -> Any:
        listed = (await client.list_resources()).resources
        templates = (await client.list_resource_templates()).resource_templates
        pages = [
            (await client.read_resource(uri)).contents[0] for uri in ("rftconf://rules/KEY001", "rftconf://hazards/H28")
        ]
        return listed, templates, pages

    listed, templates, pages = with_client(ask)
    assert {"rftconf://rules/KEY001", "rftconf://hazards/H28"} <= {str(entry.uri) for entry in listed}
    assert [entry.uri_template for entry in templates] == ["rftconf://rules/{code}", "rftconf://hazards/{id}"]
    assert pages[0].text.startswith("KEY001: a key that no release")
    assert pages[1].text.startswith("H28: veRL and Trinity divide")


@pytest.mark.parametrize(
    "address", ["rftconf://rules/NO001", "rftconf://hazards/H99", "file:///etc/passwd", "rftconf://x/y"]
)
def test_another_address_has_no_page(address: str) -> None:
    async def ask(client: Client) -> None:
        with pytest.raises(MCPError, match="there is no page"):
            await client.read_resource(address)

    with_client(ask)


def test_no_secret_is_repeated_and_a_text_without_it_says_so() -> None:
    secret = "hf_" + "aB3dE5gH7jK9mN1pQ3sT5vX7zA2cE4gI6k"
    text = f"export HF_TOKEN={secret}\npython3 -m verl.trainer.main_ppo data.train_bach_size=8 data.shuffle=False\n"
    for name in ("check", "fix", "convert", "budget", "migrate"):
        arguments = {**GOOD[name], "config": {"text": text}}
        assert secret not in text_of(call(name, arguments)), name
    assert content_of(call("fix", {"config": {"text": text}}))["withheld"] is True
