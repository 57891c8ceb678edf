"""Refusals of models that score answers, by field."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from rftconf.plan.model import Auxiliary, Stage
from rftconf_runner.data_reader import is_given
from rftconf_runner.grader_reader import ASKED, AT, scoring
from rftconf_runner.value_text import render_plan_value

ENGINES = {"vllm", "hf", None}
"""`hf`: a worker's own forward, whose numbers vLLM's are."""
DTYPES = {"bfloat16", "bf16", "float16", "fp16", "half", "float32", "fp32", "float", "auto", None}


def of_graders(stage: Stage) -> Iterator[tuple[str, str]]:
    """Every auxiliary model either scores answers as the plan states it, or is refused."""
    for auxiliary in stage.placement.auxiliary:
        if auxiliary.role not in {"reward", *ASKED}:
            why = (
                "a teacher's distribution is not learned from"
                if auxiliary.role == "teacher"
                else "and the runner guesses none"
            )
            yield f"{AT}[].role", f"is {render_plan_value(auxiliary.role)}; {why}"
    grader_list = list(scoring(stage))
    for domain, auxiliary, kind in grader_list:
        yield from _of_engine(auxiliary)
        if kind == "judge" and not isinstance(auxiliary.response_max_tokens, int):
            yield (
                f"{AT}[].response_max_tokens",
                f"is {render_plan_value(auxiliary.response_max_tokens)}; how long may a judge's answer be?",
            )
        if kind == "classifier":
            yield from _of_classifier(stage, domain)
    for domain, count in Counter(domain for domain, _, _ in grader_list).items():
        if count > 1:
            whose = f"of the domain {domain}" if domain else "of every domain"
            yield f"{AT}[].domain", f"{count} models would score the answers {whose}; the runner asks one"


def _of_engine(auxiliary: Auxiliary) -> Iterator[tuple[str, str]]:
    if auxiliary.engine not in ENGINES:
        outside = auxiliary.engine == "external"
        why = "a service outside of the run, whose answers nobody repeats" if outside else "the runner executes vllm"
        yield f"{AT}[].engine", f"is {render_plan_value(auxiliary.engine)}; {why}"
        return
    for name in ("tp", "pp"):
        if getattr(auxiliary, name) not in (1, None):
            yield (
                f"{AT}[].{name}",
                f"is {render_plan_value(getattr(auxiliary, name))}; the runner gives a model one GPU",
            )
    if auxiliary.path is None:
        yield f"{AT}[].path", "is not said: which model?"
    if auxiliary.load_format == "dummy":
        yield f"{AT}[].load_format", "is 'dummy': the model would score by random weights; auto reads its own"
    if auxiliary.dtype not in DTYPES:
        yield (
            f"{AT}[].dtype",
            f"is {render_plan_value(auxiliary.dtype)}; the runner computes in {', '.join(sorted(map(str, DTYPES - {None})))}",
        )


def _of_classifier(stage: Stage, domain: str) -> Iterator[tuple[str, str]]:
    """A head's score is the reward where nothing else is said of it."""
    if stage.reward.manager == "dapo":
        yield "reward.manager", "is 'dapo', which a reward model's score does not go through"
    for domain_part in stage.data.domains:
        named = domain_part.reward is not None and not is_given(domain_part.reward)
        if named and (domain_part.name == domain or not domain) and domain_part.weight is not None:
            why = "code of the framework's, which reads the reward model"
            yield (
                "data.domains[].reward",
                f"is {domain_part.reward}: {why}; `--reward {domain_part.name}=model` where its score is all",
            )
    if any(data_set.prompt_type == "plaintext" for data_set in stage.data.train):
        yield "data.train[].prompt_type", "is 'plaintext', and a reward model reads chat messages"
