"""Would this release of ROLL accept this file? Usage: roll_judge.py RELEASE (see protocol.py).

A case is `{"id", "file", "drops": optional}`; `drops` lets dacite drop unknown keys, as it does. Stages: `compose`
(Hydra, as ROLL's start scripts do it), `keys` (dacite drops unknown keys in silence: here they are an error), `load`
(dacite and every `__post_init__`), `arithmetic` (what the pipeline works out or asserts before the first step),
`start` (what its workers construct, see roll_start.py; `until: "arithmetic"` leaves that out). A case with
`mathematics`, a list of seeds, asks what the functions make of random periods (roll_mathematics.py). What comes back
is `{"loaded": composed config, "checked": dataclass}`.
"""

import dataclasses
import importlib
import os
import re
import sys
import tempfile
import typing
from pathlib import Path

import import_stubs
import roll_mathematics
import roll_start
from period import FOLLOWS_TEACHER
from protocol import plain, serve

PIPELINES = {
    "agentic": ("roll.pipeline.agentic.agentic_config", "AgenticConfig"),
    "sft": ("roll.pipeline.sft.sft_config", "SFTConfig"),
    "dpo": ("roll.pipeline.dpo.dpo_config", "DPOConfig"),
    "distill": ("roll.pipeline.distill.distill_config", "DistillConfig"),
    "rlvr": ("roll.pipeline.rlvr.rlvr_config", "RLVRConfig"),
}
MARKS = {"agentic": "train_env_manager", "sft": "sft_train", "dpo": "beta", "distill": "student"}
GPU_PACKAGES = (
    "vllm",
    "sglang",
    "flash_attn",
    "deepspeed",
    "transformer_engine",
    "mcore_adapter",
    "gem",
    "gymnasium",
    "gym",
    "trl",
    "megatron",
    "imageio",
)
TRACES = ("opentelemetry.exporter.otlp.proto.grpc", "opentelemetry.exporter.otlp.proto.grpc.trace_exporter")
"""Where ROLL sends traces of a run."""
DEVICES = re.compile(r"list\(range\(\d+, ?\d+\)\)( ?\+ ?list\(range\(\d+, ?\d+\)\))*")


def preload():
    """Import what the cases need."""
    os.chdir(tempfile.mkdtemp(prefix="rftconf_roll_"))  # ROLL writes ./output when it is imported
    importlib.import_module("roll.pipeline.rlvr.rlvr_config")
    roll_start.preload()


def compose(file):
    """The file with its defaults list, interpolations resolved."""
    from hydra import compose as hydra_compose
    from hydra import initialize_config_dir
    from omegaconf import OmegaConf

    with initialize_config_dir(str(file.parent), version_base="1.1", job_name="app"):
        composed = hydra_compose(config_name=file.stem)
    return OmegaConf.to_container(composed, resolve=True)


def pipeline_of(config):
    """By the section that only one pipeline has."""
    return next((name for name, mark in MARKS.items() if mark in config), "rlvr")


def dataclasses_in(hint, instance=""):
    """The dataclasses of an annotation, each with how it is held: itself, in a list, in a mapping."""
    if dataclasses.is_dataclass(hint):
        yield instance, hint
    origin = typing.get_origin(hint)
    for arg in typing.get_args(hint):
        mark = {list: "[]", dict: "<*>"}.get(origin, "")
        yield from ((mark + below, result) for below, result in dataclasses_in(arg))


def fitting(forms, value):
    """Of one worker or several by name (`teacher`), the form that a value has."""
    if {instance for instance, _ in forms} != {"", "<*>"} or not isinstance(value, dict):
        return forms
    fields = {field.name for _, inner in forms for field in dataclasses.fields(inner)}
    form = "<*>" if value and fields.isdisjoint(value) else ""
    return [(instance, inner) for instance, inner in forms if instance == form]


def unknown(cls, config, prefix=""):
    """The keys that dacite would drop."""
    hints = typing.get_type_hints(cls)
    for key, value in config.items():
        if key not in hints:
            yield prefix + key
            continue
        for instance, inner in fitting(list(dataclasses_in(hints[key])), value):
            if instance == "" and isinstance(value, dict):
                yield from unknown(inner, value, f"{prefix}{key}.")
            elif instance == "<*>" and isinstance(value, dict):
                for name, item in value.items():
                    yield from unknown(inner, item, f"{prefix}{key}.{name}.")


def refuse_code(config, path=""):
    """ROLL evaluates device_mapping as Python: nothing but lists of ranges gets that far."""
    for key, value in config.items():
        if isinstance(value, dict):
            refuse_code(value, f"{path}{key}.")
        elif key == "device_mapping" and value is not None and not DEVICES.fullmatch(str(value)):
            raise ValueError(f"{path}{key}: {value!r} is not handed to ROLL")


