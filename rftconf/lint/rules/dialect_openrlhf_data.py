"""Rules for what only OpenRLHF has: who scores, templates, evaluation, checkpoints, and switches that set others."""

from __future__ import annotations

from rftconf.lint.rule import ERROR, INFO, WARNING, Drop, Family, Findings, Put, finding, openrlhf
from rftconf.lint.rules.dialect_openrlhf_places import (
    AGENT,
    CRITIC,
    ESTIMATOR,
    MAIN,
    MODEL,
    RING,
    URL,
    is_missing,
    is_on,
)
from rftconf.lint.subject import Subject
from rftconf.schemas import catalogue

FAMILY = Family("DIA", ("openrlhf",))
rule = FAMILY.rule
PACKING, ATTENTION, DYNAMIC = "ds.packing_samples", "ds.attn_implementation", "train.dynamic_batch_enable"
TEMPLATE, CHAT = "data.input_template", "data.apply_chat_template"
SET, STEPS = "eval.dataset", "eval.steps"
SAVES, NO_STATES, EXPORTS, RESUMES = "ckpt.save_steps", "ckpt.disable_ds", "ckpt.save_hf", "ckpt.load_enable"
PICTURES = "data.max_images_per_prompt"
ROWS = "OpenRLHF openrlhf/datasets/prompts_dataset.py: preprocess_data"


@rule(
    551, ERROR, "nobody scores",
    bad=openrlhf(f"~{URL}"), good=openrlhf(f"{URL}=/code/reward_func.py"),
    advice="name a Python file with reward_func, a service, an agent or a reward model", source=f"OpenRLHF {MAIN}: main, train",
)  # fmt: skip
def _no_rewards(s: Subject) -> Findings:
    """Without any of the four a reward model is asked for that was never loaded, and with gae the run stops at once,
    because the critic is to start from it. A flag that no release has may be a fork's own way to score."""
    if is_missing(s, URL, AGENT, MODEL) and _knows_every_flag(s):
        yield finding(
            f"neither {s.key(URL)}, {s.key(AGENT)} nor {s.key(MODEL)} is given", URL, "actor.model_name_or_path"
        )


def _knows_every_flag(s: Subject) -> bool:
    known = catalogue.load(s.framework, s.best.release, s.best.trainer).keys
    return all(leaf.key in known for _, leaf in s.written_keys())


@rule(
    552, ERROR, "an agent that is no Python file",
    bad=openrlhf(f"{AGENT}=/code/agent", f"~{URL}"), good=openrlhf(f"{AGENT}=/code/agent.py", f"~{URL}"),
    advice="name the file that has AgentExecutor", source="OpenRLHF openrlhf/trainer/ray/vllm_engine.py: _load_agent_executor",
)  # fmt: skip
def _no_python(s: Subject) -> Findings:
    """Each engine imports the file by its path, and asserts that it ends with .py."""
    path = s.value(AGENT)
    if isinstance(path, str) and path and not path.endswith(".py"):
        yield finding(f"{s.says(AGENT)} does not end with .py", AGENT)


@rule(
    553, ERROR, "an evaluation that a reward model is to score",
    bad=openrlhf(f"{SET}=org/test", f"{STEPS}=10", f"~{URL}", f"{MODEL}=org/judge"), good=openrlhf(f"{SET}=org/test", f"{STEPS}=10"),
    advice="score with a Python file, a service or an agent", source=f"OpenRLHF {MAIN}: main",
)  # fmt: skip
def _unscored(s: Subject) -> Findings:
    """Answers of an evaluation are scored where they are generated, and a reward model is elsewhere: the run stops."""
    if isinstance(s.value(SET), str) and is_missing(s, URL, AGENT):
        yield finding(f"{s.says(SET)} without {s.key(URL)} or {s.key(AGENT)}: the run stops", SET, URL)


