"""A start of ROLL's workers without devices: the constructors that run between the loader and the first step are called.

For each worker: its strategy's constructor (for Megatron that is mcore_adapter's and Hugging Face's
`TrainingArguments`, so a key that neither knows is a TypeError), the schedule over a real optimizer, the model
provider of a critic, PEFT over a tiny model. A strategy that reads its keys by name must name each key that is written.
Engines are not constructed, as vLLM, SGLang and DeepSpeed are not installed here: the first two have to know the names in
their `strategy_config`, DeepSpeed's is not judged.
"""

import importlib
import inspect
import os
import re
import sys
import types
from pathlib import Path

import engine_arguments
from import_stubs import Stub
from tiny_model import write_tiny_model

READ_BY_NAME = {
    "fsdp2_train": ("distributed/strategy/fsdp2_strategy.py", "third_party/fsdp2", "utils/fsdp_utils.py"),
    "fsdp2_infer": ("distributed/strategy/fsdp2_strategy.py", "third_party/fsdp2", "utils/fsdp_utils.py"),
    "hf_infer": ("distributed/strategy/hf_strategy.py",),
}
"""Strategies that ask for their keys one by one, and where they do."""
MEGATRON = ("megatron_train", "megatron_infer")
NOT_INSTALLED = ("deepspeed_train", "deepspeed_infer")
MEGATRON_LAYERS = ("linear_qkv", "linear_proj", "linear_fc1", "linear_fc2")
TRAINED = ("megatron_train", "fsdp2_train", "deepspeed_train")


def preload():
    """mcore_adapter's arguments without its models, which need Transformer Engine; a machine that can do bf16."""
    telemetry = types.ModuleType("opentelemetry.exporter.otlp.proto.grpc.trace_exporter")
    telemetry.OTLPSpanExporter = object
    sys.modules[telemetry.__name__] = telemetry
    import transformers.training_args as training_args

    training_args.is_torch_bf16_gpu_available = lambda: True
    source = Path(importlib.import_module("roll").__file__).parents[1] / "mcore_adapter" / "src" / "mcore_adapter"
    adapter = types.ModuleType("mcore_adapter")
    adapter.__path__ = [str(source)]
    sys.modules["mcore_adapter"] = adapter
    adapter.TrainingArguments = importlib.import_module("mcore_adapter.training_args").TrainingArguments
    importlib.import_module("mcore_adapter.trainer.utils")
    importlib.import_module("roll.models.model_providers")


def workers_of(config):
    """Every worker that has a strategy, by the name that it has in the file."""
    for name, value in vars(config).items():
        result = value.items() if isinstance(value, dict) else [("", value)]
        for below, worker in result:
            if getattr(getattr(worker, "strategy_args", None), "strategy_name", None):
                yield f"{name}.{below}".rstrip("."), worker


def start(config, progress):
    """Start every worker of the run; raises what it raises, with the worker's name."""
    for name, worker in workers_of(config):
        if name == "critic" and config.adv_estimator != "gae":
            continue
        if name == "reference" and not getattr(config, "enable_reference", True):
            continue
        if not name.startswith("rewards") and not worker.device_mapping:
            continue
        try:
            start_worker(name, worker, config, progress)
        except Exception as error:
            error.args = (f"[{name}] {error}", *error.args[1:])
            raise


def start_worker(name, worker, config, progress):
    """One worker's strategy, schedule, adapter and value model."""
    strategy = worker.strategy_args.strategy_name
    arguments = None
    if strategy in MEGATRON:
        arguments = megatron_arguments(worker, config)
    elif strategy in READ_BY_NAME:
        check_names(worker.strategy_args, READ_BY_NAME[strategy])
    elif strategy in engine_arguments.ENGINES:
        check_engine(strategy, worker.strategy_args.strategy_config or {}, progress)
    elif strategy in NOT_INSTALLED:
        progress.note(f"{name}: {strategy} is not installed, its strategy_config is not judged")
    if strategy in TRAINED:
        build_schedule(worker.training_args, arguments)
        if worker.model_args.lora_target is not None:
            put_adapter_on(worker.model_args, is_megatron=strategy in MEGATRON)
    if name == "critic":
        build_value_model(worker.model_args, arguments)


