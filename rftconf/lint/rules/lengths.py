"""Prompt, answer and context lengths, and the token budgets that must hold them."""

from __future__ import annotations

from rftconf.lint.measures import ANSWER_LENGTH, CONTEXT, PROMPT_LENGTH, longest
from rftconf.lint.rule import ERROR, INFO, WARNING, Drop, Family, Findings, Put, finding, trinity, verl
from rftconf.lint.subject import Subject
from rftconf.schemas.verl.prefill import PIECES

FAMILY = Family("LEN")
rule = FAMILY.rule
ACTOR, ROLLOUT = "actor_rollout_ref.actor.", "actor_rollout_ref.rollout."
GAE = ("algorithm.adv_estimator=gae", "critic.model.path=Qwen/Qwen2.5-7B-Instruct")


@rule(
    1, ERROR, "a context that prompt and answer do not fit",
    bad=verl(f"{ROLLOUT}max_model_len=1024"), good=verl(f"{ROLLOUT}max_model_len=2048"),
    advice="at least the longest prompt plus the longest answer", source="Trinity ModelConfigValidator; veRL fsdp_workers.py, engine_workers.py", fixable=True,
)  # fmt: skip
def _context(s: Subject) -> Findings:
    """Answers to long prompts would be cut short, or refused by the engine; Trinity-RFT refuses the config."""
    whole, need = s.count(CONTEXT), longest(s)
    if whole and need and need > whole and s.written(CONTEXT):
        yield finding(f"{s.says(CONTEXT)} is less than {s.says(PROMPT_LENGTH)} plus {s.says(ANSWER_LENGTH)}", CONTEXT,
                    PROMPT_LENGTH, ANSWER_LENGTH, fix=Put(CONTEXT, need), severity=WARNING if s.framework == "roll" else None)  # fmt: skip


ALONE = ("openrlhf",)
"""Frameworks in which a sequence above the budget is a micro-batch (OpenRLHF openrlhf/utils/seqlen_balancing.py:
get_minimum_num_micro_batch_size)."""


