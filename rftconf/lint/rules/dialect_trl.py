"""Rules for what only TRL's GRPO has: groups in generations, its losses' words, engines in the trainer's processes."""

from __future__ import annotations

from typing import Any

from rftconf.lint.rule import ERROR, WARNING, Drop, Family, Findings, Put, finding, trl
from rftconf.lint.subject import Subject

FAMILY = Family("DIA", ("trl",))
rule = FAMILY.rule
DEVICE, ACCUMULATES, PROCESSES, N = (
    "per_device_train_batch_size", "gradient_accumulation_steps", "num_processes", "num_generations"
)  # fmt: skip
GENERATES, SLICES, LOSS, CONFIG = (
    "generation_batch_size",
    "steps_per_generation",
    "loss_type",
    "trl/trainer/grpo_config.py: __post_init__",
)
TRAINER = "trl/trainer/grpo_trainer.py"


def _generated(s: Subject) -> int | None:
    """Completions that are generated at a time, where all of their factors are known."""
    own = s.native.value(GENERATES)
    if isinstance(own, int):
        return own
    slices = s.native.value(SLICES)
    factors = (
        s.native.value(DEVICE),
        s.native.value(PROCESSES),
        s.native.value(ACCUMULATES) if slices is None else slices,
    )
    if not all(isinstance(factor, int) for factor in factors):
        return None
    device, processes, times = factors
    return int(device * processes * times)


@rule(
    401, ERROR, "two sizes of a generation",
    bad=trl(f"{GENERATES}=64", f"{SLICES}=2"), good=trl(f"{SLICES}=2"),
    advice="give one of them", source=f"TRL {CONFIG}", fixable=True,
)  # fmt: skip
def _two_sizes(s: Subject) -> Findings:
    """Each of the two follows from the other, and GRPOConfig stops where both are set."""
    if s.native.value(GENERATES) is not None and s.native.value(SLICES) is not None:
        yield finding(
            f"{s.says(GENERATES)} and {s.says(SLICES)}: the run stops",
            GENERATES,
            SLICES,
            fix=Drop(GENERATES),
            safe=True,
        )


@rule(
    402, ERROR, "a generation that is no whole number of groups",
    bad=trl(f"{DEVICE}=3", f"{ACCUMULATES}=1", f"{N}=16"), good=trl(f"{DEVICE}=4", f"{ACCUMULATES}=1", f"{N}=16"),
    advice="make devices x accumulation x processes a multiple of num_generations", source=f"TRL {CONFIG}",
)  # fmt: skip
def _torn_groups(s: Subject) -> Findings:
    """Completions of a prompt are compared with each other, so that GRPOConfig takes whole groups alone."""
    whole, n = _generated(s), s.native.value(N)
    if whole is not None and isinstance(n, int) and n > 1 and whole % n:
        yield finding(
            f"{whole} completions are generated at a time, and {s.says(N)} does not divide them", N, DEVICE, ACCUMULATES
        )


@rule(
    403, ERROR, "a group of one",
    bad=trl(f"{N}=1"), good=trl(f"{N}=8"),
    advice="draw at least 2 completions a prompt", source=f"TRL {CONFIG}",
)  # fmt: skip
def _single(s: Subject) -> Findings:
    """The advantage of a completion is its distance from the group's mean: a group of one has none, and GRPOConfig stops."""
    n = s.native.value(N)
    if isinstance(n, int) and n < 2:
        yield finding(f"{s.says(N)}: GRPOConfig asks for at least 2", N)


