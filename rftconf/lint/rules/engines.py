"""The engines that generate, adapters, and how the trained model computes."""

from __future__ import annotations

from rftconf.lint.rule import ERROR, INFO, WARNING, Family, Findings, Put, finding, trinity, verl
from rftconf.lint.subject import Subject
from rftconf.schemas.closed_words import ENGINE, words_of

FAMILY = Family("ENG")
rule = FAMILY.rule
ROLLOUT, MODEL = "actor_rollout_ref.rollout.", "actor_rollout_ref.model."
AT = "placement.rollout."
LORA = "model_options.lora."


@rule(
    1, ERROR, "a share of memory outside 0 to 1",
    bad=verl(f"{ROLLOUT}gpu_memory_utilization=60"), good=verl(f"{ROLLOUT}gpu_memory_utilization=0.6"),
    advice="a share: 0.6 is sixty percent", source="vLLM CacheConfig", fixable=True,
)  # fmt: skip
def _share(s: Subject) -> Findings:
    """The engine takes this share of each GPU's memory, and refuses to start with any other number."""
    got = s.number(f"{AT}gpu_memory_fraction")
    if got is not None and not 0 < got <= 1 and s.written(f"{AT}gpu_memory_fraction"):
        percent = got / 100 if 1 < got <= 100 else 0.6
        yield finding(f"{s.says(f'{AT}gpu_memory_fraction')}", f"{AT}gpu_memory_fraction",
                    fix=Put(f"{AT}gpu_memory_fraction", percent), safe=True)  # fmt: skip


@rule(
    2, ERROR, "no engine named",
    bad=verl(f"~{ROLLOUT}name"), good=verl(f"{ROLLOUT}name=vllm"),
    advice="vllm, sglang or trtllm", source="veRL 0.9 rollout.yaml", frameworks=("verl",), since="0.6.1", fixable=True,
)  # fmt: skip
def _no_engine(s: Subject) -> Findings:
    """Since 0.6 the engine has no default; the run stops with MissingMandatoryValue when the rollout is built."""
    key = f"{ROLLOUT}name"
    if not s.written(key):
        yield finding(f"{key} is mandatory", key, fix=Put(key, "vllm"), safe=True)


@rule(
    3, ERROR, "an engine that the release does not have",
    bad=verl(f"{ROLLOUT}name=trtllm", release="0.6.1"), good=verl(f"{ROLLOUT}name=sglang", release="0.6.1"),
    advice="vllm or sglang", source="veRL workers/rollout/base.py registry", frameworks=("verl",), fixable=True,
)  # fmt: skip
def _unknown_engine(s: Subject) -> Findings:
    """The name is looked up when the workers start."""
    got = s.native.value(ENGINE)
    # removed values have a finding of their own (KEY007)
    if isinstance(got, str) and s.written(ENGINE) and got not in words_of(s.framework, s.best.release, ENGINE):
        yield finding(f"{s.title} has no engine {got}", f"{ROLLOUT}name", fix=Put(f"{ROLLOUT}name", "vllm"))


@rule(
    4, INFO, "an engine without CUDA graphs",
    bad=verl(f"{ROLLOUT}enforce_eager=True"), good=verl(f"{ROLLOUT}enforce_eager=False"),
    advice="false, unless memory is very short", source="vLLM", fixable=True,
)  # fmt: skip
def _eager(s: Subject) -> Findings:
    """Eager mode saves a little memory and makes decoding of small models several times slower. It is often left over
    from a debugging session, or from veRL 0.5, where it was the default."""
    if s.value(f"{AT}enforce_eager") is True and s.written(f"{AT}enforce_eager"):
        yield finding(f"{s.says(f'{AT}enforce_eager')} slows generation down", f"{AT}enforce_eager",
                    fix=Put(f"{AT}enforce_eager", value=False))  # fmt: skip


