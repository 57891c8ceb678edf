"""Rules for the way in which answers are drawn, for training and for validation."""

from __future__ import annotations

from rftconf.lint.rule import ERROR, INFO, WARNING, Drop, Family, Findings, Put, finding, trinity, verl
from rftconf.lint.subject import Subject

FAMILY = Family("SMP")
rule = FAMILY.rule
ROLLOUT, VAL = "actor_rollout_ref.rollout.", "actor_rollout_ref.rollout.val_kwargs."
TRAIN, EVAL = "sampling.train.", "sampling.eval."


@rule(
    1, ERROR, "training on greedy answers",
    bad=verl(f"{ROLLOUT}temperature=0.0"), good=verl(f"{ROLLOUT}temperature=1.0"),
    advice="0.6 to 1.0 is usual", source="veRL utils/config.py validate_config", fixable=True,
)  # fmt: skip
def _greedy(s: Subject) -> Findings:
    """At temperature 0 all answers to a prompt are the same, so a group has no spread and no advantage; and the trainer
    divides logits by the temperature."""
    name = f"{TRAIN}temperature"
    if s.number(name) == 0 and s.value("stage.kind") in ("rl", None):
        yield finding(f"{s.says(name)}: every answer to a prompt is the same", name, fix=Put(name, 1.0))


@rule(
    2, WARNING, "training on a truncated distribution",
    bad=verl(f"{ROLLOUT}top_p=0.7"), good=verl(f"{ROLLOUT}top_p=1.0"),
    advice="top_p 1 and no top_k in training", source="H29", fixable=True,
)  # fmt: skip
def _truncated(s: Subject) -> Findings:
    """Tokens outside the nucleus are never drawn, yet the loss uses probabilities of the whole vocabulary: the ratio is
    wrong by up to the mass that was cut off."""
    for name, plain in (("top_p", 1.0), ("top_k", -1)):
        got = s.number(TRAIN + name)
        cut = got is not None and (got < 1 if name == "top_p" else got > 0)
        if cut and got is not None and got > 0 and (name == "top_p" or got < 1000):
            yield finding(
                f"{s.says(TRAIN + name)} cuts off tokens that the loss counts",
                TRAIN + name,
                fix=Put(TRAIN + name, plain),
            )


@rule(
    3, ERROR, "a probability mass outside 0 to 1",
    bad=verl(f"{ROLLOUT}top_p=1.5"), good=verl(f"{ROLLOUT}top_p=1.0"),
    advice="a share: 1 takes everything", source="vLLM SamplingParams", fixable=True,
)  # fmt: skip
def _mass(s: Subject) -> Findings:
    """Tokens are drawn from the smallest set with this share of the mass; the engine refuses anything else."""
    for path in (TRAIN, EVAL):
        got = s.number(f"{path}top_p")
        if got is not None and not 0 < got <= 1 and s.written(f"{path}top_p"):
            yield finding(f"{s.says(f'{path}top_p')}", f"{path}top_p", fix=Put(f"{path}top_p", 1.0), safe=True)


@rule(
    4, ERROR, "a top-k that engines refuse",
    bad=verl(f"{ROLLOUT}top_k=-5"), good=verl(f"{ROLLOUT}top_k=-1"),
    advice="-1 for all tokens", source="vLLM SamplingParams", fixable=True,
)  # fmt: skip
def _top_k(s: Subject) -> Findings:
    """-1 (or 0) means no limit, a positive number that many tokens."""
    for path in (TRAIN, EVAL):
        got = s.number(f"{path}top_k")
        if got is not None and got < -1:
            yield finding(f"{s.says(f'{path}top_k')}", f"{path}top_k", fix=Put(f"{path}top_k", -1), safe=True)


@rule(
    5, ERROR, "a temperature below zero",
    bad=verl(f"{VAL}temperature=-0.5"), good=verl(f"{VAL}temperature=0.6", f"{VAL}do_sample=True"),
    advice="0 is greedy, 1 as trained", source="vLLM SamplingParams", fixable=True,
)  # fmt: skip
def _cold(s: Subject) -> Findings:
    """Probabilities would be turned upside down, and the engine refuses the request."""
    for name in (f"{TRAIN}temperature", f"{EVAL}temperature"):
        key = f"{VAL}temperature" if s.framework == "verl" and name.startswith(EVAL) else name
        got = s.number(key)
        if got is not None and got < 0:
            yield finding(f"{s.says(key)}", key, fix=Put(key, 1.0), safe=True)


@rule(
    6, WARNING, "several greedy answers",
    bad=verl(f"{VAL}n=8", f"{VAL}temperature=0"), good=verl(f"{VAL}n=8", f"{VAL}temperature=0.6", f"{VAL}do_sample=True"),
    advice="one answer, or a temperature", source="veRL agent_loop.py 437-440", fixable=True,
)  # fmt: skip
def _same_again(s: Subject) -> Findings:
    """At temperature 0 all of them are the same: the time is spent n times, and avg@n is the result of one."""
    n = s.count(f"{EVAL}responses")
    if n and n > 1 and s.number(f"{EVAL}temperature") == 0:
        yield finding(f"{s.says(f'{EVAL}responses')} at temperature 0 are {n} times the same", f"{EVAL}responses",
                    f"{EVAL}temperature", fix=Put(f"{EVAL}responses", 1))  # fmt: skip


