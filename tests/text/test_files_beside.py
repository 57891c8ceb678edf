"""Files that a text names, looked for in the checkout that it stands in."""

from __future__ import annotations

from pathlib import Path

import pytest

from rftconf.text.files_beside import in_checkout_of_another
from rftconf.verbs.open_input import open_document
from rftconf.verbs.read_arguments import Reading

CONFIG = "recipe/eyes/configs/grpo.yaml"


@pytest.fixture
def script(tmp_path: Path) -> Path:
    """A script of a checkout, with a config in its recipe and another in a folder of a common name."""
    for name in (CONFIG, "config/grpo.yaml"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("actor_rollout_ref: {rollout: {n: 7}}\n")
    return tmp_path / "recipe" / "eyes" / "run.sh"


@pytest.mark.parametrize("root", ["base_dir", "/home/author/project", "a/b/c", "/"])
def test_a_path_of_another_machine_is_found_from_a_folder_that_both_have(script: Path, root: str) -> None:
    assert in_checkout_of_another(str(script), f"{root}/{CONFIG}") == script.parents[2] / CONFIG


@pytest.mark.parametrize(
    "expected", ["/home/author/config/grpo.yaml", "grpo.yaml", "/etc/passwd", f"../other/{CONFIG}", ""]
)
def test_a_file_that_only_has_the_same_name_is_another(script: Path, expected: str) -> None:
    assert in_checkout_of_another(str(script), expected) is None


def test_the_config_of_a_script_with_the_folders_of_its_author_is_read(script: Path) -> None:
    script.write_text(
        "ROOT=/home/author/project\n"
        "python3 -m verl.trainer.main_ppo --config-path=$ROOT/recipe/eyes/configs --config-name=grpo trainer.nnodes=1\n"
    )
    document = open_document(str(script), Reading())
    assert [leaf.value for leaf in document.leaves if leaf.key == "actor_rollout_ref.rollout.n"] == [7]


@pytest.mark.parametrize("started", ["run_base.sh", "other/run_other.sh"])
@pytest.mark.parametrize("root", ["/workspace/author/project", "/"])
def test_a_script_that_another_machine_has_elsewhere_is_read_in_the_checkout(
    tmp_path: Path, root: str, started: str
) -> None:
    """`bash "$PROJECT_ROOT/scripts/run_base.sh"`, where the root is the author's own."""
    script, base = tmp_path / "scripts" / "run.sh", tmp_path / "scripts" / started
    base.parent.mkdir(parents=True)
    base.write_text('python3 -m verl.trainer.main_ppo data.train_batch_size=64 "$@"\n')
    script.write_text(
        f'PROJECT_ROOT="${{PROJECT_ROOT:-{root}}}"\nbash "${{PROJECT_ROOT}}/scripts/{started}" trainer.nnodes=3\n'
    )
    document = open_document(str(script), Reading())
    assert {leaf.key: leaf.value for leaf in document.leaves} == {"data.train_batch_size": 64, "trainer.nnodes": 3}
