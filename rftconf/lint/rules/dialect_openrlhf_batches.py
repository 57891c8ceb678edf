"""Rules for what only OpenRLHF has: rollouts, updates and micro-batches that are counted by flags of their own."""

from __future__ import annotations

from rftconf.lint.measures import RESPONSES, UPDATE, sequences
from rftconf.lint.rule import ERROR, INFO, WARNING, Drop, Family, Findings, Put, finding, openrlhf
from rftconf.lint.rules.dialect_openrlhf_places import (
    AGENT,
    ASYNC,
    DS_TP,
    ENGINE_SLEEP,
    MAIN,
    RING,
    URL,
    gpus_of,
    is_missing,
    is_on,
)
from rftconf.lint.subject import Subject

FAMILY = Family("DIA", ("openrlhf",))
rule = FAMILY.rule
PROMPTS, SCORED, AT_ONCE, N = (
    f"rollout.{name}" for name in ("batch_size", "micro_batch_size", "vllm_generate_batch_size", "n_samples_per_prompt")
)
SIZE, DYNAMIC, ROWS = "train.batch_size", "train.dynamic_batch_enable", "data.max_samples"
FILTERS, RANGE = "algo.dynamic_filtering_enable", "algo.dynamic_filtering_range"
AHEAD = (f"{ASYNC}=true", f"{ENGINE_SLEEP}=false")


@rule(
    521, ERROR, "fewer batches to score than ranks",
    bad=openrlhf(f"{PROMPTS}=16", f"{SIZE}=128", f"{SCORED}=32"), good=openrlhf(f"{PROMPTS}=16", f"{SIZE}=128", f"{SCORED}=16"),
    advice="make rollout.micro_batch_size smaller", source=f"OpenRLHF {MAIN}: main",
)  # fmt: skip
def _idle_ranks(s: Subject) -> Findings:
    """A rollout is scored in batches of rollout.micro_batch_size, of which each rank of the actor takes one at least; the
    check at the start of the run also asks where batches are made by tokens."""
    whole, scored, gpus, ring, tp = sequences(s), s.count(SCORED), gpus_of(s, "actor"), s.count(RING), s.count(DS_TP)
    if whole is None or scored is None or gpus is None or ring is None or tp is None:
        return
    ranks = gpus // ring // tp
    if whole // scored < ranks:
        yield finding(f"{whole} answers in batches of {scored} are {whole // scored}, and the actor has {ranks} ranks",
                      SCORED, PROMPTS, N)  # fmt: skip


@rule(
    522, WARNING, "an update of more answers than a rollout",
    bad=openrlhf(f"{SIZE}=2048"), good=openrlhf(f"{SIZE}=1024"),
    advice="make train.batch_size at most rollout.batch_size x n_samples_per_prompt", fixable=True,
    source="OpenRLHF openrlhf/trainer/ppo_utils/replay_buffer.py: setup_dynamic_batch; DeepSpeed runtime/engine.py: micro_steps",
)  # fmt: skip
def _larger_update(s: Subject) -> Findings:
    """Gradients of fixed micro-batches are summed up over as many rollouts as it takes, and answers of all but the last
    are learned from late. With batches by tokens there is no update at all, and nothing says so."""
    whole, update = sequences(s), s.count(UPDATE)
    if whole is None or update is None or update <= whole:
        return
    by_tokens = is_on(s, DYNAMIC)
    what = "there is no update at all" if by_tokens else f"an update takes {-(-update // whole)} rollouts"
    yield finding(f"an update takes {update} answers ({s.says(SIZE)}), a rollout has {whole}: {what}", SIZE, PROMPTS, N,
                  fix=Put(SIZE, whole), severity=ERROR if by_tokens else WARNING)  # fmt: skip


@rule(
    523, WARNING, "a rollout that updates do not divide",
    bad=openrlhf(f"{PROMPTS}=144"), good=openrlhf(f"{PROMPTS}=144", f"{SIZE}=128"),
    advice="make train.batch_size a divisor of rollout.batch_size x n_samples_per_prompt",
    source="OpenRLHF openrlhf/trainer/ppo_utils/replay_buffer.py: setup_dynamic_batch; DeepSpeed runtime/engine.py: micro_steps; H80",
)  # fmt: skip
def _torn_rollout(s: Subject) -> Findings:
    """The gradients that are left over stay, and the next rollout's first update is made of them and its own. With batches
    by tokens nothing is learned from the answers that are left."""
    whole, update = sequences(s), s.count(UPDATE)
    if whole is None or update is None or update > whole or whole % update == 0:
        return
    what = "are not trained on" if is_on(s, DYNAMIC) else "go into the next rollout's first update"
    yield finding(f"{whole} answers a rollout, {update} an update: {whole % update} {what}", PROMPTS, SIZE, N)


@rule(
    524, ERROR, "more prompts at once than a rollout takes",
    bad=openrlhf(f"{AT_ONCE}=256"), good=openrlhf(f"{AT_ONCE}=256", *AHEAD),
    advice="let engines run ahead, or leave it out", source=f"OpenRLHF {MAIN}: main", since="0.10.0", fixable=True,
)  # fmt: skip
def _more_at_once(s: Subject) -> Findings:
    """Prompts that a rollout does not take wait for the next one in a queue, which only engines that run ahead have."""
    at_once, prompts = s.count(AT_ONCE), s.count(PROMPTS)
    if at_once is not None and prompts is not None and at_once > prompts and s.value(ASYNC) is False:
        yield finding(f"{s.says(AT_ONCE)} is more than {s.says(PROMPTS)}: the run stops", AT_ONCE, PROMPTS,
                      fix=Drop(AT_ONCE), safe=True)  # fmt: skip


