"""A plan as a tree and as YAML."""

from __future__ import annotations

import yaml

from rftconf.base.span import Place, Span
from rftconf.plan.origin import Kind, Origin
from rftconf.report.plan import flat, plan_tree, plan_yaml, reasons_of
from rftconf.report.screen import Screen

SYMBOL = {"$expr": "BS * 4", "shell": "$((BS * 4))", "names": ["BS"]}
DATA = {
    "plan_version": 2,
    "cluster": {"nodes": 1, "gpus_per_node": None},
    "stages": [{"batch": {"prompts": SYMBOL, "passes": 1}, "empty": {}, "list": ["a", "b"]}, {"kind": "rl"}],
    "extensions": {"verl": {"a.b": 1}},
}
ORIGINS = {
    "cluster.nodes": Origin(Kind.DEFAULT, ("trainer.nnodes",)),
    "stages[0].batch.prompts": Origin(Kind.WRITTEN, ("data.train_batch_size", "x"), "BS x 4"),
}
PLACES = {"data.train_batch_size": Place("dir/run.sh", Span(0, 1, 7, 5))}


def test_tree() -> None:
    assert plan_tree(DATA, reasons_of(ORIGINS, PLACES), Screen(80)) == (
        "plan_version: 2\n"
        "cluster\n"
        "  nodes: 1                                    default from trainer.nnodes\n"
        "stages[0]\n"
        "  batch\n"
        "    prompts: BS * 4                           written from data.train_batch_size (run.sh:7), x: BS x 4\n"
        "    passes: 1\n"
        '  list: ["a", "b"]\n'
        "stages[1]\n"
        "  kind: rl\n"
        "extensions\n"
        "  verl: {a.b: 1}\n"
    )


def test_yaml_holds_what_is_set() -> None:
    text = plan_yaml(DATA, reasons_of(ORIGINS, PLACES))
    assert yaml.safe_load(text) == {
        "plan_version": 2,
        "cluster": {"nodes": 1, "gpus_per_node": None},
        "stages": [{"batch": {"prompts": SYMBOL, "passes": 1}, "empty": {}, "list": ["a", "b"]}, {"kind": "rl"}],
        "extensions": {"verl": {"a.b": 1}},
    }
    assert "  nodes: 1  # default from trainer.nnodes\n" in text


def test_flat_keeps_keys_with_dots_whole() -> None:
    assert dict(flat(DATA))["extensions.verl"] == {"a.b": 1}