def _budget(s: Subject, name: str, dynamic: str, what: str) -> Findings:
    cap, need = s.number(name), longest(s)
    if s.value(dynamic) is False or cap is None or need is None or cap >= need or not s.written(name):
        return
    if s.framework in ALONE:
        yield finding(f"{what} takes {int(cap)} tokens a micro-batch ({s.says(name)}); a sequence of {need} has one of its own, "
                      "and needs its memory", name, PROMPT_LENGTH, ANSWER_LENGTH, severity=INFO)  # fmt: skip
        return
    shared = "megatron.cp" if s.value("placement.actor.backend") == "megatron" else "sp"
    each = s.count(f"placement.actor.{shared}") or 1
    yield finding(
        f"{what} takes {int(cap)} tokens a micro-batch ({s.says(name)}), the longest sequence has {need}", name,
        PROMPT_LENGTH, ANSWER_LENGTH, fix=Put(name, -(-need // each) if s.framework == "verl" else need),
        severity=ERROR if s.framework == "verl" else WARNING,
    )  # fmt: skip


@rule(
    2, ERROR, "a token budget below one sequence",
    bad=verl(f"{ACTOR}ppo_max_token_len_per_gpu=1024"), good=verl(f"{ACTOR}ppo_max_token_len_per_gpu=4096"),
    advice="at least prompt plus answer, divided by the sequence-parallel size",
    source="verl-project/verl#571, #3415; agentscope-ai/Trinity-RFT#398; veRL seqlen_balancing.py", fixable=True,
)  # fmt: skip
def _actor_budget(s: Subject) -> Findings:
    """Dynamic batches allow no sequence longer than a micro-batch. veRL asserts it when the first long answer
    comes, hours into the run.
    """
    yield from _budget(s, "batch.micro.tokens_per_rank", "batch.micro.dynamic", "training")


@rule(
    3, ERROR, "a token budget for scoring below one sequence",
    bad=verl(f"{ROLLOUT}log_prob_max_token_len_per_gpu=1024"), good=verl(f"{ROLLOUT}log_prob_max_token_len_per_gpu=4096"),
    advice="at least prompt plus answer, divided by the sequence-parallel size", source="as LEN002; veRL 0.9 rollout.yaml", fixable=True,
)  # fmt: skip
def _score_budget(s: Subject) -> Findings:
    """Scoring packs sequences like training does, under a budget of its own."""
    yield from _budget(s, "batch.log_prob.tokens_per_rank", "batch.log_prob.dynamic", "scoring")
    yield from _budget(s, "batch.reference.tokens_per_rank", "batch.reference.dynamic", "the reference")


@rule(
    4, ERROR, "a critic's token budget below one sequence",
    bad=verl(*GAE, "+critic.ppo_infer_max_token_len_per_gpu=1024"), good=verl(*GAE, "+critic.ppo_infer_max_token_len_per_gpu=4096"),
    advice="at least prompt plus answer, divided by the critic's sequence-parallel size", source="as LEN002", fixable=True,
)  # fmt: skip
def _critic_budget(s: Subject) -> Findings:
    """The critic's budget does not follow the actor's."""
    if s.value("algorithm.critic.enabled"):
        yield from _budget(s, "batch.critic.tokens_per_rank", "batch.critic.dynamic", "the critic")
        if s.key("batch.critic_infer.tokens_per_rank") != s.key("batch.critic.tokens_per_rank"):
            yield from _budget(s, "batch.critic_infer.tokens_per_rank", "batch.critic.dynamic", "the critic's values")


@rule(
    5, ERROR, "an engine batch below one prompt, in one piece",
    bad=verl(f"{ROLLOUT}enable_chunked_prefill=False", f"{ROLLOUT}max_num_batched_tokens=1024", "data.max_prompt_length=2048"),
    good=verl(f"{ROLLOUT}enable_chunked_prefill=True", f"{ROLLOUT}max_num_batched_tokens=1024", "data.max_prompt_length=2048"),
    advice="raise max_num_batched_tokens, or switch chunked prefill on",
    source="verl-project/verl#7624, PR#7632, PR#259; vLLM config check", fixable=True,
)  # fmt: skip
def _prefill(s: Subject) -> Findings:
    """Without chunked prefill vLLM wants to take a whole context in one step, and refuses to start otherwise. The versions
    from 0.8 to 0.11, on which veRL 0.4.1 to 0.6.1 run, chunk whatever they are told."""
    tokens, whole = s.count("placement.rollout.max_batched_tokens"), s.count(CONTEXT) or longest(s)
    chunked = "placement.rollout.chunked_prefill"
    if s.value("placement.rollout.engine") != "vllm":
        return
    refused_pieces = (
        s.framework == "verl" and not s.since("0.4.1") and any(change.key == PIECES for change in s.changes)
    )
    if (refused_pieces or s.value(chunked) is False) and tokens and whole and tokens < whole:
        name = "placement.rollout.max_batched_tokens"
        switch = f"{PIECES}=false" if refused_pieces else s.says(chunked)
        yield finding(f"{s.says(name)} is below the context of {whole}, and {switch}", name, chunked, CONTEXT,
                    fix=Put(name, whole), safe=True)  # fmt: skip


@rule(
    6, INFO, "long prompts that stay in the data",
    bad=verl("data.filter_overlong_prompts=False"), good=verl("data.filter_overlong_prompts=True"),
    advice="set data.filter_overlong_prompts, or filter the files", source="H50", frameworks=("verl",), since="0.7.1", fixable=True,
)  # fmt: skip
def _overlong(s: Subject) -> Findings:
    """Since 0.7 a prompt above the limit is not cut: it runs with a shorter answer, and fails its group when it does not
    fit the context at all."""
    if s.value("data.filter_overlong_prompts") is False:
        key = "data.filter_overlong_prompts"
        yield finding(f"{s.says(key)}: a prompt above {s.says(PROMPT_LENGTH)} shortens its answer", key, PROMPT_LENGTH,
                    fix=Put(key, value=True))  # fmt: skip


@rule(
    7, INFO, "a truncation that nothing does",
    bad=verl("data.truncation=left"), good=verl("data.filter_overlong_prompts=True"),
    advice="filter overlong prompts instead", source="veRL 0.9 rl_dataset.py", frameworks=("verl",), since="0.7.1", fixable=True,
)  # fmt: skip
def _truncation(s: Subject) -> Findings:
    """0.5 and 0.6 cut or refuse long prompts by this key. Later releases store it and never look at it."""
    if s.written("data.truncation") and s.value("data.truncation") not in (None, "error"):
        yield finding(
            f"{s.title} stores {s.says('data.truncation')} and never uses it",
            "data.truncation",
            fix=Drop("data.truncation"),
        )


@rule(
    8, ERROR, "a length of nothing",
    bad=verl("data.max_response_length=0"), good=verl("data.max_response_length=1024"),
    advice="give a positive number of tokens", source="the engine refuses it",
)  # fmt: skip
def _no_length(s: Subject) -> Findings:
    """No prompt fits and no answer can be drawn in no tokens; the engine refuses to start."""
    for name in (PROMPT_LENGTH, ANSWER_LENGTH, CONTEXT):
        got = s.number(name)
        if got is not None and got <= 0 and s.written(name):
            yield finding(f"{s.says(name)} leaves no room", name)


@rule(
    9, WARNING, "a shortest answer that is no shorter than the longest",
    bad=trinity("model.min_response_tokens=2048"), good=trinity("model.min_response_tokens=1"),
    advice="lower it", source="Trinity ModelConfigValidator", fixable=True,
)  # fmt: skip
def _shortest(s: Subject) -> Findings:
    """Trinity-RFT lowers it in silence; an engine that obeyed would draw every answer to its end."""
    low, high = s.number("length.response_min_tokens"), s.count(ANSWER_LENGTH)
    if low is not None and high and low >= high:
        yield finding(f"{s.says('length.response_min_tokens')} is not below {s.says(ANSWER_LENGTH)}", "length.response_min_tokens",
                    ANSWER_LENGTH, fix=Put("length.response_min_tokens", 1))  # fmt: skip


@rule(
    10, INFO, "a context far above what a run can use",
    bad=verl(f"{ROLLOUT}max_model_len=32768"), good=verl(f"{ROLLOUT}max_model_len=2048"),
    advice="prompt plus answer is enough for one turn", source="Trinity config_validator.py ModelConfigValidator", fixable=False,
)  # fmt: skip
def _wide_context(s: Subject) -> Findings:
    """The engine reserves memory for it, and no sequence gets that long. Multi-turn runs are another matter."""
    whole, need = s.count(CONTEXT), longest(s)
    turns = s.native.value(f"{ROLLOUT}multi_turn.enable") is True
    if whole and need and whole > 4 * need and s.written(CONTEXT) and not turns and s.framework == "verl":
        yield finding(
            f"{s.says(CONTEXT)}, and sequences have at most {need} tokens", CONTEXT, PROMPT_LENGTH, ANSWER_LENGTH
        )


@rule(
    11, WARNING, "an overlong penalty for another length",
    bad=verl("reward.reward_manager.name=dapo", "+reward.reward_kwargs.max_resp_len=4096"),
    good=verl("reward.reward_manager.name=dapo", "+reward.reward_kwargs.max_resp_len=1024"),
    advice="make it the longest answer", source="veRL 0.9 reward_manager/dapo.py 33-48", frameworks=("verl",), since="0.7.1", fixable=True,
)  # fmt: skip
def _penalty_length(s: Subject) -> Findings:
    """The DAPO reward manager subtracts points from answers near max_resp_len. With another length than the run's it
    punishes the wrong ones, or none."""
    key, most = "reward.reward_kwargs.max_resp_len", s.count(ANSWER_LENGTH)
    got = s.native.value(key)
    if isinstance(got, int) and most and got != most:
        yield finding(f"{s.says(key)}, but {s.says(ANSWER_LENGTH)}", key, ANSWER_LENGTH, fix=Put(key, most))


@rule(
    12, ERROR, "an overlong buffer longer than an answer",
    bad=verl("reward.reward_manager.name=dapo", "+reward.reward_kwargs.overlong_buffer_cfg.len=4096"),
    good=verl("reward.reward_manager.name=dapo", "+reward.reward_kwargs.overlong_buffer_cfg.len=256"),
    advice="a quarter of the answer at most", source="veRL 0.9 reward_manager/dapo.py 33-48", frameworks=("verl",), since="0.7.1", fixable=True,
)  # fmt: skip
def _penalty_buffer(s: Subject) -> Findings:
    """Points are lost over the last tokens of the allowed length; the reward manager asserts that they are fewer than the
    whole."""
    key, allowed = "reward.reward_kwargs.overlong_buffer_cfg.len", "reward.reward_kwargs.max_resp_len"
    got, penalty_length = s.native.value(key), s.native.value(allowed)
    name, most = (
        (allowed, penalty_length) if isinstance(penalty_length, int) else (ANSWER_LENGTH, s.count(ANSWER_LENGTH))
    )
    if isinstance(got, int) and most and got > most:
        yield finding(f"{s.says(key)} is above {s.says(name)}", key, name, fix=Put(key, max(1, most // 4)))


@rule(
    13, WARNING, "a length that alone fills the context",
    bad=trinity("~model.max_prompt_tokens", "model.max_response_tokens=8192", "model.max_model_len=4096"),
    good=trinity("~model.max_prompt_tokens", "model.max_response_tokens=1024", "model.max_model_len=4096"),
    advice="make the context larger, or the length smaller",
    source="Trinity-RFT common/config_validator.py _check_model_len", frameworks=("trinity",),
)  # fmt: skip
def _whole_context(s: Subject) -> Findings:
    """The missing one of prompt and answer length is what the other leaves of the context. Where that is nothing, the other
    is cut to the context less one token, and every prompt (or answer) is longer than allowed."""
    whole, answer, prompt = s.count(CONTEXT), "model.max_response_tokens", "model.max_prompt_tokens"
    for name, other, rest in ((answer, prompt, "prompts"), (prompt, answer, "answers")):
        value = s.count(name)
        if whole and value and value >= whole and s.native.value(other) is None:
            yield finding(
                f"{s.says(name)} leaves nothing of {s.says(CONTEXT)}: one token is left for {rest}", name, CONTEXT
            )
