"""The certificate's own shape, typed: what is written, and what a file must be to be checked."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

MOST_FILES = 1_000
"""Files that a certificate names."""
VERSION = 1
"""Grows when a field changes its meaning or goes."""


class Piece(BaseModel):
    """Base of all parts: unknown fields are errors, and nothing is converted in silence."""

    model_config = ConfigDict(extra="forbid", strict=True)


class FileOf(Piece):
    """A file by its path as seen from the certificate's folder, and its SHA-256."""

    file: str
    sha256: str = Field(pattern="^[0-9a-f]{64}$")
    name: str = ""
    """Of an output: which part of the conversion it is; empty for the config of a single run."""


class AnswerOf(Piece):
    """An answer to a question of the conversion: the option or key that it is given to, and its value."""

    to: Literal["set", "assume", "rows", "rollout-gpus", "layout", "args", "key", "keep"]
    name: str = ""
    value: Any


class Request(Piece):
    """The parts of the request that the conversion depends on: enough to repeat it."""

    to: str
    to_release: str
    framework: str
    release: str
    rows: int | None = None
    rollout_gpus: int | None = None
    form: str = "auto"
    layout: str | None = None
    style: str | None = None
    adapters: str | None = None
    several: bool = False
    """Whether the stages of the run became files of their own."""
    launch: int | None = None
    arguments: list[str] = []
    bindings: dict[str, str] = {}
    """Variables that were given a value."""
    from_environment: list[str] = []
    """Names of variables that were let in; their values are not written."""
    withheld: list[str] = []
    """Names of variables whose values look like secrets; they are not written."""
    assume: dict[str, str] = {}
    answers: dict[str, AnswerOf] = {}
    """What a file of answers said, by question."""
    base: FileOf | None = None
    sources: list[FileOf] = []
    """Files that were named on the command line because the script reads them."""
    also_read: list[FileOf] = []
    """Files that lie beside the source, and that it names."""


class RunOf(Piece):
    """One side: framework, release, and the two names of its plan."""

    framework: str
    release: str
    math_id: str
    plan_id: str


class Invariant(Piece):
    """A derived total with its value on each side; `same` is null where nobody can tell."""

    stage: int
    name: str
    unit: str
    formula: str
    mathematics: bool
    source: Any
    target: Any
    same: bool | None


class Differing(Piece):
    """A plan field that is not the same, and what the ledger says of it."""

    stage: int
    path: str
    group: str
    effect: Literal["mathematics", "measurement", "performance", "bookkeeping"]
    does: str
    certain: bool
    source: dict[str, Any]
    target: dict[str, Any]
    ledger: list[str]


class Certificate(Piece):
    """A conversion's statement about itself. It can be computed again from the files that it names; it is no signature."""

    certificate_version: Literal[1] = 1
    rftconf: str
    """The version that wrote it."""
    source: FileOf
    outputs: list[FileOf]
    request: Request
    source_run: RunOf
    target_run: RunOf
    verdict: Literal["same", "different", "cannot be compared"]
    mathematics: Literal["same", "different", "cannot be compared"]
    """The verdict over the mathematics alone."""
    stages_only_in_source: list[str]
    stages_only_in_target: list[str]
    invariants: list[Invariant]
    differences: list[Differing]
    ledger: dict[str, Any]
    """The account of every key, as `--ledger` writes it; files as seen from the certificate's folder."""
    digest: str = Field(pattern="^[0-9a-f]{64}$")
    """SHA-256 of everything else in canonical form: says that nobody changed it unawares, not who wrote it."""
