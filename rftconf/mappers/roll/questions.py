"""ROLL's config cannot say everything about a run that came from elsewhere; a person is asked for the rest."""

from __future__ import annotations

from dataclasses import replace

from rftconf.base.ledger import Decision, State
from rftconf.mappers.context import WriteContext
from rftconf.mappers.images import columns_of_images
from rftconf.mappers.placing import Target
from rftconf.plan.origin import Kind

TARGET = Target(
    True, 0.8, "engines and trainer take turns on the same GPUs; what ROLL's own examples give them", either=True
)


SPREAD = {
    **dict.fromkeys(("actor_train", "sft_train", "student"), "actor"),
    "reference": "reference",
    "critic": "critic",
}
"""Roles that FSDP may spread a sequence in, and their worker in the plan."""
FILLED = {"actor_train": "log_prob", "reference": "reference", "critic": "critic_infer"}
"""Roles that compute without gradients, and the size of their micro-batches in the plan."""
READS = {
    "sft": ("sft_train", "a question and an answer in columns of plain text, named by prompt_key and response_key"),
    "dpo": ("actor_train", "`instruction`, and a chosen and a rejected answer, in columns of plain text"),
}
"""Pipelines that learn from data alone: the role that names the files, and what a row holds."""


def _samples(writing: WriteContext) -> list[Decision]:
    """Ask whether files and rows have the one shape that the pipeline opens."""
    role, rows = READS[writing.trainer]
    count = writing.items("stage.data.train")
    files = [writing.plan(f"stage.data.train[{i}].uri") for i in range(count)]
    kinds = {writing.plan(f"stage.data.train[{i}].prompt_type") for i in range(count)} - {None, "plaintext"}
    if kinds or not all(isinstance(file, str) and file.endswith((".json", ".jsonl")) for file in files):
        why = f"the pipeline opens JSON or JSON lines alone, with {rows}"
        choices = ("convert the rows to such a file", "check the file and its columns")
        return [Decision(f"{role}.data_args.file_name", why, choices)]
    return []


def complete(writing: WriteContext) -> None:
    """Write values that keep ROLL's assertions where its defaults do not."""
    _cap(writing)
    _shard(writing)


def _cap(writing: WriteContext) -> None:
    """Batches that are filled with tokens need their number, which has no default (dynamic_batching_shard)."""
    for role, block in FILLED.items():
        switch, path = (f"stage.batch.{block}.{field}" for field in ("dynamic", "tokens_per_rank"))
        key, origin = f"{role}.max_tokens_per_microbatch_in_infer", writing.origins.get(switch)
        if writing.plan(switch) is not True or origin is None or origin.kind is Kind.DEFAULT or key not in writing.out:
            continue
        if writing.plan(path) is not None:
            writing.out[key] = replace(writing.out[key], always=True)


def _shard(writing: WriteContext) -> None:
    """A role that spreads a sequence says how many GPUs share its weights: fsdp2_strategy asserts that it is not fewer."""
    for role, place in SPREAD.items():
        spread = writing.out.get(f"{role}.model_args.ulysses_size")
        key = f"{role}.strategy_args.strategy_config.fsdp_size"
        if spread is None or spread.value in (None, 1) or (key in writing.out and writing.out[key].value is not None):
            continue
        gpus = writing.plan(f"stage.placement.{place}.gpus") or writing.plan("stage.placement.actor.gpus")
        if gpus is not None:
            how = "all GPUs of the role: its default, 1, is below ulysses_size (fsdp2_strategy asserts it)"
            writing.put(key, gpus, f"stage.placement.{place}.sp", state=State.DERIVED, how=how)


def questions(writing: WriteContext) -> list[Decision]:
    """Ask whether the rows have what ROLL looks for."""
    if writing.trainer in READS:
        return _samples(writing)
    if writing.trainer != "rlvr":
        return []
    columns = columns_of_images(writing)
    if columns:
        return [_with_images(columns)]
    why = (
        "ROLL reads json, jsonl, csv or parquet rows with a `tag` that assigns the domain, the prompt's column named here, and "
        "the answer in `ground_truth`, which the reward workers read"
    )
    return [Decision("actor_train.data_args", why, ("check the columns", "or convert the data"))]


def _with_images(columns: tuple[str, ...]) -> Decision:
    """Ask for the program that reads images; it opens columns of fixed names (vlm_dataset_utils.get_vlm_dataset)."""
    why = (
        f"rows may hold images (column {' and '.join(columns)}), which ROLL's RLVR program drops: where they do, start "
        "examples/start_rlvr_vl_pipeline.py instead. It opens rows with the columns prompt, images, data_source and "
        "reward_model.ground_truth, whatever is named here"
    )
    return Decision("actor_train.data_args", why, ("check the columns and the program", "or convert the data"))
