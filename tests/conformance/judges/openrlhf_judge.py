"""Would this release of OpenRLHF start with this script? Usage: openrlhf_judge.py RELEASE (see protocol.py).

A case is `{"id", "file", "starts": optional}`. Stages: `parse` (bash expands the words; the program's parser and checks,
and its `train` up to where Ray would start anything) and with `starts` also `start` (openrlhf_workers.py). A case with
`mathematics`, a list of seeds, asks what the functions make of random periods (openrlhf_mathematics.py). What comes back
is what the parser made of every flag.
"""

import copy
import os
import sys
import tempfile
from pathlib import Path
from unittest.mock import patch

import import_stubs
import openrlhf_mathematics
import openrlhf_start
import openrlhf_workers
from protocol import serve
from tiny_model import write_weights

SCRATCH = tempfile.TemporaryDirectory(prefix="rftconf_openrlhf_")
MODEL = Path(SCRATCH.name, "model")
"""The folder of the tiny model, which has weights there."""


def preload():
    """Import what the cases need, and give the tiny model weights."""
    write_weights(os.environ["RFTCONF_TINY_MODEL"], MODEL)
    openrlhf_workers.preload()


def judge_one(case, progress):
    """Return what OpenRLHF makes of a script; raises what OpenRLHF raises."""
    progress.stage = "parse"
    with patch.dict(sys.modules):
        args, _ = openrlhf_start.started(openrlhf_start.compiled(), Path(case["file"]).read_text())
    if "mathematics" in case:
        return openrlhf_mathematics.measure(copy.deepcopy(args), MODEL, case["mathematics"], progress)
    words = openrlhf_start.flat(args)
    if case.get("starts"):
        progress.stage = "start"
        openrlhf_workers.start(copy.deepcopy(args), MODEL, progress)
    return {"arguments": words}


if __name__ == "__main__":
    import_stubs.install(openrlhf_workers.GPU_PACKAGES, openrlhf_workers.VERSIONS)
    serve(judge_one, preload)