@rule(
    5, WARNING, "engine and trainer in different half precisions",
    bad=verl(f"{ROLLOUT}dtype=float16"), good=verl(f"{ROLLOUT}dtype=bfloat16"),
    advice="use one type for both", source="veRL workers/config/rollout.py; ROLL model_args.py", fixable=True,
)  # fmt: skip
def _dtypes(s: Subject) -> Findings:
    """float16 and bfloat16 round differently, so the engine's probabilities are not the trainer's and the ratio starts
    away from 1."""
    words = {"float16": "fp16", "fp16": "fp16", "half": "fp16", "bfloat16": "bf16", "bf16": "bf16"}
    engine = words.get(str(s.value(f"{AT}dtype")))
    trainer = words.get(str(s.value("placement.actor.compute_dtype")))
    if engine and trainer and engine != trainer:
        yield finding(f"{s.says(f'{AT}dtype')}, but {s.says('placement.actor.compute_dtype')}", f"{AT}dtype",
                    "placement.actor.compute_dtype", fix=Put(f"{AT}dtype", "float16" if trainer == "fp16" else "bfloat16"))  # fmt: skip


@rule(
    6, ERROR, "adapters larger than the engine takes",
    bad=verl(f"{MODEL}lora_rank=1024", f"{ROLLOUT}load_format=safetensors", "actor_rollout_ref.actor.optim.lr=1e-5"),
    good=verl(f"{MODEL}lora_rank=64", f"{ROLLOUT}load_format=safetensors", "actor_rollout_ref.actor.optim.lr=1e-5"),
    advice="at most 512", source="vLLM LoRAConfig; veRL utils/config.py validate_config", fixable=True,
)  # fmt: skip
def _rank(s: Subject) -> Findings:
    """vLLM holds adapters up to rank 512, and veRL's check stops the run above it."""
    rank = s.count(f"{LORA}rank")
    if rank and rank > 512 and s.value(f"{AT}engine") == "vllm":
        yield finding(f"{s.says(f'{LORA}rank')} is above vLLM's 512", f"{LORA}rank", fix=Put(f"{LORA}rank", 512))


@rule(
    7, INFO, "adapters scaled down",
    bad=verl(f"{MODEL}lora_rank=256", f"{MODEL}lora_alpha=16", "actor_rollout_ref.actor.optim.lr=1e-5"),
    good=verl(f"{MODEL}lora_rank=32", f"{MODEL}lora_alpha=32", "actor_rollout_ref.actor.optim.lr=1e-5"),
    advice="alpha between the rank and twice the rank", source="H54", fixable=True,
)  # fmt: skip
def _alpha(s: Subject) -> Findings:
    """Adapters count alpha/rank times. veRL's default alpha is 16 whatever the rank, so a larger rank without alpha learns
    less."""
    rank, alpha = s.count(f"{LORA}rank"), s.number(f"{LORA}alpha")
    if rank and alpha is not None and alpha / rank < 0.25:
        yield finding(f"adapters count {alpha / rank:g} times: {s.says(f'{LORA}alpha')}, {s.says(f'{LORA}rank')}", f"{LORA}alpha",
                    f"{LORA}rank", fix=Put(f"{LORA}alpha", rank))  # fmt: skip


@rule(
    8, INFO, "long sequences without gradient checkpointing",
    bad=verl(f"{MODEL}enable_gradient_checkpointing=False", "data.max_response_length=8192"),
    good=verl(f"{MODEL}enable_gradient_checkpointing=True", "data.max_response_length=8192"),
    advice="switch it on", source="transformers PreTrainedModel.gradient_checkpointing_enable", fixable=True,
)  # fmt: skip
def _checkpointing(s: Subject) -> Findings:
    """Activations grow with the length; a third more computing saves most of their memory."""
    name, answer = "model_options.gradient_checkpointing", s.count("length.response_max_tokens")
    if s.value(name) is False and answer and answer >= 4096:
        yield finding(f"{s.says(name)} with answers of {answer} tokens", name, fix=Put(name, value=True))


