"""Names and their arguments that Trinity looks up only when the run starts."""

import importlib

import trinity_reads
from trinity_trainer import TRAINING_MODES

ENGINES = ("tinker", "sglang", "external")
WITHOUT_EXPLORER = ("train", "serve")


def look_up(config, progress):
    """Ask every registry that the run would ask; raises what it raises."""
    if config.mode in TRAINING_MODES:
        make_functions(config.algorithm)
        trinity_reads.check_sample_strategy(config.algorithm)
    if config.mode not in WITHOUT_EXPLORER:
        look_up_tasksets(config.buffer.explorer_input, progress)
        check_engines(config.explorer)
        trinity_reads.check_engines(config.explorer, progress)
    from trinity.common.constants import StorageType

    experience_buffer = config.buffer.trainer_input.experience_buffer
    if experience_buffer is not None:
        StorageType(experience_buffer.storage_type)
    for operator in config.data_processor.experience_pipeline.operators:
        registered("trinity.buffer.operators", "EXPERIENCE_OPERATORS", operator.name, progress)


def make_functions(algorithm):
    """Construct the algorithm's functions with their arguments: a misspelt argument is an error there."""
    import trinity.algorithm as registries

    make(registries.POLICY_LOSS_FN, algorithm.policy_loss_fn, {"backend": "verl"}, algorithm.policy_loss_fn_args)
    make(registries.ADVANTAGE_FN, algorithm.advantage_fn, {}, algorithm.advantage_fn_args)
    make(registries.KL_FN, algorithm.kl_loss_fn, {}, algorithm.kl_loss_fn_args)
    make(registries.KL_FN, algorithm.kl_penalty_fn, {}, algorithm.kl_penalty_fn_args)
    make(registries.ENTROPY_LOSS_FN, algorithm.entropy_loss_fn, {}, algorithm.entropy_loss_fn_args)


def make(registry, name, new_arguments, arguments):
    result = registry.get(name)
    if result is None:
        raise ValueError(f"unknown: {name}")
    try:
        result(**{**new_arguments, **(arguments or {})})
    except TypeError as error:
        raise TypeError(f"[{name}] {error}") from None


def look_up_tasksets(explorer_input, progress):
    from trinity.common.constants import StorageType

    for taskset in [*explorer_input.tasksets, *explorer_input.eval_tasksets]:
        registered("trinity.common.workflows", "WORKFLOWS", taskset.default_workflow_type, progress)
        registered("trinity.common.rewards", "REWARD_FUNCTIONS", taskset.default_reward_fn_type, progress)
        StorageType(taskset.storage_type)
        trinity_reads.check_reward(taskset)


def registered(module, registry, name, progress):
    """`name` must be in the registry; a registry that needs absent packages is noted and passed over."""
    if not name:
        return
    try:
        result = getattr(importlib.import_module(module), registry).get(name)
    except ValueError as error:
        raise ValueError(f"{registry}: {error}") from None
    except Exception as error:  # noqa: BLE001 - whatever an absent package leads to
        progress.note(f"{registry}[{name}] not looked up: {type(error).__name__}: {error}")
        return
    if result is None:
        raise ValueError(f"{registry}: unknown: {name}")


def check_engines(explorer):
    """As create_inference_models does."""
    for model in [explorer.rollout_model, *explorer.auxiliary_models]:
        if not (model.engine_type.startswith("vllm") or model.engine_type in ENGINES):
            raise ValueError(f"Unsupported engine type: {model.engine_type}")
