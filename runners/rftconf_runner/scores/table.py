"""The rules that score answers, by framework, release and name, each with the file that has it in the framework.

`*` at the end of a name is any continuation. A rule is in force from `since` up to and with `until`, where these are given.
`needs` are modules that the framework's own function imports; `words` are its arguments besides answer and truth; what is `refused` has no function.
Where a rule has `cases`, it runs the answer's code, of rows with these in `case_type` alone; `text_alone` is without a tokenizer's special tokens;
a `confined` rule runs programs of an answer, and is in force where the config names a service that does so.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from rftconf_runner.scores import coding, fusion, instructions, prime, roll, trinity, verl


@dataclass(frozen=True, slots=True)
class Rule:
    """A row of the table: names, the function that scores them, and the framework's own function that it equals."""

    framework: str
    names: tuple[str, ...]
    function: Callable[..., Any] | None
    cited: str
    since: str = ""
    until: str = ""
    needs: tuple[str, ...] = ()
    refused: str = ""
    words: tuple[str, ...] = ()
    cases: tuple[str, ...] = ()
    text_alone: bool = False
    confined: bool = False

    def fits(self, framework: str, release: str, name: str, *, confined: bool = False) -> bool:
        """True where this rule scores answers of that name in that release, `confined` where the config names a service for code."""
        return (
            framework == self.framework
            and (confined or not self.confined)
            and any(
                name == pattern or (pattern.endswith("*") and name.startswith(pattern[:-1])) for pattern in self.names
            )
            and (not self.since or numbers(self.since) <= numbers(release))
            and (not self.until or numbers(release) <= numbers(self.until))
        )


def numbers(release: str) -> tuple[int, ...]:
    """Split a release into its numbers, for comparing."""
    return tuple(int(part) for part in release.split(".") if part.isdigit())


V = "verl/utils/reward_score/"
GSM8K, MATH = ("openai/gsm8k",), ("lighteval/MATH", "DigitalLearningGmbH/MATH-lighteval")
DAPO, MORE_DAPO = ("math_dapo", "aime*"), ("math", "math_dapo_reasoning")
NUMINA = tuple(
    f"numina_{name}" for name in ("aops_forum", "synthetic_math", "amc_aime", "synthetic_amc", "cn_k12", "olympiads")
)
CODE = ("codecontests", "apps", "codeforces", "taco")
ASKED = tuple(
    f"searchR1_{name}" for name in ("nq", "triviaqa", "popqa", "hotpotqa", "2wikimultihopqa", "musique", "bamboogle")
)
OLDER = "runs code otherwise than the releases from 0.1.3 on, whose way the runner has"
SANDBOX = (
    "runs code by PRIME's own tests, which the runner does not have; it runs what a config that names Sandbox Fusion's service "
    "(reward.sandbox_fusion.url) asks for"
)
C, T = "chatlearn/utils/rule_reward_score/", "trinity/common/rewards/"
MASKED = "is called with the answer's tokens, by a workflow that masks answers which the limit cut; the runner does not"
FAILS = "is called with a truth that it does not take: that run stops there too"
QWEN = "compares by another form of answers (qwen25_eval.py), which the runner does not have"
R, PROMPTED = "roll/pipeline/rlvr/rewards/", ("prompt",)
TAGGED = "gives a reward of 0 in training, and a score by a row's tag in validation alone"
JUDGED = (
    "asks a model to judge the answer; where the plan has that model, `--reward NAME=judge:FORM` asks it what the file FORM says, and gives "
    "1 for a yes as the worker does"
)
BOXES = "compares boxes in an image, which the runner does not"
FRAMES = "compares by the kind of a question on a video, which the runner does not read"
SERVICE = "asks services outside of the run"
SLOW = "is compared by sympy's reading of LaTeX there, which the runner does not do"

