"""Which part of rftconf may import which others."""

from __future__ import annotations

FLOORS = (
    ("base",),
    ("plan", "text"),
    ("dialects", "schemas"),
    ("mappers", "report"),
    ("budget", "load", "metrics"),
    ("diff", "lint", "runs"),
    ("convert", "explain"),
    ("certificate", "migrate", "recipes"),
    ("service", "verbs"),
    ("api", "lsp", "studio"),
    ("mcp",),
    ("cli",),
)
"""Rooms from the ground up: one imports those on floors below its own, never one beside it or above."""

NEVER = {
    "text": {"plan"},
    # reads the plan and nothing that knows a framework's keys
    "budget": {"dialects", "mappers", "schemas"},
    "plan": {"text"},
    "runs": {"dialects", "mappers", "schemas", "text"},
    "report": {"mappers", "dialects"},
    "metrics": {"text", "dialects", "report"},
    # an output is judged by whoever wrote it, not while it is made
    "convert": {"lint"},
    "lsp": {"convert", "budget", "migrate"},
}
"""Rooms that lie lower and are none of a room's business all the same."""

MAY_IMPORT = {
    room: ({room, "_version"} | {lower for below in FLOORS[:number] for lower in below}) - NEVER.get(room, set())
    for number, floor in enumerate(FLOORS)
    for room in floor
}
