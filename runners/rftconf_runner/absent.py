"""Local files that a job names and that are not there, found before anything starts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from rftconf_runner import judged
from rftconf_runner.framework_rewards import asks_in_text
from rftconf_runner.job import Job

BEGINNINGS, ENDINGS = ("/", "./", "../", "~"), (".parquet", ".json", ".jsonl")
"""What says of a name that it is a path: a model's of neither kind may be the hub's."""
PATTERN = "*?["
"""Marks of a name that stands for several files, which `datasets` finds."""


def absent(job: Job) -> list[str]:
    """List local files and folders that the job needs and that are absent: a sentence for each, with its plan field."""
    missing = [
        f"{field}: {path} is no {kind}{_home(path)}"
        for field, path, kind in _local_paths(job)
        if not _exists(path, kind)
    ]
    return list(dict.fromkeys([*missing, *_without_words(job)]))


def _without_words(job: Job) -> Iterator[str]:
    """Yield a sentence for each judge whose words are in a framework's code that is not here."""
    for source in job.rewards:
        try:
            if asks_in_text(source):
                judged.rolls_form(source.arguments["form_name"])
        except ValueError as error:
            yield str(error)


def _local_paths(job: Job) -> Iterator[tuple[str, str, str]]:
    """Field, path, and what has to be there, of all that is local."""
    for rows in job.data:
        if _is_local(rows.uri):
            yield "stage.data.train[].uri", rows.uri, "file or folder"
    for part in job.validation.sets if job.validation else ():
        if _is_local(part.rows.uri):
            yield "stage.data.eval[].uri (--no-validation runs without)", part.rows.uri, "file or folder"
    models = [("stage.model.path", job.model)]
    models += [("stage.model.tokenizer_path", job.tokenizer)] if job.tokenizer != job.model else []
    models += [("stage.model.critic_path", job.critic.model)] if job.critic else []
    models += [("stage.model_options.lora.path", job.lora.path)] if job.lora else []
    models += [("stage.placement.auxiliary[].path", grader.model) for grader in job.graders]
    yield from ((field, path, "folder") for field, path in models if path.startswith(BEGINNINGS))
    yield from (("stage.reward.function_path", source.path, "file") for source in job.rewards)


def _is_local(uri: str) -> bool:
    return uri.startswith(BEGINNINGS) or (uri.endswith(ENDINGS) and "://" not in uri)


def _exists(path: str, kind: str) -> bool:
    file = Path(path)
    if kind == "folder":
        return file.is_dir()
    return file.is_file() if kind == "file" else file.exists() or any(mark in path for mark in PATTERN)


def _home(path: str) -> str:
    """Return a clause on a leading `~`, which `datasets` and `transformers` do not read as a shell does; else empty."""
    return "; `~` is not read as your home folder here, write the whole path" if path.startswith("~") else ""
