"""Which release rftconf takes veRL's own example scripts for, beside the release that they were shipped with.

`python -m benches.release_guess CLONE [--folder FOLDER] [-o FILE.json]`, with a clone of veRL's repository. The launch
scripts below examples/ and recipe/ are read as each release has them; nothing is executed. A script ends as one of:

exact      the release that is assumed is the one that it was shipped with
candidate  another one is assumed, and its own is named among those that fit as well
wrong      its own release is not among them
other      it starts no program of veRL's that is catalogued, or cannot be read

FOLDER holds configs of whatever release: how many findings of `rftconf check` hang on the guess, and how many errors do.
"""

from __future__ import annotations

import argparse
import datetime
import io
import json
import subprocess
import tarfile
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rftconf.base.diagnostics import Severity
from rftconf.base.errors import RftconfError
from rftconf.lint.engine import Options, check
from rftconf.lint.recognise_config import recognised
from rftconf.load.recognise import recognise
from rftconf.schemas.registry import VERL, started_by, variants
from rftconf.verbs.open_input import open_document
from rftconf.verbs.read_arguments import Reading

FOLDERS = ("examples", "recipe")
TAGS = {release: f"v{VERL.published.get(release, release)}" for release in VERL.releases}
ENDS = ("exact", "candidate", "wrong", "other")
Row = dict[str, Any]


def list_scripts(clone: Path, revision: str, folder: Path) -> Iterator[Path]:
    """Unpack the launch scripts of `revision` into `folder` and yield them in a fixed order."""
    listed = subprocess.run(
        ["git", "-C", str(clone), "ls-tree", "-r", "--name-only", revision, *FOLDERS],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    paths = [path for path in listed.stdout.splitlines() if path.endswith(".sh")]
    if not paths:
        return
    packed = subprocess.run(["git", "-C", str(clone), "archive", revision, *paths], check=True, capture_output=True)
    with tarfile.open(fileobj=io.BytesIO(packed.stdout)) as files:
        files.extractall(folder, filter="data")
    yield from (folder / path for path in paths if (folder / path).is_file())


def judge_script(path: Path, release: str) -> tuple[str, str, tuple[str, ...]]:
    """How the guess for one script ends, the release that is assumed, and the others that fit as well."""
    try:
        document = open_document(str(path), Reading())
        program = document.launch.program if document.launch else ""
        if not document.leaves or not started_by(program, variants("verl")):
            return "other", "", ()
        guess = recognise(document)
    except RftconfError:
        return "other", "", ()
    ends = "exact" if guess.release == release else "candidate" if release in guess.also else "wrong"
    return ends, f"{guess.framework} {guess.release}", guess.also


def measure(clone: Path, release: str, revision: str) -> Row:
    """Counts of one release, and each script that is taken for the wrong one."""
    counts, wrong, among = Counter[str](), list[Row](), Counter[int]()
    with tempfile.TemporaryDirectory() as name:
        for path in list_scripts(clone, revision, Path(name)):
            ends, assumed, also = judge_script(path, release)
            counts[ends] += 1
            if ends != "other":
                among[1 + len(also)] += 1
            if ends == "wrong":
                wrong.append({"script": str(path.relative_to(name)), "taken_for": assumed, "or": list(also)})
    return {
        "release": release,
        "revision": revision,
        **{end: counts[end] for end in ENDS},
        "candidates": dict(sorted(among.items())),
        "taken_for_others": wrong,
    }


def count_bound(folder: Path) -> Row:
    """Count over the configs below a folder: errors, findings that were loosened, and errors that only the guess has."""
    counts = Counter[str]()
    for path in sorted(p for p in folder.rglob("*") if p.suffix in (".sh", ".yaml", ".yml") and ".git" not in p.parts):
        try:
            document = open_document(str(path), Reading())
            best = recognised(document, None, None)
        except RftconfError:
            continue
        if best is None:
            continue
        diagnostics = check(document, Options(fixes=False))
        errors = [
            diagnostic
            for diagnostic in diagnostics
            if diagnostic.severity is Severity.ERROR and diagnostic not in document.diagnostics
        ]
        counts["files"] += 1
        counts["files with one release that fits"] += not best.also
        counts["errors"] += len(errors)
        counts["findings that hang on the guess"] += sum(
            "which the file fits as well" in diagnostic.message for diagnostic in diagnostics
        )
        for release in best.also if errors else ():
            loose = {(o.code, o.key, o.place) for o in check(document, Options(best.framework, release, fixes=False))}
            counts["errors that hang on the guess"] += sum((o.code, o.key, o.place) not in loose for o in errors)
    return dict(counts) | {"errors that hang on the guess": counts["errors that hang on the guess"]}


def known_tags(clone: Path) -> dict[str, str]:
    """Releases that the clone has a tag of, and its newest commit for the newest release where there is none."""
    have = set(
        subprocess.run(["git", "-C", str(clone), "tag"], check=True, capture_output=True, text=True).stdout.split()
    )
    tags = {release: tag for release, tag in TAGS.items() if tag in have}
    return tags | ({} if VERL.newest in tags else {VERL.newest: "HEAD"})


def main() -> None:
    """Command line: the clone, and where the figures go."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clone", type=Path)
    parser.add_argument("--folder", type=Path, help="configs of whatever release")
    parser.add_argument("-o", "--output", type=Path)
    args = parser.parse_args()
    rows = [measure(args.clone, release, tag) for release, tag in known_tags(args.clone).items()]
    print(f"{'release':<10}{'revision':<14}" + "".join(f"{end:>10}" for end in ENDS))
    for row in rows:
        print(f"{row['release']:<10}{row['revision']:<14}" + "".join(f"{row[end]:>10}" for end in ENDS))
    bound = count_bound(args.folder) if args.folder else {}
    for what, count in bound.items():
        print(f"{count:>8} {what}")
    if args.output:
        report = {"date": datetime.date.today().isoformat(), "releases": rows, "folder": bound}
        args.output.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