@rule(
    404, WARNING, "updates that mix generations",
    bad=trl(f"{ACCUMULATES}=4", f"{SLICES}=6"), good=trl(f"{ACCUMULATES}=4", f"{SLICES}=8"),
    advice="make steps_per_generation a multiple or a divisor of gradient_accumulation_steps", source=f"TRL {TRAINER}: _prepare_inputs",
)  # fmt: skip
def _mixed(s: Subject) -> Findings:
    """An update takes as many slices as it accumulates; where these do not divide a generation, some updates learn from
    completions of two, drawn by different weights."""
    slices, steps, passes = (s.native.value(key) for key in (SLICES, ACCUMULATES, "num_iterations"))
    if not all(isinstance(number, int) and number > 0 for number in (slices, steps, passes)):
        return
    fewer = slices < steps and passes == 1 and not steps % slices
    if slices % steps and not fewer:
        yield finding(
            f"{s.says(SLICES)} and {s.says(ACCUMULATES)}: an update takes parts of two generations", SLICES, ACCUMULATES
        )


@rule(
    405, WARNING, "a mean over several updates",
    bad=trl("loss_type=dapo", f"{ACCUMULATES}=2", f"{SLICES}=8", release="1.8.0"),
    good=trl("loss_type=bnpo", f"{ACCUMULATES}=2", f"{SLICES}=8", release="1.8.0"),
    advice="take a loss that is averaged by update, or multiply the learning rate", source=f"TRL {TRAINER}: _compute_loss, num_items_in_batch",
    until="1.8.0",
)  # fmt: skip
def _whole_generation(s: Subject) -> Findings:
    """dapo, cispo and vespo divide by the tokens of a whole generation, which is several updates: each gradient is so many
    times smaller than the mean over its update. Later releases divide by those of an update."""
    slices, steps, loss = s.native.value(SLICES), s.native.value(ACCUMULATES), s.native.value(LOSS)
    if loss in ("dapo", "cispo", "vespo") and isinstance(slices, int) and isinstance(steps, int) and slices > steps > 0:
        yield finding(
            f"{s.says(LOSS)} with {s.says(SLICES)}: gradients are {slices / steps:g} times smaller", SLICES, LOSS
        )


@rule(
    406, WARNING, "cispo with the clip range of another loss",
    bad=trl("loss_type=cispo", "epsilon_high=0.28"), good=trl("loss_type=cispo", "epsilon_high=5.0"),
    advice="give epsilon_high the largest ratio itself, above 1", source=f"TRL {TRAINER}: _compute_loss", since="0.26.2",
)  # fmt: skip
def _capped_below_one(s: Subject) -> Findings:
    """cispo caps the ratio at epsilon_high itself, not at 1 + epsilon_high: with 0.28, and with epsilon where it is not set,
    every token weighs less than it would on the policy's own answers."""
    high, low = s.native.value("epsilon_high"), s.native.value("epsilon")
    bound = low if high is None else high
    if s.native.value(LOSS) == "cispo" and isinstance(bound, (int, float)) and bound < 1:
        yield finding(f"{s.says(LOSS)}: the ratio is capped at {bound:g}, below 1", "epsilon_high", LOSS)


@rule(
    407, WARNING, "a second cap below the first",
    bad=trl("delta=1.1", "epsilon=0.2"), good=trl("delta=4.0", "epsilon=0.2"),
    advice="give delta a number above 1 + epsilon_high", source=f"TRL {TRAINER}: _compute_loss, two-sided clipping",
)  # fmt: skip
def _low_delta(s: Subject) -> Findings:
    """delta bounds the ratio of bad answers; below 1 + epsilon_high it bounds good ones too, before their own range does."""
    delta, high, low = (s.native.value(key) for key in ("delta", "epsilon_high", "epsilon"))
    bound = low if high is None else high
    known = isinstance(delta, (int, float)) and isinstance(bound, (int, float))
    if known and delta < 1 + bound and s.native.value(LOSS) not in ("cispo", "sapo", "vespo"):
        yield finding(f"{s.says('delta')} is below 1 + {bound:g}", "delta", "epsilon_high", "epsilon")


