"""This module answers the calls of agents, and gives the pages of rules and hazards."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from rftconf.base.errors import UsageError
from rftconf.mcp import memory, tools
from rftconf.mcp.names import HAZARDS, PAGE, PAGES, RULES, TOOLS
from rftconf.mcp.requests import checked
from rftconf.mcp.roots import Roots
from rftconf.service.answer import Answer, answered

FUNCTIONS: dict[str, Callable[[Any, Roots], Any]] = {
    "check": tools.check,
    "fix": tools.fix,
    "convert": tools.convert,
    "budget": memory.budget,
    "fit": memory.fit,
    "diff": tools.diff,
    "explain": tools.explain,
    "migrate": tools.migrate,
    "new": tools.new,
}
_FIRST = "python3 -m verl.trainer.main_ppo data.train_batch_size=8 actor_rollout_ref.model.path=Qwen/Qwen2.5-7B trainer.nnodes=1"


def warm_up() -> None:
    """Load what the first calls need while nobody has asked yet."""
    config = {"text": _FIRST}
    for name, more in (("convert", {"to": "trinity"}), ("check", {}), ("budget", {"gpu": "h100-80g"})):
        answer(Roots(), name, {"config": config, **more})


def answer(roots: Roots, name: str, fields: Mapping[str, Any]) -> Answer:
    """Answer a call; it never raises, and shows no secret."""
    return answered(lambda: _reply(roots, name, fields))


def _reply(roots: Roots, name: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    if name == PAGES:
        return {"pages": _pages()}
    if name == PAGE:
        return {"text": page(str(fields.get("address", "")))}
    if name not in TOOLS:
        raise UsageError(f"there is no tool {name:.80}; there are {', '.join(TOOLS)}")
    reply = FUNCTIONS[name](checked(TOOLS[name].request, fields), roots)
    return dict(reply.model_dump(mode="json"))


def page(address: str) -> str:
    """Return the page of a rule or a hazard. Raises UsageError for an address that has none."""
    from rftconf.lint import codes
    from rftconf.verbs.code_pages import hazard_text

    name = address.rpartition("/")[2].upper()
    text = None
    if address.startswith(RULES) and codes.about(name) is not None:
        text = codes.page(name)
    elif address.startswith(HAZARDS):
        text = hazard_text(name)
    if text is None:
        raise UsageError(f"there is no page {address:.200}; pages are {RULES}KEY001 and {HAZARDS}H28")
    return text


def _pages() -> list[dict[str, str]]:
    from rftconf.explain.hazards import HAZARDS as HAZARD_LIST
    from rftconf.lint.codes import every

    rules = [{"address": f"{RULES}{code}", "name": code, "title": title} for code, title in every().items()]
    hazards = [{"address": f"{HAZARDS}{h.name}", "name": h.name, "title": h.says} for h in HAZARD_LIST]
    return rules + hazards