@rule(
    554, WARNING, "an evaluation that never takes place",
    bad=openrlhf(f"{SET}=org/test"), good=openrlhf(f"{SET}=org/test", f"{STEPS}=10"),
    advice="say after how many steps", source="OpenRLHF openrlhf/trainer/ppo_trainer.py: __init__, fit",
)  # fmt: skip
def _never(s: Subject) -> Findings:
    """The steps between two evaluations are -1 unless they are written, which is never; and steps without a set are
    nothing either."""
    steps = s.number(STEPS)
    if isinstance(s.value(SET), str) and s.written(SET) and steps == -1:
        yield finding(f"{s.says(SET)} is never evaluated: {s.says(STEPS)}", SET, STEPS)
    elif steps is not None and steps > 0 and is_missing(s, SET):
        yield finding(f"{s.says(STEPS)} without {s.key(SET)}: there is nothing to evaluate", STEPS, severity=INFO)


@rule(
    555, WARNING, "a template without a place for the prompt",
    bad=openrlhf(f"~{CHAT}", f"{TEMPLATE}=User:"), good=openrlhf(f"~{CHAT}", f"{TEMPLATE}=User:{{}}"),
    advice="put {} where the prompt goes", source=f"OpenRLHF {MAIN}: main",
)  # fmt: skip
def _no_place(s: Subject) -> Findings:
    """The template is dropped, and prompts are taken as they are."""
    template = s.value(TEMPLATE)
    if isinstance(template, str) and template and "{}" not in template:
        yield finding(f"{s.says(TEMPLATE)} has no {{}} and is dropped", TEMPLATE)


@rule(
    556, INFO, "a template beside the model's own",
    bad=openrlhf(f"{CHAT}=true", f"{TEMPLATE}=User:{{}}"), good=openrlhf(f"{CHAT}=true"),
    advice="leave one of them out", source=ROWS, fixable=True,
)  # fmt: skip
def _two_templates(s: Subject) -> Findings:
    """The model's chat template goes before the other one, which is not looked at."""
    template = s.value(TEMPLATE)
    if is_on(s, CHAT) and isinstance(template, str) and template:
        yield finding(f"{s.says(TEMPLATE)} is not read: {s.says(CHAT)}", TEMPLATE, CHAT, fix=Drop(TEMPLATE), safe=True)


@rule(
    557, WARNING, "packed samples without flash attention",
    bad=openrlhf(f"{ATTENTION}=sdpa"), good=openrlhf(f"{ATTENTION}=flash_attention_2"),
    advice="take flash_attention_2, or leave packing out", source=f"OpenRLHF {MAIN}: main", since="0.8.11", fixable=True,
)  # fmt: skip
def _other_attention(s: Subject) -> Findings:
    """Packed samples are kept apart by flash attention alone, so that another implementation is replaced by it."""
    kernel, packs = s.value(ATTENTION), is_on(s, PACKING) or is_on(s, DYNAMIC) or (s.count(RING) or 1) > 1
    if packs and isinstance(kernel, str) and "flash_attention" not in kernel and s.written(ATTENTION):
        yield finding(f"{s.says(ATTENTION)} is replaced by flash_attention_2: samples are packed", ATTENTION, PACKING,
                      fix=Put(ATTENTION, "flash_attention_2"), safe=True)  # fmt: skip


@rule(
    558, INFO, "packing that another switch turns on",
    bad=openrlhf(f"{DYNAMIC}=true", f"{PACKING}=false"), good=openrlhf(f"{DYNAMIC}=true", f"{PACKING}=true"),
    advice="write packing_samples", source=f"OpenRLHF {MAIN}: main", since="0.8.6",
)  # fmt: skip
def _turned_on(s: Subject) -> Findings:
    """Batches by tokens and rings only know packed samples, and turn packing on with a warning among many."""
    causes = [key for key, on in ((DYNAMIC, is_on(s, DYNAMIC)), (RING, (s.count(RING) or 1) > 1)) if on]
    if causes and s.native.value(PACKING) is False and s.alone:
        yield finding(f"{s.says(causes[0])} packs samples, although {s.says(PACKING)}", causes[0], PACKING)