@rule(
    408, ERROR, "a reference that does not exist is moved",
    bad=trl("sync_ref_model=true", "beta=0.0"), good=trl("sync_ref_model=true", "beta=0.04"),
    advice="set beta, or leave sync_ref_model out", source=f"TRL {TRAINER}: __init__", since="0.28.0", fixable=True,
)  # fmt: skip
def _no_reference(s: Subject) -> Findings:
    """No reference model is loaded with beta 0, and the trainer stops where one is to be moved."""
    if s.native.value("sync_ref_model") is True and s.native.value("beta") == 0:
        yield finding(f"{s.says('sync_ref_model')} and {s.says('beta')}: there is no reference", "sync_ref_model", "beta",
                      fix=Drop("sync_ref_model"), safe=True)  # fmt: skip


@rule(
    409, ERROR, "a reference below adapters is moved",
    bad=trl("sync_ref_model=true", "beta=0.04", "use_peft=true"), good=trl("beta=0.04", "use_peft=true"),
    advice="leave sync_ref_model out", source=f"TRL {TRAINER}: __init__", since="0.28.0",
)  # fmt: skip
def _adapted_reference(s: Subject) -> Findings:
    """Under adapters the reference is the model without them: there is nothing to move, and the trainer stops."""
    if s.native.value("sync_ref_model") is True and s.native.value("use_peft") is True:
        yield finding(f"{s.says('sync_ref_model')} with {s.says('use_peft')}", "sync_ref_model", "use_peft")


@rule(
    410, ERROR, "a batch size that looks for itself",
    bad=trl("auto_find_batch_size=true"), good=trl("auto_find_batch_size=false"),
    advice="leave it out", source=f"TRL {CONFIG}", since="1.10.0", fixable=True,
)  # fmt: skip
def _looks_for_itself(s: Subject) -> Findings:
    """Half a batch would hold half of a group, so that GRPOConfig stops."""
    key = "auto_find_batch_size"
    if s.native.value(key) is True:
        yield finding(f"{s.says(key)}: GRPOConfig stops", key, fix=Put(key, value=False), safe=True)


@rule(
    411, ERROR, "engines that do not fit the processes",
    bad=trl("use_vllm=true", "vllm_mode=colocate", "vllm_tensor_parallel_size=3"),
    good=trl("use_vllm=true", "vllm_mode=colocate", "vllm_tensor_parallel_size=4"),
    advice="take a divisor of num_processes", source="TRL trl/generation/vllm_generation.py: tensor_parallel_size",
)  # fmt: skip
def _torn_engines(s: Subject) -> Findings:
    """An engine in the trainer's processes spans so many of them, and all of them are in one."""
    size, processes = s.native.value("vllm_tensor_parallel_size"), s.native.value(PROCESSES)
    used = s.native.value("use_vllm") is True and s.native.value("vllm_mode") == "colocate"
    if used and isinstance(size, int) and isinstance(processes, int) and size > 0 and processes % size:
        yield finding(
            f"{s.says('vllm_tensor_parallel_size')} does not divide {s.says(PROCESSES)}",
            "vllm_tensor_parallel_size",
            PROCESSES,
        )


@rule(
    412, ERROR, "weights for other reward functions",
    bad=trl("reward_funcs=[accuracy_reward, think_format_reward]", "reward_weights=[1.0]"),
    good=trl("reward_funcs=[accuracy_reward, think_format_reward]", "reward_weights=[1.0, 0.5]"),
    advice="give each function a weight", source=f"TRL {TRAINER}: __init__",
)  # fmt: skip
def _weights(s: Subject) -> Findings:
    """The trainer stops where there are not as many weights as functions; a reward model comes first and needs one too."""
    functions, weights = _listed(s, "reward_funcs"), _listed(s, "reward_weights")
    if functions is None or weights is None:
        return
    count = len(functions) + (s.native.value("reward_model_name_or_path") is not None)
    if len(weights) != count:
        yield finding(f"{len(weights)} weights for {count} rewards", "reward_weights", "reward_funcs")


