"""A config that stands below a section of another file is read from there, and that is said."""

from __future__ import annotations

import pytest

from rftconf.base.errors import UnreadableError
from rftconf.load.load import load
from rftconf.load.wrapped import unwrapped
from rftconf.text.document import WRAPPED, Document
from rftconf.text.read.read import read
from rftconf.text.source import Source

RUN = (
    "data: {train_batch_size: 64}",
    "trainer: {nnodes: 1}",
    "actor_rollout_ref: {rollout: {n: 4}, model: {path: x}}",
)


def below(*sections: str, beside: str = "") -> Document:
    text, indent = beside, ""
    for section in sections:
        text += f"{indent}{section}:\n"
        indent += "  "
    return unwrapped(read(Source("a.yaml", text + "".join(f"{indent}{line}\n" for line in RUN))))


@pytest.mark.parametrize("sections", [("verl",), ("config", "value"), ("study", "runs", "first")])
def test_the_section_is_read_and_named(sections: tuple[str, ...]) -> None:
    document = below(*sections)
    (diagnostic,) = (d for d in document.diagnostics if d.code == WRAPPED)
    assert diagnostic.message == f"the config stands below {'.'.join(sections)}: what stands there is read"
    assert load(document).framework == "verl"
    assert {leaf.key for leaf in document.leaves} >= {"data.train_batch_size", "trainer.nnodes"}


def test_what_stands_beside_the_section_is_said_to_be_left_out() -> None:
    document = below("verl", beside="owner: somebody\n")
    assert any("1 other key is left out" in d.message for d in document.diagnostics)


def test_interpolations_lead_from_inside_the_section() -> None:
    text = "verl:\n  data: {train_batch_size: 64, val_batch_size: '${verl.data.train_batch_size}'}\n  trainer: {nnodes: 1}\n"
    document = unwrapped(read(Source("a.yaml", text)))
    assert document.last()["data.val_batch_size"].value == "${data.train_batch_size}"


def test_a_config_that_is_none_below_anything_stays_as_it_is() -> None:
    plain = read(Source("a.yaml", "".join(f"{line}\n" for line in RUN)))
    assert unwrapped(plain) is plain
    two = read(
        Source("a.yaml", "".join(f"{name}:\n" + "".join(f"  {line}\n" for line in RUN) for name in ("one", "two")))
    )
    assert unwrapped(two) is two


def test_another_trainers_arguments_below_a_section_are_no_config() -> None:
    """TRL's PPOConfig shares names with ROLL's configs: a run of ROLL was made of it."""
    text = (
        "ppo_kwargs: {learning_rate: 1e-5, batch_size: 4, mini_batch_size: 1, kl_penalty: kl, init_kl_coef: 0.3, target_kl: 6,\n"
        "  horizon: 10000, gamma: 0.99, whiten_rewards: true}\nreward_kwargs: {progress_weight: 1.0}\n"
    )
    document = read(Source("a.yaml", text))
    assert unwrapped(document) is document
    with pytest.raises(UnreadableError, match="KEY000"):
        load(document)
