"""Every declared fork: its file is well formed, names keys that exist, and is found by its marks alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from rftconf.base.errors import UsageError
from rftconf.dialects import declaration
from rftconf.dialects.index import index_text
from rftconf.explain import dialect as explained
from rftconf.schemas import catalogue, registry
from rftconf.text.launch import marks

NAMES = declaration.all_names()


@pytest.mark.parametrize("name", NAMES)
def test_a_declaration_says_where_it_was_read(name: str) -> None:
    dialect = declaration.load(name)
    assert dialect.about.endswith(".")
    assert "/" in dialect.repository
    assert dialect.read_at
    assert all(fact.says and fact.source for fact in dialect.facts)
    assert all(named.source for named in dialect.names)


@pytest.mark.parametrize("name", NAMES)
def test_names_are_keys_of_the_framework(name: str) -> None:
    dialect = declaration.load(name)
    of = registry.framework(dialect.framework)
    known = [
        catalogue.load(of.name, release, trainer) for release in of.releases for trainer in of.trainers_of(release)
    ]
    unknown = {
        named.to
        for named in dialect.names
        if not named.to.endswith("*")
        and not any(
            new_catalogue.get(named.to) is not None or new_catalogue.is_node(named.to) for new_catalogue in known
        )
    }
    assert unknown == set()


@pytest.mark.parametrize("name", NAMES)
def test_marks_are_no_keys_of_the_release(name: str) -> None:
    """A fork is recognised by what its framework has not; else plain configs would be taken for it."""
    dialect = declaration.load(name)
    of = registry.framework(dialect.framework)
    mains = {main for framework in registry.variants(of.name) for main in framework.mains}
    assert mains.isdisjoint(dialect.programs)
    for release in of.releases:
        for trainer in of.trainers_of(release):
            known = catalogue.load(of.name, release, trainer)
            assert [key for key in dialect.keys if any(declaration.fits(name, key) for name in known.keys)] == []


def test_no_two_forks_share_a_program() -> None:
    programs = [program for name in NAMES for program in declaration.load(name).programs]
    assert len(programs) == len(set(programs))


def test_the_index_is_up_to_date() -> None:
    assert marks.INDEX.read_text(encoding="utf-8") == index_text()


def test_a_fork_is_one_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "new-fork.toml").write_text(
        'title = "New"\nframework = "verl"\nrelease = "0.4.1"\nrepository = "a/b"\nread_at = "1"\nabout = "New."\n'
        '[marks]\nprograms = ["new.main"]\n[[code]]\nfile = "new/main.py"\n[code.lacking]\n"new.key" = "does something"\n',
        encoding="utf-8",
    )
    monkeypatch.setattr(declaration, "FOLDER", tmp_path)
    declaration.load.cache_clear()
    try:
        assert declaration.all_names() == ("new-fork",)
        assert '"new.main"' in index_text()
        assert "new.key: does something" in explained.page("new")
    finally:
        declaration.load.cache_clear()


def test_a_misspelt_part_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bad.toml").write_text('titel = "x"\n', encoding="utf-8")
    monkeypatch.setattr(declaration, "FOLDER", tmp_path)
    with pytest.raises(ValueError, match="titel is no part of a declaration"):
        declaration.load("bad")


def test_an_unknown_name_says_which_are_known() -> None:
    with pytest.raises(UsageError, match=r"known: .*easyr1"):
        declaration.find("nobody")


def test_a_title_is_a_name_too() -> None:
    assert declaration.find("search-r1") is declaration.find("Search-R1")


def test_a_list_is_no_word_of_a_fork() -> None:
    """RAGEN has words for some keys; a config may give a list there, which no set of words can be asked for."""
    for name in declaration.all_names():
        dialect = declaration.load(name)
        for key in (*dialect.words, *(entry.key for entry in dialect.names if entry.words)):
            assert not dialect.takes_word(key, ["a"])
            assert not dialect.takes_word(key, {"a": 1})