def _listed(s: Subject, key: str) -> list[Any] | None:
    value = s.native.value(key)
    return value if isinstance(value, list) else None


@rule(
    413, ERROR, "evaluation in parts of groups",
    bad=trl("eval_strategy=steps", "per_device_eval_batch_size=3", f"{N}=16"),
    good=trl("eval_strategy=steps", "per_device_eval_batch_size=4", f"{N}=16"),
    advice="make per_device_eval_batch_size x processes a multiple of the answers a prompt", source=f"TRL {CONFIG}",
)  # fmt: skip
def _torn_evaluation(s: Subject) -> Findings:
    """All answers to a prompt are evaluated in one batch, so that GRPOConfig takes whole groups alone."""
    key, own = "per_device_eval_batch_size", s.native.value("num_generations_eval")
    size, processes, n = s.native.value(key), s.native.value(PROCESSES), own or s.native.value(N)
    known = all(isinstance(number, int) and number > 0 for number in (size, processes, n))
    if known and s.native.value("eval_strategy") not in ("no", None) and size * processes % n:
        yield finding(
            f"{size * processes} answers are evaluated at a time, and {n} a prompt do not divide them",
            key,
            "eval_strategy",
        )


@rule(
    414, ERROR, "bounds of a correction that exclude each other",
    bad=trl("vllm_importance_sampling_clip_min=3.0", "vllm_importance_sampling_clip_max=2.0"),
    good=trl("vllm_importance_sampling_clip_min=0.5", "vllm_importance_sampling_clip_max=2.0"),
    advice="give a lower bound below the upper one", source=f"TRL {CONFIG}", since="1.6.0",
)  # fmt: skip
def _crossed_bounds(s: Subject) -> Findings:
    """No ratio lies between them, and GRPOConfig stops."""
    least, most = "vllm_importance_sampling_clip_min", "vllm_importance_sampling_clip_max"
    low, high = s.native.value(least), s.native.value(most)
    if isinstance(low, (int, float)) and isinstance(high, (int, float)) and low >= high:
        yield finding(f"{s.says(least)} is not below {s.says(most)}", least, most)


@rule(
    415, ERROR, "completions for the hub that are not kept",
    bad=trl("log_completions_hub_repo=org/answers"), good=trl("log_completions_hub_repo=org/answers", "log_completions=true"),
    advice="set log_completions", source=f"TRL {CONFIG}", since="0.28.0", fixable=True,
)  # fmt: skip
def _unkept(s: Subject) -> Findings:
    """GRPOConfig stops where a repository is named for completions that nothing writes down."""
    key, logs = "log_completions_hub_repo", "log_completions"
    if s.native.value(key) is not None and s.native.value(logs) is False:
        yield finding(f"{s.says(key)}, but {s.says(logs)}", key, logs, fix=Put(logs, value=True), safe=True)


@rule(
    416, ERROR, "vespo with weights of whole sequences",
    bad=trl("loss_type=vespo", "use_vllm=true", "vllm_importance_sampling_mode=sequence_mask"),
    good=trl("loss_type=vespo", "use_vllm=true", "vllm_importance_sampling_mode=token_truncate"),
    advice="set vllm_importance_sampling_mode to token_truncate or token_mask", source=f"TRL {TRAINER}: __init__", since="1.0.0",
)  # fmt: skip
def _vespo(s: Subject) -> Findings:
    """vespo makes the sequence's weight itself, of tokens' ratios: the trainer stops at the mode that is the default."""
    mode = s.native.value("vllm_importance_sampling_mode")
    corrected = s.native.value("use_vllm") is True and s.native.value("vllm_importance_sampling_correction") is True
    if s.native.value(LOSS) == "vespo" and corrected and str(mode).startswith("sequence"):
        yield finding(f"{s.says(LOSS)} with the mode {mode}", "vllm_importance_sampling_mode", LOSS)
