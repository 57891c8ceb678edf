"""KEY, second part: words of closed lists that only the framework's code knows."""

from __future__ import annotations

from rftconf.lint.rule import ERROR, Family, Findings, Put, found, trinity
from rftconf.lint.subject import Subject
from rftconf.mappers.paths import without_indices

FAMILY = Family("KEY")
rule = FAMILY.rule

WORDS: dict[str, dict[str, tuple[tuple[str, str], ...]]] = {
    "trinity": {
        "mode": (("", "explore train both bench serve"), ("0.5.2", "colocate")),
        "explorer.concurrent_mode": (("", "sequential asynchronous multi-threading"),),
        "explorer.rollout_model.engine_type": (
            ("", "vllm vllm_async"),
            ("0.4.1", "tinker"),
            ("0.5.2", "external"),
            ("0.6.0", "sglang"),
        ),
        "trainer.trainer_type": (("", "verl"), ("0.4.1", "tinker")),
        "trainer.save_hf_checkpoint": (("", "last always never"),),
        "algorithm.advantage_fn_args.std_cal_level": (("", "group batch"),),
        "buffer.explorer_input.tasksets[].storage_type": (("", "sql queue file"),),
        "buffer.explorer_input.eval_tasksets[].storage_type": (("", "sql queue file"),),
        "buffer.trainer_input.experience_buffer.storage_type": (("", "sql queue file"),),
    },
    "verl": {
        "actor_rollout_ref.actor.megatron.router_replay.mode": (("", "disabled R2 R3"),),
        "actor_rollout_ref.ref.megatron.router_replay.mode": (("", "disabled R2 R3"),),
    },
    "roll": {
        **{f"{role}.router_replay.mode": (("", "disable R3"),) for role in ("actor_train", "actor_infer", "reference")},
        "actor_train.pg_variant": (("", "vanilla ppo tis topr cispo kimi15"),),
    },
}
"""Framework and key (newest name) to the words, each group with the release that it came in."""


def words(s: Subject, key: str) -> tuple[str, ...]:
    """The words that `key` takes in the subject's release, none where its list is not closed."""
    groups = WORDS.get(s.framework, {}).get(without_indices(key), ())
    return tuple(word for since, group in groups if not since or s.since(since) for word in group.split())


@rule(
    15, ERROR, "a word that the framework does not know",
    bad=trinity("explorer.concurrent_mode=asynchronus"), good=trinity("explorer.concurrent_mode=asynchronous"),
    advice="take one of the words named",
    source="Trinity-RFT config_validator.py, models/__init__.py; veRL workers/config/actor.py; ROLL agentic_actor_pg_worker.py; "
    "RULES 1.3, 2.2, 3.2, 3.4",
    fixable=True,
)  # fmt: skip
def _unknown_word(s: Subject) -> Findings:
    """The list of words is closed, but the loader takes any text: the framework's own check, or the code that looks the
    word up when the run has started, refuses all others."""
    closed = WORDS.get(s.framework, {})
    for key, leaf in s.written_keys():
        if without_indices(key) not in closed:
            continue
        known = words(s, key)
        got = leaf.value
        plain = isinstance(got, str) and "${" not in got
        if not known or not plain or str(got).lower() in {word.lower() for word in known}:
            continue
        if key.endswith(".engine_type") and str(got).startswith("vllm"):
            continue  # any name that starts so
        from difflib import get_close_matches

        near = get_close_matches(str(got), known, n=1)
        yield found(
            f"{s.title} has no {leaf.key} {got}: {', '.join(known)}", key, fix=Put(key, near[0]) if near else ()
        )