def ranks(worker):
    """Data-parallel ranks of a trained role."""
    config = worker.strategy_args.strategy_config
    if worker.strategy_args.strategy_name == "megatron_train":
        size = 1
        for name in ("tensor", "pipeline", "context"):
            size *= config.get(f"{name}_{'model_' if name != 'context' else ''}parallel_size", 1)
    else:
        size = getattr(worker.model_args, "ulysses_size", 1) or 1
        assert config.get("fsdp_size", 1) >= size, "fsdp size should be greater than cp size."
    assert len(worker.device_mapping) % size == 0, f"{len(worker.device_mapping)} devices hold no rank of {size}"
    return len(worker.device_mapping) // size


def check_arithmetic(kind, config):
    """What make_iterator, the schedulers and the Megatron adapter assert once the run has started."""
    if kind == "rlvr" and config.max_steps == 0:  # no training pipeline takes it: start_rlvr_rollout_pipeline.py
        check_rollouts(config)
        return
    if kind in ("rlvr", "agentic"):
        config.set_max_steps(config.max_steps)
        whole = config.rollout_batch_size * config.actor_infer.generating_args.num_return_sequences
        roles = [config.actor_train] + ([config.critic] if config.adv_estimator == "gae" else [])
        for role in roles:
            args, count = role.training_args, ranks(role)
            share = args.per_device_train_batch_size * args.gradient_accumulation_steps
            assert whole % count == 0 or kind == "agentic", f"{role.name}: {whole} sequences on {count} ranks"
            if kind == "rlvr":  # AgenticPipeline.adjust_batch copies or leaves out sequences until updates are whole
                assert (whole // count) % share == 0, (
                    f"{role.name}: {whole // count} sequences a rank, {share} an update"
                )
            assert args.max_steps >= 1
    if kind == "rlvr":
        probabilities = config.actor_train.data_args.domain_interleave_probs
        assert set(probabilities) <= set(config.rewards), "a domain without a reward worker"
        assert abs(sum(probabilities.values()) - 1) < 1e-6, "probabilities of domains"
        assert config.max_steps > 0
        check_validation(config)


def check_validation(config):
    """The first releases look for a file of validation in a section that must be there."""
    import roll

    pipeline = Path(roll.__file__).parent / "pipeline" / "rlvr" / "rlvr_pipeline.py"
    looks_first = "if self.pipeline_config.validation and" in pipeline.read_text()
    section = config.validation and config.validation.data_args
    assert looks_first or section, "'NoneType' object has no attribute 'data_args' (self.pipeline_config.validation)"


def check_rollouts(config):
    """What RLVRRolloutPipeline asserts, and what it opens before the first answer."""
    engine = config.actor_infer.strategy_args
    loads = engine.strategy_config.get("load_format", "dummy")
    assert loads != "dummy", "rollout pipeline should strategy load model"
    assert engine.strategy_name != "vllm" or engine.strategy_config.get("sleep_level", 1) == 1
    report = config.validation.data_args if config.validation else None
    assert report, "validation should set in RLVRRolloutPipeline"
    assert report.file_name, "no validation data"
    columns = config.actor_train.data_args
    assert columns.messages or columns.prompt, "no column of prompts"
    from roll.datasets.chat_template import chat_templates

    assert (config.global_template or columns.template) in chat_templates, "no such chat template"
    assert config.validation.generating_args.to_dict()["num_return_sequences"]
    assert config.rewards, "nobody scores"
    assert config.actor_infer.device_mapping, "no engine has a GPU"


def judge_one(case, progress):
    """What the loader and the dataclasses made of the file; raises what ROLL raises."""
    from dacite import from_dict

    progress.stage = "compose"
    file = Path(case["file"]).resolve()
    composed = compose(file)
    kind = pipeline_of(composed)
    module, name = PIPELINES[kind]
    cls = getattr(importlib.import_module(module), name)
    progress.stage = "keys"
    dropped = [] if case.get("drops") else list(unknown(cls, composed))
    assert not dropped, f"dacite drops {', '.join(dropped)}"
    progress.stage = "load"
    if (
        "mathematics" in case and "student_train" in composed
    ):  # another program's config, which none of these classes is
        raise AssertionError(FOLLOWS_TEACHER)
    refuse_code(composed)
    count = composed.get("num_gpus_per_node", 8)
    from roll.platforms import current_platform

    type(current_platform).device_count = classmethod(lambda _: count)
    progress.note(f"{count} GPUs a node, as the file says")
    loaded = plain(composed)
    config = from_dict(data_class=cls, data=composed)
    if "mathematics" in case:
        return roll_mathematics.measure(config, case["mathematics"], progress)
    progress.stage = "arithmetic"
    check_arithmetic(kind, config)
    if case.get("until") != "arithmetic":
        progress.stage = "start"
        roll_start.start(config, progress)
    return {"loaded": loaded, "checked": plain(config)}


def main():
    sys.argv = ["start_rlvr_pipeline.py"]  # the default of exp_name
    import_stubs.install(GPU_PACKAGES, {})
    import_stubs.replace(TRACES)
    serve(judge_one, preload)


if __name__ == "__main__":
    main()