@rule(
    559, ERROR, "pictures with packed samples or a critic",
    bad=openrlhf(f"{PICTURES}=2"), good=openrlhf(f"{PICTURES}=2", f"{PACKING}=false"),
    advice="leave packing out, and take an estimator without a critic", source=f"OpenRLHF {MAIN}: main", since="0.10.0",
)  # fmt: skip
def _pictures(s: Subject) -> Findings:
    """Packing breaks the order of pictures and tokens, and the critic is not given pictures: the run stops."""
    if s.count(PICTURES) is None:
        return
    if is_on(s, PACKING):
        yield finding(f"{s.says(PICTURES)} with {s.says(PACKING)}: the run stops", PICTURES, PACKING)
    if s.value(ESTIMATOR) == "gae":
        yield finding(
            f"{s.says(PICTURES)} with {s.says(ESTIMATOR)}, which has a critic: the run stops", PICTURES, ESTIMATOR
        )


@rule(
    560, WARNING, "saves that save nothing",
    bad=openrlhf(f"{NO_STATES}=true"), good=openrlhf(f"{NO_STATES}=true", f"{EXPORTS}=true"),
    advice="keep DeepSpeed's states, or export the model", source="OpenRLHF openrlhf/trainer/ray/ppo_actor.py: save_checkpoint", since="0.9.2",
)  # fmt: skip
def _saves_nothing(s: Subject) -> Findings:
    """A checkpoint is DeepSpeed's states, the exported model, or both: with neither, steps are counted for nothing."""
    steps = s.number(SAVES)
    if is_on(s, NO_STATES) and s.value(EXPORTS) is False and steps is not None and steps > 0:
        yield finding(
            f"{s.says(NO_STATES)} and no {s.key(EXPORTS)}: nothing is saved every {steps} steps", NO_STATES, SAVES
        )


@rule(
    561, WARNING, "a run that cannot go on",
    bad=openrlhf(f"{NO_STATES}=true", f"{EXPORTS}=true", f"{RESUMES}=true"), good=openrlhf(f"{RESUMES}=true"),
    advice="keep DeepSpeed's states", source="OpenRLHF openrlhf/trainer/ray/ppo_actor.py: save_checkpoint; ppo_trainer.py: init_checkpoint_states",
    since="0.9.2",
)  # fmt: skip
def _cannot_go_on(s: Subject) -> Findings:
    """A run goes on from DeepSpeed's states, which this one does not keep: started again it begins at step 0, without a
    word."""
    if is_on(s, NO_STATES) and is_on(s, RESUMES):
        yield finding(f"{s.says(RESUMES)}, but {s.says(NO_STATES)}", RESUMES, NO_STATES)


@rule(
    562, INFO, "a critic that starts from the policy",
    bad=openrlhf(*CRITIC), good=openrlhf(*CRITIC, "critic.model_name_or_path=org/critic"),
    advice="name the model that the critic starts from", source=f"OpenRLHF {MAIN}: main; ppo_critic.py: init_value_head",
)  # fmt: skip
def _from_policy(s: Subject) -> Findings:
    """A critic that nobody names is the policy's weights with a new head where a function, a service or an agent scores; with
    a reward model it is that model."""
    key, scored = "critic.model_name_or_path", not is_missing(s, URL, AGENT)
    if s.value(ESTIMATOR) == "gae" and is_missing(s, key) and scored:
        yield finding(
            f"{s.says(ESTIMATOR)} without {s.key(key)}: the critic is the policy with a new head", ESTIMATOR, key
        )


@rule(
    563, INFO, "a switch for checkpoints that is not read",
    bad=openrlhf("disable_ds_ckpt=true", release="0.9.1"), good=openrlhf(release="0.9.1"),
    advice="leave it out, or count with DeepSpeed's states on the disk",
    source="OpenRLHF openrlhf/trainer/ray/ppo_actor.py: save_checkpoint; H87", until="0.9.1", fixable=True,
)  # fmt: skip
def _states_all_the_same(s: Subject) -> Findings:
    """These releases keep the switch and never look at it: each checkpoint has the optimizer's states, which are several
    times the size of the model. Releases from 0.9.2 on leave them out."""
    if is_on(s, NO_STATES):
        yield finding(
            f"{s.says(NO_STATES)}: {s.title} saves DeepSpeed's states all the same",
            NO_STATES,
            fix=Drop(NO_STATES),
            safe=True,
        )
