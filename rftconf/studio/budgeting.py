"""Budget: the account of GPU memory with the page's sliders in the place of the file's values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rftconf.base.errors import UsageError
from rftconf.base.symbols import Expr
from rftconf.budget.advice.cluster_search import Change, on_cluster
from rftconf.budget.advice.inverse_questions import answers
from rftconf.budget.advice.inverse_questions import front as clusters
from rftconf.budget.as_json import answers_json, budget_json, front_json
from rftconf.budget.facts.gpus import GPUS, Gpu, gpu_named
from rftconf.budget.price import Budget, price
from rftconf.budget.roles.plan_view import plan_view
from rftconf.budget.roles.roles import Setup
from rftconf.budget.roles.setup import BudgetRequest as Said
from rftconf.load.load import load, main_stage
from rftconf.load.loaded import Loaded
from rftconf.schemas import registry
from rftconf.studio.request import StudioRequest
from rftconf.verbs.apply_changes import patched

_USUAL = ("h100-80g", "h200-141g", "b200-180g", "a100-80g", "h20-96g")
MICRO, PLACE, MODEL = "stage.batch.micro.", "stage.placement.", "stage.model_options."


@dataclass(frozen=True, slots=True)
class Slider:
    """A value of the plan that the page lets one change; a switch where it has no range."""

    path: str
    title: str
    unit: str = ""
    steps: tuple[int | float, ...] = ()


def _sliders(setup: Setup, *, dynamic: bool) -> tuple[Slider, ...]:
    """Return the sliders of this run: batch sizes, parallel sizes and shares of memory that the page can move."""
    sliders: list[Slider] = []
    actor, critic = setup.actor, any(role.name == "critic" for role in setup.trainers)
    reference = any(role.name == "reference" for role in setup.trainers)
    if actor is not None:
        each = setup.longest
        whole = [each * n for n in (1, 2, 3, 4, 6, 8, 12, 16, 24, 32)]
        rows = (1, 2, 4, 8, 16, 32, 64, 128)
        sliders.append(
            Slider(f"{MICRO}tokens_per_rank", "token cap of a micro-batch", "tokens", tuple(whole))
            if dynamic
            else Slider(f"{MICRO}sequences_per_rank", "micro-batch per GPU", "sequences", rows)
        )
        if actor.job.backend == "megatron":
            sliders.append(Slider(f"{PLACE}actor.tp", "tensor parallel size of the trainer", "GPUs", (1, 2, 4, 8)))
        else:
            sliders.append(Slider(f"{PLACE}actor.sp", "sequence parallel size", "GPUs", (1, 2, 4, 8)))
    if any(role.name == "rollout" for role in setup.engines):
        sliders.append(Slider(f"{PLACE}rollout.tp", "tensor parallel size of the engine", "GPUs", (1, 2, 4, 8, 16)))
        share = tuple(n / 100 for n in range(20, 96, 5))
        sliders.append(Slider(f"{PLACE}rollout.gpu_memory_fraction", "share of a GPU for the engine", "", share))
    if actor is not None:
        sliders.append(Slider(f"{PLACE}actor.offload.param", "actor's weights wait in host memory"))
        sliders.append(Slider(f"{PLACE}actor.offload.optimizer", "actor's optimizer waits in host memory"))
    if reference:
        sliders.append(Slider(f"{PLACE}reference.offload.param", "reference's weights wait in host memory"))
    if critic:
        sliders.append(Slider(f"{PLACE}critic.offload.optimizer", "critic's optimizer waits in host memory"))
    if actor is not None:
        sliders.append(Slider(f"{MODEL}gradient_checkpointing", "recompute layers in backward"))
        sliders.append(Slider(f"{MODEL}activation_offload", "checkpoints wait in host memory"))
        sliders.append(Slider(f"{MODEL}fused_kernels", "logits fused with the loss"))
    return tuple(sliders)


def budget(request: StudioRequest) -> dict[str, Any]:
    """The memory account as JSON data, with the sliders that can be moved."""
    loaded, setup, budget = _priced(request)
    values = main_stage(loaded).values
    framework = registry.framework(loaded.framework)
    sliders = _sliders(setup, dynamic=values.get(f"{MICRO}dynamic") is True)
    origins = main_stage(loaded).origins
    data = {
        **budget_json(budget),
        "source": {"title": framework.title, "release": loaded.release},
        "longest": setup.longest,
        "sliders": [
            {
                "path": slider.path,
                "title": slider.title,
                "unit": slider.unit,
                "steps": list(slider.steps),
                "value": _plain(values.get(slider.path), slider, setup),
                "keys": list(origins[slider.path].keys) if slider.path in origins else [],
            }
            for slider in sliders
        ],
    }
    if request.flag("answers"):
        data["answers"] = answers_json(answers(setup, budget.gpu))
    if request.flag("gpus"):
        data["gpus"] = [{"name": gpu.name, "title": gpu.title, "usable_gib": gpu.usable_gib} for gpu in GPUS]
    return data


def front(request: StudioRequest) -> dict[str, Any]:
    """Clusters of usual GPUs, rent against the largest micro-batch."""
    _, setup, budget = _priced(request)
    gpus = dict.fromkeys([budget.gpu, *(gpu_named(name) for name in _USUAL)])
    return {"front": front_json(clusters(setup, tuple(gpus)))}


def apply(request: StudioRequest) -> dict[str, Any]:
    """The text with the sliders' values written into it, and the ones that it has no place for."""
    loaded = _loaded(request)
    values = main_stage(loaded).values
    changes = [
        Change(path, values.get(path) if isinstance(values.get(path), (int, float)) else None, new)
        for path, new in _changes(request).items()
        if values.get(path) != new
    ]

    def again(text: str) -> Loaded:
        return load(
            request.document(text), framework=loaded.framework, release=loaded.release, assume=request.assumptions()
        )

    text, remaining = patched(loaded, changes, again)
    return {"text": text, "changed": len(changes) - len(remaining), "left": remaining}


