"""SARIF, GitHub, GitLab, JUnit. SARIF's own schema is asked in test_sarif_schema."""

from __future__ import annotations

import json
from typing import Any
from xml.etree import ElementTree

from rftconf.base.diagnostics import Diagnostic, Fix, Label, Severity
from rftconf.base.patch import Patch
from rftconf.base.span import LineIndex, Place
from rftconf.report import machine

TEXT = "a: 1\nb: <2>\n"
LINES = LineIndex(TEXT)
FOUND = [
    Diagnostic("BAT001", Severity.ERROR, "100 % wrong\nindeed", Place("d,ir/f.yaml", LINES.span(8, 11)),
               (Label(Place("d,ir/f.yaml", LINES.span(3, 4)), "here"),), "do it",
               Fix("set b", (Patch(LINES.span(8, 11), "3"),), safe=True)),
    Diagnostic("KEY011", Severity.INFO, "api_key=abcdefgh12345", Place("g.yaml", LINES.span(0, 1))),
]  # fmt: skip
TEXTS = {"d,ir/f.yaml": TEXT, "g.yaml": TEXT}
PAGES = {"BAT001": ("title", "why"), "KEY011": ("title", "why")}


def log() -> dict[str, Any]:
    data: dict[str, Any] = json.loads(machine.sarif(FOUND, TEXTS, ["x", "y"], PAGES))
    return data


def test_sarif_has_what_the_schema_requires() -> None:
    data = log()
    assert data["version"] == "2.1.0"
    assert data["$schema"].endswith("sarif-2.1.0.json")
    (run,) = data["runs"]
    assert set(run) <= {"tool", "columnKind", "results"}
    assert run["columnKind"] in ("utf16CodeUnits", "unicodeCodePoints")
    driver = run["tool"]["driver"]
    assert driver["name"] == "rftconf"
    assert len({rule["id"] for rule in driver["rules"]}) == len(driver["rules"])
    for result in run["results"]:
        assert result["level"] in ("none", "note", "warning", "error")
        assert result["message"]["text"]
        assert driver["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
        for location in result["locations"]:
            region = location["physicalLocation"]["region"]
            assert all(isinstance(value, int) and value >= 1 for value in region.values())
            assert location["physicalLocation"]["artifactLocation"]["uri"]


def test_sarif_places_fixes_and_related_places() -> None:
    first = log()["runs"][0]["results"][0]
    assert first["locations"][0]["physicalLocation"]["region"] == {
        "startLine": 2, "startColumn": 4, "endLine": 2, "endColumn": 7,
    }  # fmt: skip
    (change,) = first["fixes"][0]["artifactChanges"]
    assert change["replacements"][0]["insertedContent"]["text"] == "3"
    assert first["relatedLocations"][0]["message"]["text"] == "here"
    assert first["partialFingerprints"] == {"rftconf/v1": "x"}


def test_no_secret_leaves() -> None:
    whole = machine.sarif(FOUND, TEXTS, ["x", "y"], PAGES) + machine.github(FOUND) + machine.gitlab(FOUND, ["x", "y"])
    assert "abcdefgh12345" not in whole + machine.junit(FOUND, list(TEXTS))


def test_github_escapes() -> None:
    first = machine.github(FOUND).splitlines()[0]
    assert first == "::error file=d%2Cir/f.yaml,line=2,col=4,title=BAT001::100 %25 wrong%0Aindeed (do it)"


def test_gitlab() -> None:
    (first, _) = json.loads(machine.gitlab(FOUND, ["x", "y"]))
    assert (first["severity"], first["fingerprint"], first["location"]["lines"]["begin"]) == ("major", "x", 2)


def test_junit() -> None:
    root = ElementTree.fromstring(machine.junit(FOUND, list(TEXTS)))
    suite = root[0]
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    assert suite[0][0].tag == "failure"
    assert suite[1][0].tag == "system-out"
