"""What is put before the judges: the corpus, and the launch scripts of ChatLearn's checkouts."""

from __future__ import annotations

from functools import cache

from rftconf.schemas.registry import CHATLEARN
from tests.conformance.environment import folder
from tests.corpus import Real, corpora

LARGE = {"671b": 32, "235b": 8, "next": 8}
"""Part of a model's name to the nodes of eight GPUs that its layout needs; one is enough for the others."""


def job(nodes: int) -> tuple[str, ...]:
    """What a job's environment says to ChatLearn's scripts: GPUs by node, and by the whole job (base_env.sh)."""
    return ("--set", "GPUS_PER_NODE=8", "--set", f"num_device={8 * nodes}")


def nodes_of(name: str) -> int:
    """Nodes for a script."""
    return next((nodes for part, nodes in LARGE.items() if part in name), 1)


def chatlearn_scripts(release: str) -> list[Real]:
    """ChatLearn's launch scripts, read where their template lies."""
    scripts = sorted((folder() / "releases" / f"chatlearn-{release}" / "scripts").rglob("*.sh"))
    return [
        Real(script.stem, CHATLEARN.name, release, ".sh", text, file=script, options=job(nodes_of(script.stem)))
        for script in scripts
        if "entrypoint.py grpo" in (text := script.read_text())
    ]


@cache
def sources() -> dict[str, list[Real]]:
    """Name to configs, of whatever is here."""
    scripts = {f"ChatLearn {release} scripts": chatlearn_scripts(release) for release in CHATLEARN.releases}
    return {name: reals for name, reals in (corpora() | scripts).items() if reals}
