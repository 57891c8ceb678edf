"""Overrides as leaves: places, symbols, conditions, duplicates."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from rftconf.base.diagnostics import Diagnostic, Severity
from rftconf.base.span import LineIndex, Place, Span
from rftconf.base.symbols import Arith, Branch, Expr, Text, Value, Var
from rftconf.text.document import Leaf, Mode
from rftconf.text.hydra.override_parser import Argument, PlacedArgument, TextArgument
from rftconf.text.hydra.overrides import read_overrides
from rftconf.text.read.read import read as read_document
from rftconf.text.source import Source

HERE = Place("run.sh", Span(0, 9, 1, 1))


def word(value: str | Expr, condition: str | None = None) -> PlacedArgument:
    return PlacedArgument(value, HERE, (), condition)


def lines(text: str) -> list[TextArgument]:
    index = LineIndex(text)
    arguments, new_index = [], 0
    for line in text.splitlines():
        arguments.append(TextArgument(line, "f", index, new_index))
        new_index += len(line) + 1
    return arguments


def read(words: Sequence[Argument]) -> tuple[list[Leaf], list[Diagnostic]]:
    overrides = read_overrides(words)
    return overrides.leaves, overrides.diagnostics


def values(*words: PlacedArgument) -> dict[str, Value]:
    leaves, diagnostics = read(words)
    assert not [d for d in diagnostics if d.code != "SYN301"], diagnostics
    return {leaf.key: leaf.value for leaf in leaves}


def test_modes_and_flattening() -> None:
    leaves, diagnostics = read(lines("a.b=1\n+c={x: 1, y: {z: [1]}}\n++d=[{p: 1}, 2]\n~e\n~f=3\ng=\nh@i.j=k"))
    assert not diagnostics
    assert [(leaf.key, leaf.value, leaf.mode) for leaf in leaves] == [
        ("a.b", 1, Mode.SET),
        ("c.x", 1, Mode.FORCE),
        ("c.y.z", [1], Mode.FORCE),
        ("d[0].p", 1, Mode.FORCE),
        ("d[1]", 2, Mode.FORCE),
        ("e", None, Mode.DELETE),
        ("f", 3, Mode.DELETE),
        ("g", "", Mode.SET),
        ("h@i.j", "k", Mode.SET),
    ]


def test_places() -> None:
    text = "a.b= 1\n+c={x: 'q r', y: [1, 2]}\n++d.e=  x y \n"
    leaves, _ = read(lines(text))
    assert [text[leaf.place.span.start : leaf.place.span.end] for leaf in leaves] == ["1", "'q r'", "[1, 2]", "x y"]
    assert [leaf.raw for leaf in leaves] == ["1", "'q r'", "[1, 2]", "x y"]
    assert [text[leaf.key_place.span.start : leaf.key_place.span.end] for leaf in leaves] == ["a.b", "c", "c", "d.e"]
    assert str(leaves[2].place) == "f:2:18"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (Text(("k=", Var("X"))), Var("X")),
        (Text(("k=", Var("HOME"), "/x")), Text((Var("HOME"), "/x"))),
        (Text(("k=[", Var("A"), "]")), [Var("A")]),
        (Text(("k=['", Var("A"), "', 1, x", Var("B"), "]")), [Var("A"), 1, Text(("x", Var("B")))]),
        (Text(("k='", Var("A"), " b'")), Text((Var("A"), " b"))),
        (Text(("k=a b ", Var("A"), "  ")), Text(("a b ", Var("A")))),
        (Text(("k=", Arith("*", Var("BS"), 4))), Arith("*", Var("BS"), 4)),
        (Text(("k=int(", Var("A"), ")")), Var("A")),
        (Text(("k=${oc.env:", Var("A"), "}")), Text(("${oc.env:", Var("A"), "}"))),
        (Text(("k=", Branch("c", "1", "2"))), Branch("c", 1, 2)),
        (Text(("k=[", Branch("c", "1e-6", "x"), "]")), [Branch("c", 1e-6, "x")]),
        (Branch("c", "k=1", "k=[2]"), Branch("c", 1, [2])),
        (Branch("c", "k=1", "k=1"), 1),
        (Text(("k={", Var("A"), ": 1}")), Text(("{", Var("A"), ": 1}"))),
        (Text(("k={", Var("A"), "}")), Text(("{", Var("A"), "}"))),
    ],
)
def test_unknown_parts(value: Expr, expected: Value) -> None:
    assert values(word(value)) == {"k": expected}


def test_unknown_parts_in_mappings() -> None:
    assert values(word(Text(("k={x: ", Var("A"), ", y: 1}")))) == {"k.x": Var("A"), "k.y": 1}


def test_a_hole_in_the_text_itself_is_text() -> None:
    leaves = read([word(Text(("k='\ufdd0", Var("A"), "'")))])[0]
    assert leaves[0].value == Text(("\ufdd0", Var("A")))


@pytest.mark.parametrize(
    "value", [Var("EXTRA"), Text((Var("K"), "=1")), Branch("c", "k=1", ""), Branch("c", "a=1", "b=1")]
)
def test_what_sets_unknown_keys_is_told(value: Expr) -> None:
    leaves, (diagnostic,) = read([word(value)])
    assert not leaves
    assert (diagnostic.code, diagnostic.severity) == ("SYN305", Severity.WARNING)
    assert "--set" in diagnostic.help


def test_a_sweep_over_unknown_values_is_still_a_sweep() -> None:
    assert [d.code for d in read([word(Text(("k=", Var("A"), ",", Var("B"))))])[1]] == ["SYN303"]


def test_given_twice() -> None:
    leaves, diagnostics = read(lines("a.b=1\nc=2\n+a.b=3\na.b=3"))
    assert [leaf.value for leaf in leaves] == [1, 2, 3, 3]
    assert [(d.code, str(d.place), str(d.related[0].place)) for d in diagnostics] == [
        ("SYN301", "f:3:2", "f:1:1"),
        ("SYN301", "f:4:1", "f:3:2"),
    ]
    assert diagnostics[0].message == "a.b is given twice; this one wins"
    assert diagnostics[1].message == "a.b is given twice; the same value"


def test_deleting_and_giving_anew_is_no_duplicate() -> None:
    assert not read(lines("~a\n+a=1\n~a"))[1]


def test_conditions_that_stay_open() -> None:
    assert values(word("k=1"), word("k=2", "[ c ]")) == {"k": Branch("[ c ]", 2, 1)}
    assert values(word("k=1", "[ c ]"), word("k=2", "! [ c ]")) == {"k": Branch("! [ c ]", 2, 1)}
    leaves, (diagnostic,) = read([word("k=1", "[ c ]")])
    assert not leaves
    assert "k is set only if [ c ]" in diagnostic.message


def test_hydra_itself() -> None:
    overrides = read_overrides(lines("hydra.run.dir=/x\nhydra/launcher=y\na=1"))
    assert [leaf.key for leaf in overrides.leaves] == ["a"]
    assert overrides.hydra == {"hydra.run.dir": "/x", "hydra/launcher": "y"}
    assert [d.code for d in overrides.diagnostics] == ["SYN306", "SYN306"]


def test_what_is_not_read_is_kept_as_such() -> None:
    overrides = read_overrides([word(Var("OPTS")), word(Branch("[ -n x ]", "a.b=1", "")), word("c.d=1")])
    assert [leaf.key for leaf in overrides.leaves] == ["c.d"]
    assert [unread.value for unread in overrides.unread] == [Var("OPTS"), Branch("[ -n x ]", "a.b=1", "")]
    assert all("--set" in unread.why for unread in overrides.unread)


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        (("a.b",), 'a.b is set only if [[ "${X}" == y ]], which is not known here; it is not read'),
        (("a.b", "c"), 'a.b, c are set only if [[ "${X}" == y ]], which is not known here; they are not read'),
        (("a", "b", "c", "d", "e"), 'a, b, c and 2 more are set only if [[ "${X}" == y ]], which is not known here; they are not read'),
    ],
)  # fmt: skip
def test_one_condition_is_told_once(keys: tuple[str, ...], message: str) -> None:
    source = " ".join(f"{key}=1" for key in keys)
    script = f'ARGS=(data.seed=1)\nif [[ $X == y ]]; then ARGS+=({source}); fi\npython3 -m verl.trainer.main_ppo "${{ARGS[@]}}"\n'
    document = read_document(Source("run.sh", script))
    assert [d.message for d in document.diagnostics if d.code == "SYN305"] == [message]
