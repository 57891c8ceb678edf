"""The page that an editor shows for a key."""

from __future__ import annotations

from rftconf.lsp.hover import page
from rftconf.schemas import catalogue


def test_a_key_has_its_meaning_unit_counterparts_and_hazards() -> None:
    text = page(catalogue.load("trinity"), "buffer.train_batch_size")
    assert "Explorer: need_sync" in text
    assert "veRL `actor_rollout_ref.actor.ppo_mini_batch_size`" in text
    assert "H2: Trinity's train_batch_size is in sequences already" in text


def test_an_old_name_has_the_hazards_of_the_new_one() -> None:
    assert "H59: " in page(catalogue.load("verl", "0.6.1"), "reward_model.enable")


def test_a_section_and_nothing() -> None:
    assert page(catalogue.load("trinity"), "buffer") == "**`buffer`** section of Trinity-RFT 0.6.0"
    assert page(catalogue.load("trinity"), "nothing") == ""
