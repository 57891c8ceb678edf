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
from rftconf.budget.roles.setup import Asked as Said
from rftconf.load.load import load, main_stage
from rftconf.load.loaded import Loaded
from rftconf.schemas import registry
from rftconf.studio.asked import Asked
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
    """What there is to move in this run."""
    found: list[Slider] = []
    actor, critic = setup.actor, any(role.name == "critic" for role in setup.trainers)
    reference = any(role.name == "reference" for role in setup.trainers)
    if actor is not None:
        each = setup.longest
        whole = [each * n for n in (1, 2, 3, 4, 6, 8, 12, 16, 24, 32)]
        rows = (1, 2, 4, 8, 16, 32, 64, 128)
        found.append(
            Slider(f"{MICRO}tokens_per_rank", "token cap of a micro-batch", "tokens", tuple(whole))
            if dynamic
            else Slider(f"{MICRO}sequences_per_rank", "micro-batch per GPU", "sequences", rows)
        )
        if actor.job.backend == "megatron":
            found.append(Slider(f"{PLACE}actor.tp", "tensor parallel size of the trainer", "GPUs", (1, 2, 4, 8)))
        else:
            found.append(Slider(f"{PLACE}actor.sp", "sequence parallel size", "GPUs", (1, 2, 4, 8)))
    if any(role.name == "rollout" for role in setup.engines):
        found.append(Slider(f"{PLACE}rollout.tp", "tensor parallel size of the engine", "GPUs", (1, 2, 4, 8, 16)))
        share = tuple(n / 100 for n in range(20, 96, 5))
        found.append(Slider(f"{PLACE}rollout.gpu_memory_fraction", "share of a GPU for the engine", "", share))
    if actor is not None:
        found.append(Slider(f"{PLACE}actor.offload.param", "actor's weights wait in host memory"))
        found.append(Slider(f"{PLACE}actor.offload.optimizer", "actor's optimizer waits in host memory"))
    if reference:
        found.append(Slider(f"{PLACE}reference.offload.param", "reference's weights wait in host memory"))
    if critic:
        found.append(Slider(f"{PLACE}critic.offload.optimizer", "critic's optimizer waits in host memory"))
    if actor is not None:
        found.append(Slider(f"{MODEL}gradient_checkpointing", "recompute layers in backward"))
        found.append(Slider(f"{MODEL}activation_offload", "checkpoints wait in host memory"))
        found.append(Slider(f"{MODEL}fused_kernels", "logits fused with the loss"))
    return tuple(found)


def budget(asked: Asked) -> dict[str, Any]:
    """The account, and what can be moved."""
    loaded, setup, found = _priced(asked)
    values = main_stage(loaded).values
    framework = registry.framework(loaded.framework)
    sliders = _sliders(setup, dynamic=values.get(f"{MICRO}dynamic") is True)
    origins = main_stage(loaded).origins
    data = {
        **budget_json(found),
        "source": {"title": framework.title, "release": loaded.release},
        "longest": setup.longest,
        "sliders": [
            {
                "path": one.path,
                "title": one.title,
                "unit": one.unit,
                "steps": list(one.steps),
                "value": _plain(values.get(one.path), one, setup),
                "keys": list(origins[one.path].keys) if one.path in origins else [],
            }
            for one in sliders
        ],
    }
    if asked.flag("answers"):
        data["answers"] = answers_json(answers(setup, found.gpu))
    if asked.flag("gpus"):
        data["gpus"] = [{"name": gpu.name, "title": gpu.title, "usable_gib": gpu.usable_gib} for gpu in GPUS]
    return data


def front(asked: Asked) -> dict[str, Any]:
    """Clusters of usual GPUs, rent against the largest micro-batch."""
    _, setup, found = _priced(asked)
    gpus = dict.fromkeys([found.gpu, *(gpu_named(name) for name in _USUAL)])
    return {"front": front_json(clusters(setup, tuple(gpus)))}


def apply(asked: Asked) -> dict[str, Any]:
    """The text with the sliders' values written into it, and the ones that it has no place for."""
    loaded = _loaded(asked)
    values = main_stage(loaded).values
    changes = [
        Change(path, values.get(path) if isinstance(values.get(path), (int, float)) else None, new)
        for path, new in _changes(asked).items()
        if values.get(path) != new
    ]

    def again(text: str) -> Loaded:
        return load(
            asked.document(text), framework=loaded.framework, release=loaded.release, assume=asked.assumptions()
        )

    text, left = patched(loaded, changes, again)
    return {"text": text, "changed": len(changes) - len(left), "left": left}


def _priced(asked: Asked) -> tuple[Loaded, Setup, Budget]:
    loaded = _loaded(asked)
    main_stage(loaded).values.update(_changes(asked))
    gpu = _gpu(asked)
    setup = _setup(loaded, asked)
    return loaded, setup, price(setup, gpu)


def _loaded(asked: Asked) -> Loaded:
    how = asked.reading()
    return load(
        asked.document(),
        framework=how.framework,
        release=how.release,
        rows=asked.whole("rows"),
        assume=asked.assumptions(),
    )


def _gpu(asked: Asked) -> Gpu:
    return gpu_named(asked.word("gpu") or "h100-80g")


def _setup(loaded: Loaded, asked: Asked) -> Setup:
    """The run on the cluster that was asked for: the file's own, that one resized, or the page's where the file has none."""
    stages = (stage.values for stage in loaded.stages)
    plan = plan_view(stages, loaded.framework, loaded.release, loaded.extensions)
    nodes, each, model = asked.whole("nodes"), asked.whole("gpus_per_node"), asked.word("model")
    mean = asked.whole("mean_tokens")
    return on_cluster(plan, Said(nodes, each, model, mean_tokens=mean))


def _changes(asked: Asked) -> dict[str, int | float | bool]:
    found = asked.fields.get("changes") or {}
    known = (MICRO, PLACE, MODEL)
    if not isinstance(found, dict) or len(found) > 40:
        raise UsageError("changes should be values by plan path")
    for path, value in found.items():
        if not str(path).startswith(known) or not isinstance(value, (bool, int, float)) or not 0 <= value < 10**9:
            raise UsageError(f"changes: {path!r:.80} = {value!r:.40} is no value of a slider")
    return found


def _plain(value: Any, one: Slider, setup: Setup) -> int | float | bool | None:
    if isinstance(value, Expr):
        return None
    if value is None and one.path.endswith("tokens_per_rank"):
        return setup.actor.job.tokens if setup.actor else None
    if not one.steps:
        return value is True or (value is None and one.path.endswith("gradient_checkpointing"))
    return value if isinstance(value, (int, float)) else None