def _priced(request: StudioRequest) -> tuple[Loaded, Setup, Budget]:
    loaded = _loaded(request)
    main_stage(loaded).values.update(_changes(request))
    gpu = _gpu(request)
    setup = _setup(loaded, request)
    return loaded, setup, price(setup, gpu)


def _loaded(request: StudioRequest) -> Loaded:
    how = request.reading()
    return load(
        request.document(),
        framework=how.framework,
        release=how.release,
        rows=request.whole("rows"),
        assume=request.assumptions(),
    )


def _gpu(request: StudioRequest) -> Gpu:
    return gpu_named(request.word("gpu") or "h100-80g")


def _setup(loaded: Loaded, request: StudioRequest) -> Setup:
    """The run on the cluster that was asked for: the file's own, that one resized, or the page's where the file has none."""
    stages = (stage.values for stage in loaded.stages)
    plan = plan_view(stages, loaded.framework, loaded.release, loaded.extensions)
    nodes, each, model = request.whole("nodes"), request.whole("gpus_per_node"), request.word("model")
    mean = request.whole("mean_tokens")
    return on_cluster(plan, Said(nodes, each, model, mean_tokens=mean))


def _changes(request: StudioRequest) -> dict[str, int | float | bool]:
    fields = request.fields.get("changes") or {}
    known = (MICRO, PLACE, MODEL)
    if not isinstance(fields, dict) or len(fields) > 40:
        raise UsageError("changes should be values by plan path")
    for path, value in fields.items():
        if not str(path).startswith(known) or not isinstance(value, (bool, int, float)) or not 0 <= value < 10**9:
            raise UsageError(f"changes: {path!r:.80} = {value!r:.40} is no value of a slider")
    return fields


def _plain(value: Any, slider: Slider, setup: Setup) -> int | float | bool | None:
    if isinstance(value, Expr):
        return None
    if value is None and slider.path.endswith("tokens_per_rank"):
        return setup.actor.job.tokens if setup.actor else None
    if not slider.steps:
        return value is True or (value is None and slider.path.endswith("gradient_checkpointing"))
    return value if isinstance(value, (int, float)) else None
