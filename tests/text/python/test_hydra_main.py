"""`@hydra.main(...)` of a program: its folder and its config's name are read, and nothing is run."""

from __future__ import annotations

import pytest

from rftconf.text.python.hydra_main import HydraMain, hydra_main

PROGRAM = "import hydra\n\n@hydra.main({arguments})\ndef main(config):\n    pass\n"


@pytest.mark.parametrize(
    ("arguments", "folder", "name"),
    [
        ('config_path="config", config_name="ppo_trainer", version_base=None', "config", "ppo_trainer"),
        ('"./conf", "mine.yaml"', "conf", "mine"),
        ('config_path="../configs/rl"', "../configs/rl", ""),
        ('config_path="/data/configs", config_name="mine"', "/data/configs", "mine"),
        ('config_path="config", config_name=NAME', "config", ""),
    ],
)
def test_its_folder_and_name_are_read(arguments: str, folder: str, name: str) -> None:
    assert hydra_main(PROGRAM.format(arguments=arguments)) == HydraMain(folder, name)


@pytest.mark.parametrize(
    "text",
    [
        PROGRAM.format(arguments="config_path=FOLDER, config_name='mine'"),
        PROGRAM.format(arguments="config_path=None, config_name='mine'"),
        PROGRAM.format(arguments="version_base=None"),
        PROGRAM.format(arguments="config_path='pkg://mine.conf', config_name='mine'"),
        "import hydra\n\n@hydra.main\ndef main(config):\n    pass\n",
        "# hydra\n@other.main(config_path='config')\ndef main(config):\n    pass\n",
        "import hydra\n@hydra.main(config_path='config'\ndef main(:\n",
        "hydra" + "(" * 10_000,
        "@cli.main(config_path='config')\ndef main():\n    pass\n",
    ],
    ids=[
        "folder by a name",
        "no folder",
        "no arguments",
        "a package",
        "not called",
        "another's",
        "broken",
        "deep",
        "no hydra",
    ],
)
def test_a_folder_that_is_no_plain_text_is_not_guessed(text: str) -> None:
    assert hydra_main(text) is None