@rule(
    9, INFO, "training on padding",
    bad=verl(f"{MODEL}use_remove_padding=False"), good=verl(f"{MODEL}use_remove_padding=True"),
    advice="switch it on, unless the model does not support it", source="veRL workers/config/model.py use_remove_padding", fixable=True,
)  # fmt: skip
def _padding(s: Subject) -> Findings:
    """Every sequence is computed at the longest length. Packed sequences take a fraction of the time."""
    name, size = "model_options.remove_padding", s.count("placement.actor.sp") or 1
    if s.value(name) is False and size == 1 and s.value("placement.actor.backend") != "megatron":
        yield finding(f"{s.says(name)} computes padding", name, fix=Put(name, value=True))


@rule(
    10, INFO, "an engine that keeps its cache while the trainer works",
    bad=verl(f"{ROLLOUT}free_cache_engine=False"), good=verl(f"{ROLLOUT}free_cache_engine=True"),
    advice="leave it true where they share GPUs", source="veRL 0.9 rollout.yaml; verl-project/verl#302", frameworks=("verl",), fixable=True,
)  # fmt: skip
def _kept_cache(s: Subject) -> Findings:
    """Engine and trainer share the GPUs, and the cache stays where the trainer's activations should go."""
    key = f"{ROLLOUT}free_cache_engine"
    if s.native.value(key) is False and s.value("placement.layout") == "colocated":
        yield finding(f"{s.says(key)} keeps the cache on GPUs that the trainer needs", key, fix=Put(key, value=True))


@rule(
    11, WARNING, "weights of adapters with a format that cannot load them",
    bad=verl(f"{MODEL}lora_rank=32", f"{MODEL}lora_alpha=32", f"{ROLLOUT}load_format=dummy", "actor_rollout_ref.actor.optim.lr=1e-5"),
    good=verl(f"{MODEL}lora_rank=32", f"{MODEL}lora_alpha=32", f"{ROLLOUT}load_format=safetensors",
              "actor_rollout_ref.actor.optim.lr=1e-5"),
    advice="set rollout.load_format to safetensors", source="veRL docs on LoRA: the engine must load the base model itself", frameworks=("verl",),
    fixable=True,
)  # fmt: skip
def _dummy_base(s: Subject) -> Findings:
    """Only the adapter is passed to the engine, so it must read the base model's weights itself; with dummy weights it
    generates noise. Releases that pass the base once need no such key, but none is hurt by it."""
    rank, key = s.count(f"{LORA}rank"), f"{ROLLOUT}load_format"
    if rank and s.native.value(key) in ("dummy", "dummy_dtensor", "dummy_hf") and s.written(key):
        yield finding(f"{s.says(key)} with LoRA: the base model's weights are never loaded", key, f"{LORA}rank",
                    fix=Put(key, "safetensors"))  # fmt: skip


@rule(
    12, INFO, "very few requests at a time",
    bad=verl(f"{ROLLOUT}max_num_seqs=4"), good=verl(f"{ROLLOUT}max_num_seqs=256"),
    advice="64 to 1024 is usual", source="vLLM SchedulerConfig", fixable=True,
)  # fmt: skip
def _few_requests(s: Subject) -> Findings:
    """Decoding is bound by memory bandwidth, so an engine that takes few sequences at once wastes nearly all of the GPU."""
    name = f"{AT}max_num_seqs"
    got = s.count(name)
    if got and got < 16 and s.written(name):
        yield finding(f"{s.says(name)} lets the engine idle", name, fix=Put(name, 256))


@rule(
    13, ERROR, "a timeout of nothing",
    bad=trinity("explorer.max_timeout=0"), good=trinity("explorer.max_timeout=1800"),
    advice="give seconds", source="Trinity explorer/scheduler.py", fixable=True,
)  # fmt: skip
def _timeout(s: Subject) -> Findings:
    """Every task ends before its first token, and is tried again until none are left."""
    for name in (f"{AT}max_timeout_seconds", "sync.timeout_seconds"):
        got = s.number(name)
        if got is not None and got <= 0 and s.written(name):
            yield finding(f"{s.says(name)}", name, fix=Put(name, 1800), safe=True)
