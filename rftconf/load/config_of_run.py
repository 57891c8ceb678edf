"""A run keeps its config in its folder: Hydra's, Weights & Biases' and our runner's are known by their places."""

from __future__ import annotations

from pathlib import Path

from rftconf.base.errors import UnreadableError

KEPT = (".hydra/config.yaml", "files/config.yaml", "plan.json")
"""Places of the config below the folder of a run: hydra.run.dir, a run of `wandb`, `rftconf run -o`."""
BESIDE_OVERRIDES = "config.yaml"
"""The config in Hydra's own folder, which has the overrides beside it."""


def config_of_run(folder: str) -> str:
    """Return the file in which a run's folder keeps its config, or the config in Hydra's own folder.

    Raises UnreadableError for a folder that has none, and for one that has several.
    """
    path = Path(folder)
    if (path / "overrides.yaml").is_file() and (path / BESIDE_OVERRIDES).is_file():
        return str(path / BESIDE_OVERRIDES)
    files = [place for place in KEPT if (path / place).is_file()]
    if len(files) == 1:
        return str(path / files[0])
    if files:
        listed = " and ".join(files)
        raise UnreadableError(f"is a directory with {listed}; name one of them", file=folder)
    places = " nor ".join(KEPT)
    raise UnreadableError(f"is a directory, and no folder of a run: it has neither {places}; name a file", file=folder)
