"""What ROLL's config cannot say about a run that came from elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rftconf.ledger import Decision
from rftconf.mappers.placing import Target

if TYPE_CHECKING:
    from rftconf.mappers.writing import Writing

TARGET = Target(
    True, 0.8, "engines and trainer take turns on the same GPUs; what ROLL's own examples give them", either=True
)


READS = {
    "sft": ("sft_train", "a question and an answer in columns of plain text, named by prompt_key and response_key"),
    "dpo": ("actor_train", "`instruction`, and a chosen and a rejected answer, in columns of plain text"),
}
"""Pipelines that learn from data alone: the role that names the files, and what a row holds."""


def _samples(writing: Writing) -> list[Decision]:
    """Do files and rows have the one shape that the pipeline opens?"""
    role, rows = READS[writing.trainer]
    count = writing.items("stage.data.train")
    files = [writing.plan(f"stage.data.train[{i}].uri") for i in range(count)]
    kinds = {writing.plan(f"stage.data.train[{i}].prompt_type") for i in range(count)} - {None, "plaintext"}
    if kinds or not all(isinstance(file, str) and file.endswith((".json", ".jsonl")) for file in files):
        why = f"the pipeline opens JSON or JSON lines alone, with {rows}"
        return [
            Decision(
                f"{role}.data_args.file_name",
                why,
                ("convert the rows to such a file", "check the file and its columns"),
            )
        ]
    return []


def questions(writing: Writing) -> list[Decision]:
    """Do the rows have what ROLL looks for?"""
    if writing.trainer in READS:
        return _samples(writing)
    if writing.trainer != "rlvr":
        return []
    why = (
        "ROLL reads json, jsonl, csv or parquet rows with a `tag` that assigns the domain, the prompt's column named here, and "
        "the answer in `ground_truth`, which the reward workers read (rows 7.1, 7.3)"
    )
    return [Decision("actor_train.data_args", why, ("check the columns", "or convert the data"))]
