"""Extract the names of what vLLM and SGLang are started with, into tests/conformance/judges/engine_arguments.json.

Usage: extract_engine_arguments.py WHEEL... : wheels of either, whose classes of arguments are read and not imported.
The start judges have neither engine (they need a GPU); a written argument must be one of these names.
"""

from __future__ import annotations

import json
import sys
import zipfile
from pathlib import Path

from class_fields import annotated_fields

FILE = Path(__file__).resolve().parents[1] / "tests" / "conformance" / "judges" / "engine_arguments.json"
SOURCES = {
    "vllm": ("vllm/engine/arg_utils.py", "vllm/entrypoints/openai/cli_args.py"),
    "sglang": ("sglang/srt/server_args.py",),
}
CLASSES = ("EngineArgs", "AsyncEngineArgs", "BaseFrontendArgs", "FrontendArgs", "ServerArgs")


def main() -> None:
    """Write the file: engine to version to names, as one text."""
    arguments: dict[str, dict[str, str]] = {"sglang": {}, "vllm": {}}
    for wheel in sorted(map(Path, sys.argv[1:])):
        engine, version = wheel.name.split("-")[:2]
        with zipfile.ZipFile(wheel) as packed:
            texts = [packed.read(name).decode() for name in SOURCES[engine]]
        arguments[engine][version] = " ".join(
            sorted({name for text in texts for name in annotated_fields(text, CLASSES)})
        )
    FILE.write_text(json.dumps(arguments, indent=1) + "\n")


if __name__ == "__main__":
    main()
