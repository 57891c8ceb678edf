"""No forged certificate holds, whoever put its digest right: everything in it is computed again from the files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rftconf.certificate.canonical import canonical, digest_of
from rftconf.certificate.checks import differing_parts
from rftconf.cli.app import run
from rftconf.lint.rule import roll
from tests.certificate.forgeries import GIVEN, INVENTED, forgeries
from tests.certificate.making import rewrite
from tests.cli.scripts import GRPO, written
from tests.lint.bases import as_yaml
from tests.sources import ROOT

NAME = "grpo.yaml.certificate.json"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A conversion with as much asked as can be, and files that have nothing to do with it."""
    path = tmp_path_factory.mktemp("forged")
    (path / "common.sh").write_text("BATCH=64\n")
    (path / "other.sh").write_text("echo\n")
    text = GRPO.replace("BATCH=${BATCH:-256}\n", "source common.sh\n").replace(
        '"$@"', 'trainer.project_name=$NAME "$@"'
    )
    source = written(path, text)
    options = ["--set", "NAME=mine", "--args", "trainer.save_freq=3", "--rows", "7473", "--rollout-gpus", "6"]
    with pytest.MonkeyPatch.context() as inside:
        inside.chdir(path)
        expected = ["--to", "trinity", "-q", "-o", "grpo.yaml", "--certify", "--source", "common.sh"]
        assert run(["convert", Path(source).name, *expected, *options]) == 0
    return path


def verified(folder: Path, data: dict[str, Any]) -> int:
    forged = folder / "forged.json"
    forged.write_text(canonical({**data, "digest": digest_of(data)}))
    return run(["verify", str(forged), "-q", "-o", str(folder / "said")])


def test_what_was_written_holds(folder: Path) -> None:
    data = json.loads((folder / NAME).read_text())
    assert verified(folder, data) == 0, (folder / "said").read_text()
    request = data["request"]
    assert request["bindings"] == {"NAME": "mine"}
    assert request["arguments"] == ["trainer.save_freq=3"]
    assert (request["rows"], request["rollout_gpus"]) == (7473, 6)
    assert [source["file"] for source in request["sources"]] == ["common.sh"]


def test_no_entry_of_what_was_asked_can_be_forged(folder: Path) -> None:
    data = json.loads((folder / NAME).read_text())
    accepted_forgeries = [forgery.what for forgery in forgeries(data, GIVEN) if verified(folder, forgery.data) == 0]
    # 7,474 rows make the same number of batches: with that number too, all that is stated is true
    assert accepted_forgeries == ["request.rows: another"]


def test_no_entry_of_what_comes_out_can_be_forged(folder: Path) -> None:
    data = json.loads((folder / NAME).read_text())
    new_forgeries = [*forgeries(data, frozenset(data) - GIVEN - {"digest"})]
    assert len(new_forgeries) > 1000
    for forgery in new_forgeries[::11]:
        assert any(check.problems for check in differing_parts(forgery.data, data)), forgery.what


@pytest.mark.parametrize("what", INVENTED)
def test_nothing_can_be_invented(what: str, folder: Path) -> None:
    data = json.loads((folder / NAME).read_text())
    INVENTED[what](data, folder)
    assert verified(folder, data) in (1, 2)


def test_what_has_no_effect_is_not_certified(tmp_path: Path) -> None:
    source, out = written(tmp_path), tmp_path / "grpo.yaml"
    options = ["--set", "NOBODY=asks", "--set", "BATCH=128", "--env", "HOME"]
    assert run(["convert", source, "--to", "trinity", "-q", "-o", str(out), "--certify", *options]) == 0
    request = json.loads((tmp_path / NAME).read_text())["request"]
    assert (request["bindings"], request["from_environment"]) == ({"BATCH": "128"}, [])
    assert run(["verify", str(tmp_path / NAME), "-q"]) == 0


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "-1e999", "9" * 5000])
def test_numbers_that_json_does_not_have(number: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    forged = folder / "number.json"
    text = (folder / NAME).read_text()
    assert '"rows": 7473' in text
    forged.write_text(text.replace('"rows": 7473', f'"rows": {number}'))
    assert run(["verify", str(forged)]) == 2
    output = capsys.readouterr().err
    assert str(forged) in output
    assert "no certificate of rftconf's" in output


def test_a_key_that_stands_twice(folder: Path) -> None:
    forged = folder / "twice.json"
    text = (folder / NAME).read_text()
    forged.write_text(text.replace('"verdict": "different"', '"verdict": "same",\n  "verdict": "different"'))
    assert run(["verify", str(forged), "-q", "-o", str(folder / "said")]) == 1


def test_the_digest_is_of_the_content(folder: Path, tmp_path: Path) -> None:
    path = folder / "forged.json"
    path.write_text((folder / NAME).read_text())
    rewrite(path, lambda data: data.update(digest="0" * 64))
    assert run(["verify", str(path), "-q", "-o", str(tmp_path / "said")]) == 0
    path.write_text(path.read_text().replace(json.loads(path.read_text())["digest"], "0" * 64))
    assert run(["verify", str(path), "-q", "-o", str(tmp_path / "said")]) == 1


def test_a_script_that_is_read_beside_is_certified(tmp_path: Path) -> None:
    (tmp_path / "common.sh").write_text("BATCH=64\n")
    source, out = (
        written(tmp_path, GRPO.replace("BATCH=${BATCH:-256}\n", "source ./common.sh\n")),
        tmp_path / "grpo.yaml",
    )
    assert run(["convert", source, "--to", "trinity", "-q", "-o", str(out), "--certify"]) == 0
    path = tmp_path / NAME
    assert [entry["file"] for entry in json.loads(path.read_text())["request"]["also_read"]] == ["common.sh"]
    assert run(["verify", str(path), "-q"]) == 0
    (tmp_path / "common.sh").write_text("BATCH=64 # otherwise the same\n")
    assert run(["verify", str(path), "-q"]) == 1


def test_a_layout_without_effect_cannot_be_invented(tmp_path: Path) -> None:
    source = ROOT / "golden" / "convert" / "sft-back" / "input.yaml"
    out = tmp_path / "out.yaml"
    assert (
        run(["convert", str(source), "--to", "roll", "-q", "-o", str(out), "--certify", "--layout", "separated"]) == 0
    )
    path = tmp_path / "out.yaml.certificate.json"
    data = json.loads(path.read_text())
    assert data["request"]["layout"] is None
    assert run(["verify", str(path), "-q"]) == 0
    for layout in ("colocated", "separated"):
        data["request"]["layout"] = layout
        path.write_text(canonical({**data, "digest": digest_of(data)}))
        assert run(["verify", str(path), "-q", "-o", str(tmp_path / "said")]) == 1


def test_a_certificate_holds_whatever_is_withheld_in_it(tmp_path: Path) -> None:
    """The digest is of what is written: a key that the gate takes for a secret is withheld on both sides."""
    source = tmp_path / "run.yaml"
    source.write_text(
        f"{as_yaml(roll())}custom_envs:\n  Grid:\n    key: P@ssw0rd9xK\n    env_config: {{grid_vocab: {{'@': x}}}}\n"
    )
    out = tmp_path / "out.sh"
    assert run(["convert", str(source), "--to", "verl", "-q", "-o", str(out), "--certify"]) == 0
    path = tmp_path / "out.sh.certificate.json"
    assert "P@ssw0rd9xK" not in path.read_text()
    assert "grid_vocab.@" in path.read_text()
    assert run(["verify", str(path), "-q"]) == 0