@rule(
    525, WARNING, "a rollout of another size than it says",
    bad=openrlhf(f"{AT_ONCE}=64"), good=openrlhf(f"{AT_ONCE}=128"),
    advice="give rollout.batch_size the number of prompts, and leave the other out",
    source="OpenRLHF openrlhf/trainer/ppo_utils/samples_generator.py: generate_samples; up to 0.8.11 ppo_trainer.py: prepare_datasets; H81",
)  # fmt: skip
def _other_rollout(s: Subject) -> Findings:
    """A rollout is what engines are given at once: rollout.batch_size only cuts it where it is more. Up to 0.8.11 nothing
    cuts it unless groups are filtered; releases from 0.9.1 to 0.9.10 do not read the flag."""
    at_once, prompts = s.count(AT_ONCE), s.count(PROMPTS)
    if at_once is None or prompts is None or at_once == prompts:
        return
    if s.since("0.9.1") and not s.since("0.10.0"):
        yield finding(f"{s.says(AT_ONCE)} is not read by {s.title}", AT_ONCE, PROMPTS, severity=INFO)
    elif at_once < prompts if s.since("0.10.0") else not is_on(s, FILTERS):
        yield finding(
            f"a rollout has {at_once} prompts ({s.says(AT_ONCE)}), not {prompts} ({s.says(PROMPTS)})", AT_ONCE, PROMPTS
        )


@rule(
    526, ERROR, "groups that are filtered by scores nobody gives in time",
    bad=openrlhf(f"{FILTERS}=true", f"~{URL}", "reward.model_name_or_path=org/judge"), good=openrlhf(f"{FILTERS}=true"),
    advice="score with a Python file, a service or an agent", source=f"OpenRLHF {MAIN}: main", since="0.8.1",
)  # fmt: skip
def _scored_late(s: Subject) -> Findings:
    """Groups are dropped while engines generate, and a reward model scores after that: the run stops."""
    if is_on(s, FILTERS) and is_missing(s, URL, AGENT):
        yield finding(f"{s.says(FILTERS)} without {s.key(URL)} or {s.key(AGENT)}: the run stops", FILTERS, URL)


@rule(
    527, ERROR, "a range of mean scores that holds none",
    bad=openrlhf(f"{FILTERS}=true", f"{RANGE}=[1.0, 0.0]"), good=openrlhf(f"{FILTERS}=true", f"{RANGE}=[0.0, 1.0]"),
    advice="give the lower bound first", source=f"OpenRLHF {MAIN}: main", since="0.8.2",
)  # fmt: skip
def _no_scores(s: Subject) -> Findings:
    """Groups are kept whose mean score lies between both numbers, and the run stops where no number does."""
    band = s.value(RANGE)
    if is_on(s, FILTERS) and isinstance(band, list) and len(band) == 2:
        low, high = band
        if isinstance(low, int | float) and isinstance(high, int | float) and low >= high:
            yield finding(f"{s.says(RANGE)}: no mean score lies between both", RANGE, FILTERS)


@rule(
    528, ERROR, "groups of one that are filtered",
    bad=openrlhf(f"{FILTERS}=true", "algo.advantage.estimator=reinforce", f"{N}=1"),
    good=openrlhf(f"{FILTERS}=true", "algo.advantage.estimator=reinforce", f"{N}=8"),
    advice="draw at least 2 answers a prompt", source=f"OpenRLHF {MAIN}: main", since="0.8.1",
)  # fmt: skip
def _single(s: Subject) -> Findings:
    """The mean score of a group decides, and the run stops where a group is one answer, whatever the estimator."""
    if is_on(s, FILTERS) and s.count(RESPONSES) == 1:
        yield finding(f"{s.says(FILTERS)} with {s.says(N)}: the run stops", N, FILTERS)


@rule(
    529, WARNING, "fewer rows than a rollout takes",
    bad=openrlhf(f"{ROWS}=100"), good=openrlhf(f"{ROWS}=1000"),
    advice="take more rows, or smaller rollouts", source="OpenRLHF openrlhf/trainer/ppo_trainer.py: prepare_datasets",
)  # fmt: skip
def _few_rows(s: Subject) -> Findings:
    """An episode has no whole rollout. Up to 0.8.11 the loader drops one that is not whole, and nothing is trained."""
    trains_short = s.since("0.9.1")
    whole = PROMPTS if trains_short or s.native.value(AT_ONCE) is None else AT_ONCE  # the loader's batches up to 0.8.11
    rows, prompts = s.count(ROWS), s.count(whole)
    if rows is None or prompts is None or rows >= prompts:
        return
    what = "is short" if trains_short else "is dropped, and nothing is trained"
    yield finding(f"{s.says(ROWS)} is less than {s.says(whole)}: the only rollout of an episode {what}", ROWS, whole,
                  severity=WARNING if trains_short else ERROR)  # fmt: skip


@rule(
    530, ERROR, "a range of mean scores that stays text",
    bad=openrlhf("dynamic_filtering=true", "dynamic_filtering_reward_range=[0.1, 0.9]", release="0.8.1"),
    good=openrlhf("dynamic_filtering=true", release="0.8.1"),
    advice="leave it out, or take a newer release", source="OpenRLHF 0.8.1 openrlhf/trainer/ppo_trainer.py: fit; the flag has no type",
    since="0.8.1", until="0.8.1",
)  # fmt: skip
def _range_of_text(s: Subject) -> Findings:
    """0.8.1 does not make numbers of the two words, and stops where it adds to them after the first rollout; the default
    range alone is one of numbers."""
    if is_on(s, FILTERS) and s.written(RANGE):
        yield finding(f"{s.says(RANGE)}: {s.title} takes it as text", RANGE, FILTERS)
