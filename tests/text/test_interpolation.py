"""Interpolations against OmegaConf."""

from __future__ import annotations

import re
import warnings
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from omegaconf import OmegaConf

from rftconf.base.symbols import Text, Value, Var
from rftconf.text.document import Leaf
from rftconf.text.key_tree import Tree
from rftconf.text.omegaconf.interpolation import Resolver, resolve_leaves
from rftconf.text.yaml.leaves import read_yaml

BASE = r"""
a: {b: 1, c: "x", d: [1, "${a.b}", 2.5], m: "???", n: null, t: true, k: b}
env: {home: "${oc.env:RFTCONF_HOME}"}
tasksets:
  - {path: p0, batch: "${a.b}"}
  - {path: "${tasksets[0].path}/1", batch: "${..[0].batch}"}
rel: {x: "${.y}", y: 5, z: {w: "${..y}", v: "${...top}"}}
top: T
"""
WRITTEN = r"""
${a.b} x${a.b}-${a.c} ${a.d[1]} ${a.d.0} ${oc.env:RFTCONF_HOME} ${oc.env:RFTCONF_NO,dflt} ${oc.env:RFTCONF_NO,1}
${oc.env:RFTCONF_NO,null} ${oc.env:RFTCONF_NO,${a.c}} ${oc.select:a.zz,3} ${oc.select:a.zz} ${oc.select:a.m,4}
${oc.select:a.b,9} ${oc.decode:'[1,2,{a:b}]'} \${a.b} \\${a.b} \\\${a.b} ${a.${a.k}}
${oc.decode:${oc.env:RFTCONF_NO,1e-5}} ${tasksets[1].path} ${tasksets.1.batch} ${rel.z.w} ${rel.z.v} ${rel.x}
${env.home}/${a.c} $a $$ $${a.b} ${a.n} ${a.t} ${nope} ${a.m} ${foo:1} ${a[b]} ${[a].b} ${a.b.c} ${a.} ${.top} ${..top}
${} ${a..b} ${a.d[5]} ${oc.env:} ${oc.select:.top} ${oc.select:a.zz,a/b} ${oc.select:a.zz,true} ${oc.select:a.zz,}
${oc.select:a.zz,"q"} ${oc.select:a.zz,'it\'s'} ${oc.select:a.zz,[]} ${oc.select:a.zz,[1,${a.b},"x"]}
${oc.create:{a:1,b:[2]}} ${oc.decode:null} ${oc.decode:"a:b"} ${a
"""
FORMS = WRITTEN.split()
SPACED = (
    r"""
${ a.b }|${oc.select: a.zz , 3 }|${oc.select:a.zz, 'q, ${a.c}'}|${oc.select:a.zz,1 2}|${oc.select:a.zz,\,}
${oc.select:a.zz,'a\\'}|${a.b} \\ ${a.c}|${oc.select:a.zz, {x: 1, y: ${a.b}}}|${oc.decode:'{a: [1, b c]}'}
${oc.select:a.zz,a${a.b}c}|${oc.select:a.zz,${a.b}${a.c}}|${oc.select:a.zz,a:b}|${oc.decode:' 1'}
""".strip()
    .replace("\n", "|")
    .split("|")
)
PIECES = st.sampled_from([*FORMS, *SPACED, " ", "x", "/", "\\", "'", '"', "{", "}", "${", ":", ",", "é"])
ENVIRONMENT = {"RFTCONF_HOME": "/home/u"}


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RFTCONF_HOME", "/home/u")
    monkeypatch.delenv("RFTCONF_NO", raising=False)


def resolver(extra: dict[str, Value]) -> Resolver:
    leaves, diagnostics = read_yaml("base", BASE)
    assert not diagnostics
    return Resolver({**{leaf.key: leaf.value for leaf in leaves}, **extra}, ENVIRONMENT)


def theirs(value: str) -> Any:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            config: Any = OmegaConf.create(BASE)
            config["here"] = value
            result = config.here
            return OmegaConf.to_container(result, resolve=True) if OmegaConf.is_config(result) else result
    except Exception:  # noqa: BLE001 - any of OmegaConf's errors, and Python's own from its resolvers
        return RuntimeError


def ours(value: str) -> Any:
    resolved = resolver({"here": value}).resolve("here")
    return RuntimeError if resolved.problem else resolved.value


@pytest.mark.parametrize("value", [*FORMS, *SPACED])
def test_each_form(value: str) -> None:
    if "here" not in value:
        assert repr(ours(value)) == repr(theirs(value))