RULES = (
    Rule("verl", GSM8K, verl.gsm8k, V + "gsm8k.py: compute_score", since="0.5"),
    Rule("verl", GSM8K, verl.gsm8k_before, V + "gsm8k.py: compute_score", since="0.4", until="0.4.99"),
    Rule("verl", GSM8K, verl.gsm8k_first, V + "gsm8k.py: compute_score", until="0.3.99"),
    Rule("verl", MATH, verl.math, V + "math_reward.py: compute_score", since="0.6"),
    Rule("verl", MATH, verl.math_before, V + "math.py: compute_score", since="0.4", until="0.5.99"),
    Rule("verl", MATH, verl.math_first, V + "math.py: compute_score", until="0.3.99"),
    Rule("verl", ("HuggingFaceH4/MATH-500",), verl.math, V + "math_reward.py: compute_score", since="0.6"),
    Rule("verl", ("HuggingFaceH4/MATH-500",), verl.math_before, V + "math.py: compute_score", since="0.5", until="0.5.99"),
    Rule("verl", DAPO, verl.math_dapo, V + "math_dapo.py: compute_score", since="0.9.1"),
    Rule("verl", DAPO, verl.math_dapo_before, V + "math_dapo.py: compute_score", since="0.4", until="0.9.0"),
    Rule("verl", MORE_DAPO, verl.math_dapo, V + "math_dapo.py: compute_score", since="0.9.1"),
    Rule("verl", MORE_DAPO, verl.math_dapo_before, V + "math_dapo.py: compute_score", since="0.6", until="0.9.0"),
    Rule("verl", NUMINA, prime.prime_math, V + "prime_math/__init__.py: compute_score", since="0.6", needs=("pylatexenc", "sympy")),
    Rule("verl", NUMINA, prime.prime_math_before, V + "prime_math/__init__.py: compute_score", since="0.4", until="0.5.99",
         needs=("pylatexenc", "sympy")),
    Rule("verl", NUMINA, None, V + "prime_math/__init__.py: compute_score", until="0.3.99", refused=SLOW),
    Rule("verl", ("hiyouga/geometry3k",), verl.geo3k, V + "geo3k.py: compute_score", since="0.3", needs=("mathruler",)),
    Rule("verl", ASKED, verl.search_answer, V + "search_r1_like_qa_em.py: compute_score", since="0.4"),
    Rule("verl", CODE, fusion.passed, V + "sandbox_fusion/__init__.py: compute_score", since="0.6", confined=True),
    Rule("verl", CODE, fusion.passed_before, V + "sandbox_fusion/__init__.py: compute_score", since="0.4", until="0.5.99", confined=True),
    Rule("verl", CODE, None, V + "prime_code/__init__.py, sandbox_fusion/__init__.py: compute_score", refused=SANDBOX),
    Rule("chatlearn", (*GSM8K, MATH[1], "aime24", "aime25"), verl.math_first, C + "math.py: compute_score"),
    Rule("chatlearn", ("hiyouga/geometry3k",), verl.geo3k, C + "geo3k.py: compute_score", needs=("mathruler",)),
    Rule("trinity", ("math_reward",), trinity.math_reward, T + "math_reward.py: MathRewardFn", needs=("math_verify",)),
    Rule("trinity", ("accuracy_reward",), trinity.accuracy_reward, T + "accuracy_reward.py: AccuracyReward", needs=("math_verify",)),
    Rule("trinity", ("countdown_reward",), trinity.countdown_reward, T + "countdown_reward.py: CountDownRewardFn"),
    Rule("trinity", ("format_reward",), None, T + "format_reward.py: FormatReward", refused=FAILS),
    Rule("trinity", ("math_boxed_reward",), None, T + "math_reward.py: MathBoxedRewardFn", refused=QWEN),
    Rule("trinity", ("math_dapo_reward",), None, T + "dapo_reward.py: MathDAPORewardFn", refused=MASKED),
    Rule("roll", ("MathRuleRewardWorker",), roll.math_rule, R + "math_rule_reward_worker.py: MathRuleRewardWorker", since="0.2", needs=("math_verify",),
         words=PROMPTED),
    Rule("roll", ("MathRuleRewardWorker",), roll.math_rule_before, R + "math_rule_reward_worker.py: MathRuleRewardWorker", since="0.1.3",
         until="0.1.99", needs=("math_verify",), words=PROMPTED),
    Rule("roll", ("MathRuleRewardWorker",), roll.math_rule_first, R + "math_rule_reward_worker.py: MathRuleRewardWorker", until="0.1.2",
         needs=("math_verify",)),
    Rule("roll", ("CrossThinkQARuleRewardWorker",), roll.choice, R + "crossthinkqa_rule_reward_worker.py: CrossThinkQARuleRewardWorker",
         words=("reward_type",)),
    Rule("roll", ("MultipleChoiceBoxedRuleRewardWorker",), roll.boxed_choice,
         R + "multiple_choice_boxed_rule_reward_worker.py: MultipleChoiceBoxedRuleRewardWorker"),
    Rule("roll", ("GeneralRuleRewardWorker",), instructions.ifeval, R + "ifeval_rule_reward_worker.py: GeneralRuleRewardWorker", needs=("langdetect",)),
    Rule("roll", ("GeneralValRuleRewardWorker",), None, R + "general_val_rule_reward_worker.py: GeneralValRuleRewardWorker", refused=TAGGED),
    Rule("roll", ("CodeSandboxRewardWorker",), coding.code, R + "code_sandbox_reward_worker.py: cal_local_test", since="0.1.3",
         words=("extra_info",), cases=coding.CASES, text_alone=True),
    Rule("roll", ("CodeSandboxRewardWorker",), None, R + "code_sandbox_reward_worker.py: CodeSandboxRewardWorker", until="0.1.2", refused=OLDER),
    Rule("roll", ("LLMJudgeRewardWorker",), None, R + "llm_judge_reward_worker.py: LLMJudgeRewardWorker", refused=JUDGED),
    Rule("roll", ("DetectionRewardWorker",), None, R + "detection_reward_worker.py: DetectionRewardWorker", refused=BOXES),
    Rule("roll", ("VideoR1RewardWorker",), None, R + "video_r1_reward_worker.py: VideoR1RewardWorker", refused=FRAMES),
    Rule("roll", ("RemoteRewardSystemWorker",), None, R + "remote_reward_system_worker.py", refused=SERVICE),
)  # fmt: skip
"""Rows of veRL and ChatLearn are by the data set's `data_source`, as `default_compute_score` (verl/utils/reward_score/__init__.py) and
`RuleReward` (chatlearn/models/reward/rule_reward.py) have them; Trinity-RFT's by the name that a function is registered by
(trinity/common/rewards/__init__.py), ROLL's by the class of a domain's worker."""


def rule(framework: str, release: str, name: str, *, confined: bool = False) -> Rule | None:
    """Return the first rule that fits, or None where the framework itself has none for that name."""
    return next((rule for rule in RULES if rule.fits(framework, release, name, confined=confined)), None)


def known(framework: str, release: str) -> list[str]:
    """List the names that are scored in a release."""
    return [
        name
        for rule in RULES
        if rule.function and any(rule.fits(framework, release, each.rstrip("*")) for each in rule.names)
        for name in rule.names
    ]
