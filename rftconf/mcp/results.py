"""The answer of each tool is typed, and short enough to be read by whoever asked."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, Field


class Result(BaseModel):
    """A tool answers with this."""


class Finding(Result):
    """A check found this."""

    code: str
    severity: str
    message: str
    help: str
    key: str
    line: int | None
    fix: str | None = Field(description="What a fix would do; the tool fix makes it.")
    safe: bool = Field(description="True where the fix leaves the run the same.")


class CheckResult(Result):
    """These are the findings about a config; it is clean where nothing is worse than a note."""

    framework: str | None
    release: str | None
    clean: bool
    counts: dict[str, int]
    findings: list[Finding]
    more: int = Field(description="How many further findings are not listed.")


class TextResult(Result):
    """A text was made; no file is written."""

    text: str
    changed: bool
    diff: str = Field(description="The change, as a unified diff.")
    withheld: bool = Field(description="True where secrets are left out of the text: apply the diff instead.")


class FixResult(TextResult, CheckResult):
    """The text has its fixes, and the findings are left to do by hand."""

    made: int


class WrittenFile(Result):
    """A conversion consists of such files; the caller writes them."""

    name: str
    text: str


class Decision(Result):
    """A person has to make this choice."""

    key: str
    why: str
    choices: list[str]


class LostKey(Result):
    """The target does not keep this key in full."""

    key: str
    state: str
    reason: str


class ConvertResult(Result):
    """The config stands here in the target's words, with what is lost, what changes the learning, and what is left to decide."""

    source_framework: str
    source_release: str
    target_framework: str
    target_release: str
    files: list[WrittenFile]
    counts: dict[str, int] = Field(description="How many keys of the source ended in each state.")
    lost: list[LostKey]
    learning: list[dict[str, Any]] = Field(description="Why the target's run learns otherwise, largest effect first.")
    decisions: list[Decision]
    errors: list[Finding] = Field(description="Errors that the check finds in what was written.")
    notes: list[str]
    ledger: dict[str, Any] | None


class Phase(Result):
    """A group of GPUs holds this much in one phase."""

    pool: str
    phase: str
    gib: float


class BudgetResult(Result):
    """The memory account tells whether the run fits, and where it is fullest."""

    verdict: str
    fits: bool
    gpu: str
    usable_gib: float
    nodes: int
    gpus_per_node: int
    model: str
    peak_gib: float
    headroom_gib: float
    deciding_phase: str
    phases: list[Phase]
    problems: list[str]
    notes: list[str]
    account: dict[str, Any] | None


class FitAnswer(Result):
    """This is one way to make it fit."""

    number: int
    question: str
    answer: str
    verdict: str | None
    changes: dict[str, Any] = Field(description="New values by plan field.")


class FitResult(Result):
    """These answers would fit; the text is there where one was applied."""

    before: BudgetResult
    answers: list[FitAnswer]
    written: TextResult | None
    after: BudgetResult | None = Field(description="The account of the written text.")
    by_hand: list[str] = Field(description="Changes that the text has no place for.")


class DiffResult(Result):
    """Two runs are the same, different, or it is unknown where a value is not told."""

    verdict: str
    same: bool
    a: dict[str, Any]
    b: dict[str, Any]
    counts: dict[str, int]
    causes: list[str] = Field(description="Why the two learn differently, largest effect first.")
    stages: list[dict[str, Any]]
    outside_the_plan: list[dict[str, Any]]


class ExplainResult(Result):
    """A subject has this page; several names fit where there is none."""

    subject: str
    kind: str = Field(description="code, hazard, dialect, key, field or list.")
    page: dict[str, Any] | None
    matches: list[dict[str, Any]] = Field(description="Names to choose from, where several fit.")


class MigrateResult(TextResult):
    """The config is rewritten for another release of its framework; the differences are not the same there."""

    framework: str
    from_release: str
    to_release: str
    faithful: bool
    edits: list[dict[str, Any]]
    pins: list[dict[str, Any]]
    differences: list[dict[str, Any]]
    notes: list[str]


class NewResult(Result):
    """This first config fits, by the account beside it."""

    text: str
    framework: str
    release: str
    recipe: dict[str, Any]
    model: str
    gpus: dict[str, Any]
    chosen: dict[str, Any]
    memory: dict[str, Any]
    unlike_the_recipe: list[str]
    decisions: list[Decision]
    findings: list[str]