def megatron_arguments(worker, config):
    """Return the arguments that MegatronInferStrategy's constructor makes."""
    from mcore_adapter.training_args import TrainingArguments

    new_arguments = worker.training_args.to_dict()
    new_arguments.update(worker.strategy_args.strategy_config or {})
    new_arguments["max_grad_norm"] = config.max_grad_norm
    new_arguments.setdefault("lr_scheduler_kwargs", {})
    arguments = TrainingArguments(**new_arguments)
    assert not arguments.overlap_param_gather, "overlap_param_gather is not supported"
    return arguments


def check_names(strategy_args, places):
    """Each key of the strategy stands as a literal where the strategy reads its keys."""
    root = Path(importlib.import_module("roll").__file__).parent
    files = [file for place in places for file in [root / place, *(root / place).glob("**/*.py")] if file.is_file()]
    text = "".join(file.read_text() for file in files)
    unread = [key for key in strategy_args.strategy_config or {} if f'"{key}"' not in text and f"'{key}'" not in text]
    assert not unread, f"{strategy_args.strategy_name} reads no {', '.join(unread)}"


def check_engine(engine, arguments, progress):
    """The engine's arguments, less what ROLL's strategy takes out of them first."""
    root = Path(importlib.import_module("roll").__file__).parent
    text = (root / "distributed" / "strategy" / f"{engine}_strategy.py").read_text()
    taken = re.findall(r"\.pop\(\s*[\"'](\w+)[\"']", text)
    engine_arguments.check_names(
        engine, {name: arguments[name] for name in arguments if name not in taken}, None, progress
    )
    if engine == "vllm":
        engine_arguments.check_scheduler(
            sequences=arguments.get("max_num_seqs"),
            tokens=arguments.get("max_num_batched_tokens", 8192),
            longest=arguments.get("max_model_len"),
            chunks=arguments.get("enable_chunked_prefill", True),
        )


def build_schedule(training_args, megatron):
    """The learning rate's schedule over the optimizer of one parameter."""
    import torch

    optimizer = torch.optim.AdamW([torch.nn.Parameter(torch.zeros(1))], lr=training_args.learning_rate)
    steps = max(1, training_args.max_steps)
    if megatron is not None:
        from mcore_adapter.trainer.utils import get_megatron_lr_scheduler

        get_megatron_lr_scheduler(megatron, steps, optimizer=optimizer)
        return
    from transformers import get_scheduler

    get_scheduler(
        training_args.lr_scheduler_type,
        optimizer,
        num_warmup_steps=training_args.get_warmup_steps(steps),
        num_training_steps=steps,
    )


def megatron_names():
    """A layer with the names that Megatron-Core gives the linear modules of a transformer's layer."""
    import torch

    layer = torch.nn.Module()
    for name in MEGATRON_LAYERS:
        setattr(layer, name, torch.nn.Linear(4, 4))
    layer.enable_input_require_grads = lambda: None
    layer.config = types.SimpleNamespace(model_type="qwen2", tie_word_embeddings=False)
    return layer


def put_adapter_on(model_args, is_megatron):
    """ROLL's own LoRA set-up; PEFT refuses names that the model lacks."""
    import roll.models.model_providers as providers
    from transformers import AutoConfig, AutoModelForCausalLM

    # mcore_adapter finds layers by Transformer Engine's classes, which no model under FSDP or DeepSpeed has
    providers.find_all_linear_modules = lambda _: list(MEGATRON_LAYERS) if is_megatron else []
    known = inspect.signature(providers.setup_lora_training).parameters
    assert not is_megatron or "is_mca" in known, "Megatron's models get no adapter here: lora_target is not read"
    more = {"is_mca": is_megatron} if "is_mca" in known else {}
    tiny = AutoConfig.from_pretrained(write_tiny_model(os.environ["RFTCONF_TINY_MODEL"]))
    model = megatron_names() if is_megatron else AutoModelForCausalLM.from_config(tiny)
    providers.setup_lora_training(tiny, model, model_args, is_trainable=True, **more)


def build_value_model(model_args, megatron):
    """ROLL's own provider of a critic, with the weights left out."""
    import roll.models.model_providers as providers

    tiny = write_tiny_model(os.environ["RFTCONF_TINY_MODEL"])
    providers.download_model = lambda _: tiny
    providers.load_model = Stub
    providers.mca_TrainingArguments = sys.modules["mcore_adapter"].TrainingArguments
    providers.AutoModelForTokenClassification = Stub
    providers.default_value_model_provider(Stub(), model_args, megatron, is_trainable=False)
