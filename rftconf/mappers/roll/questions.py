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


def questions(writing: Writing) -> list[Decision]:
    """Do the rows have what ROLL looks for?"""
    if writing.trainer != "rlvr":
        return []
    why = (
        "ROLL reads json, jsonl, csv or parquet rows with a `tag` that assigns the domain, the prompt's column named here, and "
        "the answer in `ground_truth`, which the reward workers read (rows 7.1, 7.3)"
    )
    return [Decision("actor_train.data_args", why, ("check the columns", "or convert the data"))]