@rule(
    7, WARNING, "do_sample without effect",
    bad=verl(f"{VAL}do_sample=False", f"{VAL}temperature=0.6"), good=verl(f"{VAL}temperature=0.6"),
    advice="set the temperature to 0 for greedy answers", source="veRL 0.9 agent_loop_tq.py 64-76", frameworks=("verl",), since="0.7.1",
    fixable=True,
)  # fmt: skip
def _do_sample(s: Subject) -> Findings:
    """Since the agent loop only the temperature counts: validation samples although do_sample says no."""
    heat = s.native.value(f"{VAL}temperature")
    if (
        s.native.value(f"{VAL}do_sample") is False
        and s.written(f"{VAL}do_sample")
        and isinstance(heat, (int, float))
        and heat > 0
        and s.written(f"{VAL}temperature")
    ):
        yield finding(f"{s.says(f'{VAL}temperature')} samples whatever {VAL}do_sample says", f"{VAL}do_sample", f"{VAL}temperature",
                    fix=Drop(f"{VAL}do_sample"), safe=True)  # fmt: skip


@rule(
    8, ERROR, "sampling validation from a run without a temperature",
    bad=verl(f"{VAL}do_sample=True", f"{ROLLOUT}temperature=0.0"), good=verl(f"{VAL}do_sample=True", f"{ROLLOUT}temperature=1.0", f"{VAL}temperature=0.6"),
    advice="give rollout.temperature a positive value", source="veRL utils/config.py validate_config", frameworks=("verl",), fixable=True,
)  # fmt: skip
def _val_sampling(s: Subject) -> Findings:
    """veRL's check demands a positive training temperature when validation samples."""
    heat = s.number(f"{ROLLOUT}temperature")
    if s.native.value(f"{VAL}do_sample") is True and heat is not None and heat <= 0:
        yield finding(f"{s.says(f'{VAL}do_sample')} needs rollout.temperature above 0", f"{ROLLOUT}temperature", f"{VAL}do_sample",
                    fix=Put(f"{ROLLOUT}temperature", 1.0))  # fmt: skip


@rule(
    9, WARNING, "a repetition penalty in training",
    bad=trinity("model.repetition_penalty=1.2"), good=trinity("model.repetition_penalty=1.0"),
    advice="1.0 in training", source="vLLM SamplingParams", fixable=True,
)  # fmt: skip
def _repetition(s: Subject) -> Findings:
    """The engine draws from changed probabilities, the loss uses the plain ones, so the ratio is wrong for every token
    that was said before."""
    got = s.number(f"{TRAIN}repetition_penalty")
    if got is not None and got != 1:
        yield finding(f"{s.says(f'{TRAIN}repetition_penalty')} is not in the loss", f"{TRAIN}repetition_penalty",
                    fix=Put(f"{TRAIN}repetition_penalty", 1.0))  # fmt: skip


@rule(
    10, WARNING, "answers that never end",
    bad=verl(f"{ROLLOUT}ignore_eos=True"), good=verl(f"{ROLLOUT}ignore_eos=False"),
    advice="false, except to measure speed", source="veRL rollout.yaml", fixable=True,
)  # fmt: skip
def _no_end(s: Subject) -> Findings:
    """Every answer is drawn to the last token, and the policy learns from text behind the end."""
    if s.value(f"{TRAIN}ignore_eos") is True:
        yield finding(
            f"{s.says(f'{TRAIN}ignore_eos')}", f"{TRAIN}ignore_eos", fix=Put(f"{TRAIN}ignore_eos", value=False)
        )


@rule(
    11, INFO, "validation at training's temperature",
    bad=trinity("buffer.explorer_input.eval_tasksets[0].name=test", "buffer.explorer_input.eval_tasksets[0].path=/data/test",
                "buffer.explorer_input.eval_tasksets[0].storage_type=file"),
    good=trinity("buffer.explorer_input.eval_tasksets[0].name=test", "buffer.explorer_input.eval_tasksets[0].path=/data/test",
                 "buffer.explorer_input.eval_tasksets[0].storage_type=file",
                 "buffer.explorer_input.eval_tasksets[0].rollout_args.temperature=0.0"),
    advice="set the temperature of each evaluation set", source="H55; Trinity config_validator.py _fill_taskset_config", frameworks=("trinity",),
)  # fmt: skip
def _hot_eval(s: Subject) -> Findings:
    """Trinity-RFT's evaluation takes the model's temperature, 1.0; veRL is greedy by default, ChatLearn 0.6. The four
    report different numbers for the same model."""
    for i in s.items("data.eval"):
        key = f"buffer.explorer_input.eval_tasksets[{i}].rollout_args.temperature"
        if not s.written(key) and s.value("stage.kind") == "rl":
            yield finding("this evaluation set samples at the training temperature", f"data.eval[{i}].uri")


@rule(
    12, INFO, "a temperature above one and a half",
    bad=verl(f"{ROLLOUT}temperature=2.0"), good=verl(f"{ROLLOUT}temperature=1.0"),
    advice="0.6 to 1.2 is usual", source="Trinity common/config.py 77-88; ROLL generating_args.py", fixable=False,
)  # fmt: skip
def _hot(s: Subject) -> Findings:
    """Answers fall apart into rare tokens, and most of them earn nothing."""
    got = s.number(f"{TRAIN}temperature")
    if got is not None and got > 1.5:
        yield finding(f"{s.says(f'{TRAIN}temperature')}", f"{TRAIN}temperature")