@settings(max_examples=150, deadline=None)
@given(st.lists(PIECES, max_size=4).map("".join))
def test_any_text(value: str) -> None:
    result = theirs(value)
    if isinstance(result, str) and re.search(r"[\[{].*'\$\{", result):
        return  # a section within a text: OmegaConf shows what it holds unresolved, rftconf resolved
    assert repr(ours(value)) == repr(result), value


def test_a_section_within_a_text_is_shown_resolved() -> None:
    assert ours("x${a.d}") == "x[1, 1, 2.5]"


def test_every_key_of_a_tree() -> None:
    config = OmegaConf.create(BASE)
    for key in ("env.home", "tasksets[1].path", "tasksets[1].batch", "rel.x", "rel.z.w", "rel.z.v"):
        assert resolver({}).resolve(key).value == OmegaConf.select(config, key)


def test_the_keys_it_came_through() -> None:
    resolved = resolver({"here": "${tasksets[1].path}:${tasksets[1].batch}"}).resolve("here")
    assert resolved.value == "p0/1:1"
    assert resolved.through == ("tasksets[1].path", "tasksets[0].path", "tasksets[1].batch", "tasksets[0].batch", "a.b")


def test_an_environment_variable_stays_a_symbol() -> None:
    values: dict[str, Value] = {"a": "${oc.env:HOME}", "b": "${a}/x", "c": ["${b}", 1], "d": Text(("${a}/", Var("N")))}
    bare = Resolver(values)
    assert bare.resolve("a").value == Var("HOME")
    assert bare.resolve("b").value == Text((Var("HOME"), "/x"))
    assert bare.resolve("c").value == [Text((Var("HOME"), "/x")), 1]
    assert bare.resolve("d").value == Text((Var("HOME"), "/", Var("N")))
    assert Resolver(values, {"HOME": "/h"}).resolve("c").value == ["/h/x", 1]


def test_a_circle_is_told_with_its_chain() -> None:
    leaves, _ = read_yaml("f.yaml", "a: ${b}\nb: x${c.d}\nc:\n  d: ${a}\ne: 1\n")
    values, diagnostics = resolve_leaves(leaves)
    assert values["e"].value == 1
    assert values["a"].value == "${b}"
    assert {d.code for d in diagnostics} == {"SYN401"}
    assert diagnostics[0].message.endswith("a → b → c.d → a")
    assert str(diagnostics[0].place) == "f.yaml:1:4"


@pytest.mark.parametrize(
    ("value", "code", "words"),
    [
        ("${nope.x}", "SYN402", "no key nope.x"),
        ("${....a}", "SYN402", "above the top"),
        ("${a.m}", "SYN405", "must be given"),
        ("${a.b", "SYN403", "character 6"),
        ("${hydra:runtime.cwd}", "SYN404", "resolver hydra"),
    ],
)
def test_problems_are_told(value: str, code: str, words: str) -> None:
    resolved = resolver({"here": value}).resolve("here")
    assert resolved.code == code
    assert words in resolved.problem
    assert resolved.value == value


def test_defaults_fill_what_the_leaves_leave_out() -> None:
    leaves, _ = read_yaml("f", "a: ${d.x}\n")
    values, diagnostics = resolve_leaves(leaves, Tree({"d.x": "${d.y}", "d.y": 7, "a": 1}))
    assert not diagnostics
    assert (values["a"].value, values["a"].through) == (7, ("d.x", "d.y"))


def test_an_empty_mapping_by_default_holds_what_is_written_below_it() -> None:
    defaults = Tree({"actor.extra": {}, "ref.extra": "${actor.extra}"})
    written: dict[str, Value] = {"actor.extra.recompute": "full"}
    assert Resolver(written, defaults=defaults).resolve("ref.extra").value == {"recompute": "full"}


def test_growth_and_depth_are_bounded() -> None:
    doubling: dict[str, Value] = {"k0": "x" * 10, **{f"k{i}": f"${{k{i - 1}}}" * 10 for i in range(1, 12)}}
    assert Resolver(doubling).resolve("k11").code == "SYN406"
    chain: dict[str, Value] = {"k0": 1, **{f"k{i}": f"${{k{i - 1}}}" for i in range(1, 3000)}}
    assert Resolver(chain).resolve("k2999").code == "SYN406"
    assert Resolver({"k": "${a." * 5000}).resolve("k").code == "SYN403"
    assert Resolver({"k": "${oc.decode:" + "[" * 5000}).resolve("k").code == "SYN403"


def test_leaves_keep_their_places() -> None:
    leaves: tuple[Leaf, ...]
    leaves, _ = read_yaml("f", "a: 1\nb: ${a}\n")
    assert resolve_leaves(leaves)[0]["b"].value == 1
