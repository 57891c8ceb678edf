"""One framework's switch for a model that thinks before it answers becomes the other's."""

from __future__ import annotations

import pytest

from rftconf.base.ledger import State
from rftconf.convert.convert import Conversion, convert
from rftconf.load.load import load
from rftconf.plan.chat_templates import thinks_by_default, without_switch
from tests.test_line_by_line import CHATLEARN, ROLL, TRINITY, VERL, asked, converted, document, lines

OWN, THEIRS = "data.apply_chat_template_kwargs.enable_thinking", "models.policy.enable_thinking"
FIELD = "stage.model.thinking"
HYBRID, UNKNOWN, PLAIN = "Qwen/Qwen3-8B", "/m/q", "Qwen/Qwen2.5-7B-Instruct"
FROM_CHATLEARN = CHATLEARN.replace("SIZES", "max_prompt_tokens_length: 512, max_response_tokens_length: 512")


def changes(done: Conversion) -> list[str]:
    return [change.says for change in done.ledger.learning if change.cause == "thinking"]


@pytest.mark.parametrize(
    ("text", "word"),
    [
        (VERL, "template"),
        (VERL + f"+{OWN}=False", "off"),
        (TRINITY, "template"),
        (TRINITY.replace("model: {", "model: {enable_thinking: true, "), "on"),
        (TRINITY.replace("rollout_model: {", "rollout_model: {enable_thinking: false, "), "off"),
        (FROM_CHATLEARN, "off"),
        (FROM_CHATLEARN.replace("  policy: {", "  policy: {enable_thinking: true, "), "on"),
        (ROLL, "template"),
        (ROLL + "global_template: qwen3\n", "on"),
    ],
)
def test_what_a_template_is_told(text: str, word: str) -> None:
    """veRL 0.9.1 rl_dataset: apply_chat_template(**kwargs), {} by default; Trinity-RFT 0.6.0 model.py passes what is not None;
    ChatLearn 2025.10.23 policy_config: False; ROLL 0.3.0 chat_template.py: qwen3 sets it, native does not."""
    assert load(document(text)).stages[-1].values[FIELD] == word


def test_trinity_up_to_0_4_tells_the_template_in_every_run() -> None:
    """Trinity-RFT 0.4.1 config.py: InferenceModelConfig.enable_thinking is False."""
    assert load(document(TRINITY), release="0.4.1").stages[-1].values[FIELD] == "off"


def test_a_model_that_thinks_untold_is_told_to_where_it_must_be_told() -> None:
    """Qwen3-8B's tokenizer_config.json: a thinking part is closed only where enable_thinking is false."""
    done = converted(VERL.replace(UNKNOWN, HYBRID), "chatlearn")
    assert lines(done)[THEIRS] is True
    assert not changes(done)


def test_a_template_that_nobody_knows_is_asked_about() -> None:
    done = converted(VERL, "chatlearn")
    assert THEIRS in asked(done)
    assert changes(done)
    assert THEIRS not in asked(converted(VERL.replace(UNKNOWN, PLAIN), "chatlearn"))


@pytest.mark.parametrize(("to", "key"), [("verl", OWN), ("trinity", "model.enable_thinking")])
def test_a_model_that_must_not_think_is_told_so(to: str, key: str) -> None:
    """ChatLearn's own default, which no line of the source says."""
    done = converted(FROM_CHATLEARN, to)
    assert {name.lstrip("+"): value for name, value in lines(done).items()}[key] is False
    assert not changes(done)


def test_no_template_of_roll_keeps_a_model_from_thinking() -> None:
    (says,) = changes(converted(FROM_CHATLEARN, "roll"))
    assert "told not to in the source" in says
    assert lines(converted(VERL + f"+{OWN}=True", "roll"))["actor_train.data_args.template"] == "qwen3"


def test_early_releases_of_verl_hand_the_template_nothing() -> None:
    """veRL 0.5.0 rl_dataset: apply_chat_template(messages, add_generation_prompt=True, tokenize=False)."""
    done = convert(document(FROM_CHATLEARN), "verl", to_release="0.5.0")
    assert not [key for key in lines(done) if "thinking" in key]
    assert changes(done)


def test_the_other_arguments_of_a_template_stay_behind() -> None:
    text = VERL + f"+{OWN}=False +data.apply_chat_template_kwargs.reasoning_effort=low"
    states = {line.key.rpartition(".")[2]: line.state for line in converted(text, "trinity").ledger.sources}
    assert (states["enable_thinking"], states["reasoning_effort"]) == (State.EXACT, State.NO_COUNTERPART)


@pytest.mark.parametrize(
    ("path", "lacks", "thinks"),
    [
        ("Qwen/Qwen3-8B", False, True),
        ("/models/Qwen3-30B-A3B", False, True),
        ("Qwen/Qwen3-4B-Instruct-2507", True, False),
        ("Qwen/Qwen3-Coder-30B-A3B-Instruct", True, False),
        ("Qwen/Qwen2.5-Math-7B", True, False),
        ("meta-llama/Llama-3.1-8B-Instruct", True, False),
        ("deepseek-ai/DeepSeek-R1-Distill-Qwen-7B", True, False),
        ("google/gemma-3-4b-it", True, False),
        # google/gemma-4-12B-it chat_template.jinja: `enable_thinking is defined and enable_thinking`
        ("google/gemma-4-12B-it", False, False),
        # somebody's own model is one of Qwen3's that think, whatever it was trained for
        ("/ckpt/qwen3-8b-coder", False, True),
        ("/m/q", False, False),
    ],
)
def test_names_of_models_tell_of_their_templates(path: str, lacks: bool, thinks: bool) -> None:
    values = {"stage.model.path": path}
    assert (without_switch(values), thinks_by_default(values)) == (lacks, thinks)
    assert not without_switch({**values, "stage.model.chat_template": "{% if enable_thinking %}"})
