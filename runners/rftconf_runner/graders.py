"""Models that score answers, each vLLM within a Ray actor of its own: judges answer in words, classifiers with a logit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import ray

from rftconf_runner.job import Job
from rftconf_runner.job_rewards import Grader
from rftconf_runner.rollout import ENVIRONMENT, started
from rftconf_runner.score_columns import BadRewardError

AT = "stage.placement.auxiliary"
GENERATING = ("ForCausalLM", "LMHeadModel", "ForConditionalGeneration")
"""How transformers calls models whose head is over a vocabulary."""


class Judge:
    """A model that judges answers. A reply follows from question and seed, without a temperature from the question."""

    def __init__(self, grader: Grader, seed: int) -> None:
        self.grader, self.longest = grader, _longest(grader)
        self.llm = started(
            grader.model,
            grader.memory_fraction,
            captures=grader.captures,
            dtype=grader.dtype,
            max_model_len=self.longest,
            seed=seed,
        )
        self.tokenizer = self.llm.get_tokenizer()

    def replies(self, questions: Sequence[tuple[Any, int]]) -> list[str]:
        """Answer questions, each with a seed, in their order: chat messages, or the text of a single one."""
        prompts = [{"prompt_token_ids": self._tokens(question)} for question, _ in questions]
        params = [self._params(seed) for _, seed in questions]
        outputs = self.llm.generate(prompts, params, use_tqdm=False)
        return [output.outputs[0].text for output in outputs]

    def _tokens(self, question: Any) -> list[int]:
        chat = [{"role": "user", "content": question}] if isinstance(question, str) else question
        tokens: list[int] = self.tokenizer.apply_chat_template(
            chat, add_generation_prompt=True, tokenize=True, return_dict=False
        )
        most = self.longest - self.grader.response_tokens
        if len(tokens) > most:
            reason = (
                f"a judge's question has {len(tokens)} tokens, and {self.grader.response_tokens} are for its answer"
            )
            raise BadRewardError(f"{AT}: {reason}, of {self.longest} in all")
        return tokens

    def _params(self, seed: int) -> Any:
        from vllm import SamplingParams

        grader = self.grader
        return SamplingParams(
            temperature=grader.temperature,
            top_p=grader.top_p,
            top_k=grader.top_k,
            repetition_penalty=grader.repetition,
            max_tokens=grader.response_tokens,
            seed=seed,
        )


class Classifier:
    """A language model with a head on its last token: the score is the head's last logit, as it is."""

    def __init__(self, grader: Grader, seed: int) -> None:
        self.llm = started(
            grader.model,
            grader.memory_fraction,
            captures=grader.captures,
            dtype=grader.dtype,
            max_model_len=_longest(grader),
            seed=seed,
            runner="pooling",
        )
        if "classify" not in self.llm.supported_tasks:
            raise _headless(grader)
        self.tokenizer = self.llm.get_tokenizer()

    def scores(self, questions: Sequence[tuple[Any, str]]) -> list[float]:
        """Score answers to chat messages, in their order."""
        from vllm import PoolingParams

        prompts = [{"prompt_token_ids": self._tokens(*question)} for question in questions]
        outputs = self.llm.classify(prompts, pooling_params=PoolingParams(use_activation=False), use_tqdm=False)
        return [float(output.outputs.probs[-1]) for output in outputs]

    def _tokens(self, chat: Any, answer: str) -> list[int]:
        """The whole chat in the classifier's own template, whose first token its tokenizer may set again."""
        if isinstance(chat, str):
            raise BadRewardError(f"{AT}: a prompt is text, and a reward model reads chat messages: {chat[:80]!r}")
        whole = [*chat, {"role": "assistant", "content": answer}]
        text = self.tokenizer.apply_chat_template(whole, add_generation_prompt=False, tokenize=False)
        first = self.tokenizer.bos_token
        tokens: list[int] = self.tokenizer(text.removeprefix(first) if first else text)["input_ids"]
        return tokens


def _longest(grader: Grader) -> int:
    """Tokens that fit: the plan's, where the model has as many."""
    from transformers import AutoConfig

    own = int(AutoConfig.from_pretrained(grader.model).get_text_config().max_position_embeddings)
    return min(grader.longest, own) if grader.longest else own


def have_heads(job: Job) -> None:
    """Raises BadRewardError for a reward model that only generates; vLLM says so after it has loaded it."""
    for grader in job.graders:
        if grader.kind == "classifier" and _generates(grader.model):
            raise _headless(grader)


def _generates(model: str) -> bool:
    """True where its config says so; a config that cannot be read here is the engine's to name."""
    from transformers import AutoConfig

    try:
        kinds = AutoConfig.from_pretrained(model).architectures or []
    except (OSError, ValueError):
        return False
    return bool(kinds) and all(str(kind).endswith(GENERATING) for kind in kinds)


def _headless(grader: Grader) -> BadRewardError:
    return BadRewardError(f"{AT}: {grader.model} has no head that scores a sequence")


def grader_actor(grader: Grader) -> Any:
    """The Ray actor class of a grader's model."""
    kind = Judge if grader.kind == "judge" else Classifier
    return ray.remote(num_cpus=0, runtime_env={"env_vars": ENVIRONMENT})(kind)
