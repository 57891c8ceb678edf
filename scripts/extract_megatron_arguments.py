"""Extract what ROLL's Megatron workers take in strategy_config, into rftconf/schemas/roll/megatron_arguments.json.

strategy_config becomes keyword arguments of mcore_adapter's TrainingArguments, which extends Hugging Face's, so that
another name stops the worker. The fields of the first are read from a clone of ROLL's repository (--clone roll=FOLDER)
at the revisions that the registry names, those of the second from the Python beside --packages. --check writes nothing
and fails when the committed file differs.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "scripts")]

from class_fields import annotated_fields  # noqa: E402
from generated import clones_of, keep_and_tell, parser_of  # noqa: E402

from rftconf.schemas.registry import ROLL  # noqa: E402
from rftconf.schemas.roll.megatron_arguments import FILE  # noqa: E402

SOURCE = "mcore_adapter/src/mcore_adapter/training_args.py"
OWN = ("DistributingParallelArguments", "MegatronArguments")
INHERITED = (
    "import dataclasses, json, transformers; "
    "print(json.dumps([field.name for field in dataclasses.fields(transformers.TrainingArguments)]))"
)


def main() -> int:
    """Write or check the data file; 1 when a check finds a difference."""
    args = parser_of(__doc__, "folder of the unpacked releases; ../venv has transformers").parse_args()
    clone = clones_of(args.clone).get("roll")
    if clone is None:
        print("roll: left out, no --clone roll=FOLDER")
        return 0

    def git(*arguments: str) -> str:
        return subprocess.run(["git", "-C", clone, *arguments], check=True, capture_output=True, text=True).stdout

    python = args.packages.resolve().parent / "venv/bin/python"
    inherited = json.loads(subprocess.run([python, "-c", INHERITED], check=True, capture_output=True, text=True).stdout)
    own = {
        release: annotated_fields(git("show", f"{revision}:{SOURCE}"), OWN)
        for release, revision in ROLL.revisions.items()
    }
    data = {
        "source": f"{SOURCE} of each release, and transformers.TrainingArguments, by scripts/{Path(__file__).name}",
        "licence": "Apache-2.0",
        "releases": own,
        "inherited": inherited,
    }
    text = json.dumps(data, indent=1) + "\n"
    return int(keep_and_tell(FILE, text, f"{len(text):,} characters", check=args.check) and args.check)


if __name__ == "__main__":
    sys.exit(main())
