"""The site has more than docs/: pages that lie elsewhere in the tree, and a navigation of every page that there is."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[1]
ELSEWHERE = {
    "changelog.md": "CHANGELOG.md",
    "architecture.md": "ARCHITECTURE.md",
    "contributing.md": "CONTRIBUTING.md",
    "runner.md": "runners/README.md",
}
"""Page to its file."""
MAY_BE_ABSENT = {"migrating.md"}
FOLDERS = ("adr", "pairs", "support")
"""Entries of the navigation that stand for every page of a folder."""
PLACED = {"plan-fields.md"}
"""Pages of these folders that the navigation names elsewhere."""
_LINK = re.compile(r"\[([^\]]*)\]\(([^)\s]+)\)")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """The navigation without pages that are not written yet, and with every decision."""
    absent = {name for name in MAY_BE_ABSENT if not (Path(config.docs_dir) / name).exists()}
    config.nav = _present(config.nav, absent, Path(config.docs_dir))
    return config


def _present(nav: Any, absent: set[str], docs: Path) -> Any:
    if isinstance(nav, list):
        return [_present(item, absent, docs) for item in nav if not _names(item, absent)]
    if isinstance(nav, dict):
        return {title: _present(item, absent, docs) for title, item in nav.items()}
    if nav in FOLDERS:
        return [f"{nav}/{path.name}" for path in sorted((docs / nav).glob("*.md")) if path.name not in PLACED]
    return nav


def _names(item: Any, absent: set[str]) -> bool:
    return (
        item in absent
        if isinstance(item, str)
        else not absent.isdisjoint(v for v in item.values() if isinstance(v, str))
    )


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Files of the tree as pages."""
    for name, source in ELSEWHERE.items():
        files.append(File.generated(config, name, abs_src_path=str(ROOT / source)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Links out of docs/ lead to the page of that file, or stay the words they were."""
    home = ROOT / ELSEWHERE.get(page.file.src_uri, f"docs/{page.file.src_uri}")

    def led(match: re.Match[str]) -> str:
        words, target = match[1], match[2]
        path, mark, anchor = target.partition("#")
        if not path or "://" in path:
            return match[0]
        lies = (home.parent / path).resolve()
        named = next((page for page, source in ELSEWHERE.items() if (ROOT / source) == lies), None)
        if named is None and lies.is_relative_to(config.docs_dir):
            named = lies.relative_to(config.docs_dir).as_posix()
        if named is None or files.get_file_from_path(named) is None:
            return words
        up = "../" * page.file.src_uri.count("/")
        return f"[{words}]({up}{named}{mark}{anchor})"

    return _LINK.sub(led, markdown)


_CELL_CODE = re.compile(r"(?<=<code>)[^<]+(?=</code>)")
_ROW = re.compile(r"<td[^>]*>.*?</td>", re.DOTALL)


def on_page_content(html: str, **_: object) -> str:
    """Keys in tables may break behind their dots and underscores, and nowhere else."""

    def breakable(match: re.Match[str]) -> str:
        return re.sub(r"([._/])(?=\w)", r"\1<wbr>", match[0])

    return _ROW.sub(lambda cell: _CELL_CODE.sub(breakable, cell[0]), html)
