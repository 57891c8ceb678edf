"""What an inference engine would be started with, asked of its own names and rules: neither vLLM nor SGLang is installed here."""

import json
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path

from packaging.requirements import Requirement
from packaging.version import Version

NAMES = Path(__file__).with_suffix(".json")
"""Engine to version to the names of its arguments (scripts/extract_engine_arguments.py)."""
ENGINES = ("vllm", "sglang")


def asked_versions(engine, distribution):
    """What the package's metadata say of the engine's version, or None."""
    try:
        requirements = [Requirement(text) for text in requires(distribution) or ()]
    except PackageNotFoundError:  # imported from a checkout
        return None
    return next((entry.specifier for entry in requirements if entry.name == engine), None)


def known_names(engine, distribution):
    """The version nearest to what the package asks for and the names of its arguments; of every version without a package."""
    known = {Version(version): names.split() for version, names in json.loads(NAMES.read_text())[engine].items()}
    if distribution is None:
        return "of any version", {name for names in known.values() for name in names}
    request = asked_versions(engine, distribution)
    newest = max([version for version in known if request is None or version in request] or known)
    return str(newest), set(known[newest])


def check_names(engine, arguments, distribution, progress):
    """Raises where the engine of the version that `distribution` asks for has no such argument."""
    arguments = [name for name, value in (arguments or {}).items() if value is not None]
    if arguments:
        version, known = known_names(engine, distribution)
        progress.note(f"arguments of {engine} {version}")
        unread = [name for name in arguments if name not in known]
        assert not unread, f"[{engine} {version}] no argument {', '.join(unread)}"


def check_scheduler(*, sequences=None, tokens=None, longest=None, chunks=True):
    """Assert what vLLM's SchedulerConfig asserts: a step takes a token of every sequence, and without chunks a whole prompt."""
    if tokens is None:
        return
    assert sequences is None or tokens >= sequences, (
        f"max_num_batched_tokens ({tokens}) must be greater than or equal to max_num_seqs ({sequences})"
    )
    assert chunks or longest is None or tokens >= longest, (
        f"max_num_batched_tokens ({tokens}) is smaller than max_model_len ({longest}) without chunked prefill"
    )
