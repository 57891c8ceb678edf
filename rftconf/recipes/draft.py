"""From a request and a recipe to plan values, each with the reason that stands beside it in the file."""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd
from typing import Any

from rftconf.base.errors import UsageError
from rftconf.base.symbols import Var
from rftconf.mappers.placing import MEMORY
from rftconf.plan.origin import Kind, Origin
from rftconf.recipes.programs import PROGRAMS, Program
from rftconf.recipes.recipes import Recipe

P, B, DATA = "stage.placement.", "stage.batch.", "stage.data."
TRAIN_DATA, EVAL_DATA = "TRAIN_DATA", "EVAL_DATA"
"""Variables that the run reads at start where no file is named."""
VALIDATION = {
    "stage.sampling.eval.temperature": 0.0,
    "stage.sampling.eval.top_p": 1.0,
    "stage.sampling.eval.top_k": -1,
    "stage.sampling.eval.responses": 1,
}
LARGEST_NODE = 8
"""GPUs of a node where nobody says how many nodes there are."""


@dataclass(frozen=True, slots=True)
class Request:
    """What a person says. `gpus` are all GPUs; a path that is None is asked for by a variable when the run starts."""

    framework: str
    release: str
    recipe: Recipe
    model: str
    gpus: int
    gpu: str
    nodes: int | None = None
    data: str | None = None
    eval_data: str | None = None
    rows: int | None = None
    prompt_tokens: int | None = None
    response_tokens: int | None = None

    @property
    def program(self) -> Program:
        """What the framework needs beside the recipe."""
        return PROGRAMS[self.framework]

    @property
    def node_count(self) -> int:
        """Nodes: as asked, else as few as there may be. Raises UsageError where the GPUs do not divide."""
        nodes = self.nodes or -(-self.gpus // LARGEST_NODE)
        if self.gpus % nodes:
            raise UsageError(
                f"--gpus {self.gpus}: {nodes} nodes do not have the same number of GPUs each; pass --nodes"
            )
        return nodes

    @property
    def longest(self) -> int:
        """Tokens of the longest sequence."""
        return sum(self.length(name) for name in ("prompt", "response"))

    def length(self, which: str) -> int:
        """Longest prompt or response [tokens]."""
        asked = self.prompt_tokens if which == "prompt" else self.response_tokens
        return asked or int(self.recipe.values[f"stage.length.{which}_max_tokens"])


@dataclass(frozen=True, slots=True)
class Sizes:
    """What is chosen so that it fits. `sequences` of full length make up the largest micro-batch of a rank."""

    tp: int
    sequences: int
    fraction: float
    parked: int = 0
    """Steps of PARKED that are taken."""


PARKED = ("optimizer", "param")
"""What waits in host memory while other roles work, what costs least speed first."""


class Draft:
    """Plan values with origins; `recipe` values first, then what was asked for and what was sized."""

    def __init__(self) -> None:
        self.values: dict[str, Any] = {}
        self.origins: dict[str, Origin] = {}

    def put(self, why: str, values: dict[str, Any], *, chosen: bool = False) -> None:
        """Values with one reason."""
        origin = Origin(Kind.CHOSEN if chosen else Kind.DERIVED, (), why)
        self.values.update(values)
        self.origins.update(dict.fromkeys(values, origin))


def draft(request: Request, sizes: Sizes) -> Draft:
    """The run that was asked for, at these sizes."""
    found, recipe = Draft(), request.recipe
    found.put(f"{recipe.title} recipe", dict(recipe.values))
    _batches(found, request)
    for which in ("prompt", "response"):
        if request.length(which) != recipe.values[f"stage.length.{which}_max_tokens"]:
            found.put(f"--{which}-tokens", {f"stage.length.{which}_max_tokens": request.length(which)})
    found.put("as ROLL's own example has it" if request.framework == "roll" else "", dict(request.program.values))
    _run(found, request)
    _data(found, request)
    _placement(found, request, sizes)
    _micro_batches(found, request, sizes)
    return found


def _run(found: Draft, request: Request) -> None:
    name = request.model.rstrip("/").rpartition("/")[2].lower()
    found.put("", {"stage.kind": "rl", "identity.checkpoint_root": "checkpoints", "stage.sync.run_ahead_rollouts": 0})
    found.put("", {"identity.project": "rftconf", "identity.experiment": f"{name}-{request.recipe.name}"})
    found.put("--model", {"stage.model.path": request.model})
    if request.recipe.values.get("stage.algorithm.critic.enabled"):
        found.put("--model; the critic starts from the policy", {"stage.model.critic_path": request.model})
    nodes = request.node_count
    found.put("--gpus", {"cluster.nodes": nodes, "cluster.gpus_per_node": request.gpus // nodes})
    _length_of_run(found, request)


def _length_of_run(found: Draft, request: Request) -> None:
    known = request.program.rollouts
    if known is None:
        return
    epochs = found.values.pop("stage.run_length.epochs")
    if request.rows is None:
        number, source = known
        found.put(f"{source}; --rows N counts the recipe's {epochs} epochs", {"stage.run_length.rollouts": number})
        return
    prompts = found.values[B + "prompts_per_rollout"]
    periods = max(epochs * request.rows // prompts, 1)
    why = f"{epochs} epochs of {request.rows:,} rows / {prompts:,} prompts"
    found.put(why, {"stage.run_length.rollouts": periods})


def _data(found: Draft, request: Request) -> None:
    train = Var(TRAIN_DATA) if request.data is None else request.data
    found.put("--data" if request.data else "decide: where the training rows lie", {DATA + "train[0].uri": train})
    if request.rows is not None:
        found.put("--rows", {DATA + "rows": request.rows})
    if request.eval_data is not None:
        found.put("--eval-data", {DATA + "eval[0].uri": request.eval_data})
        found.put("greedy, as veRL validates unless told otherwise", dict(VALIDATION))
    elif request.program.opens_evaluation:
        why = "decide: rows that are held out; they are opened at start"
        found.put(why, {DATA + "eval[0].uri": Var(EVAL_DATA)})
    else:
        found.values.pop("stage.cadence.eval_rollouts", None)


def _batches(found: Draft, request: Request) -> None:
    """An update that all GPUs share evenly: the recipe's, or the nearest number of prompts that divides."""
    values = request.recipe.values
    responses = values[B + "responses_per_prompt"]
    prompts = values[B + "sequences_per_update"] // responses
    step = request.gpus // gcd(request.gpus, responses)
    if prompts % step == 0:
        return
    near = max(round(prompts / step), 1) * step
    updates = values[B + "prompts_per_rollout"] // prompts
    changed = {B + "sequences_per_update": near * responses, B + "prompts_per_rollout": near * updates}
    if B + "critic_sequences_per_update" in values:
        changed[B + "critic_sequences_per_update"] = near * responses
    found.put(
        f"{near} prompts an update instead of the recipe's {prompts}: {request.gpus} GPUs share them",
        changed,
        chosen=True,
    )


def _placement(found: Draft, request: Request, sizes: Sizes) -> None:
    gpus = request.gpus
    roles = ["actor", *(["critic"] if "stage.model.critic_path" in found.values else [])]
    reference = any(found.values.get(f"stage.algorithm.{kl}.enabled") for kl in ("kl_loss", "kl_reward"))
    scored = [*roles, *(["reference"] if reference else [])]
    found.put("engines and trainer take turns on all GPUs", {P + "layout": "colocated", P + "rollout.gpus": gpus})
    for role in scored:
        found.put("", {f"{P}{role}.gpus": gpus, f"{P}{role}.backend": request.program.backend})
    found.put("", {P + "rollout.engine": "vllm"})
    why = "an engine fits one GPU" if sizes.tp == 1 else f"an engine needs {sizes.tp} GPUs"
    found.put(why, {P + "rollout.tp": sizes.tp}, chosen=True)
    usual = request.recipe.gpu_memory_fraction
    why = (
        "the example's own share" if sizes.fraction == usual else f"what the account leaves; the example has {usual:g}"
    )
    found.put(why, {MEMORY: sizes.fraction}, chosen=True)
    for at, what in enumerate(PARKED):
        parked = at < sizes.parked
        why = "waits in host memory while engines generate" if parked else "stays on the GPU: it fits"
        found.put(why, {f"{P}{role}.offload.{what}": parked for role in roles}, chosen=True)
    if reference:
        found.put("as in the recipe", {P + "reference.offload.param": True})


def _micro_batches(found: Draft, request: Request, sizes: Sizes) -> None:
    passes = ["log_prob", "reference"] if P + "reference.gpus" in found.values else ["log_prob"]
    passes += ["critic", "critic_infer"] if P + "critic.gpus" in found.values else []
    tokens = sizes.sequences * request.longest
    count = "1 sequence" if sizes.sequences == 1 else f"{sizes.sequences} sequences"
    why = f"{count} of {request.longest:,} tokens at once"
    filled = {"dynamic": True, "tokens_per_rank": tokens}
    fixed = {"dynamic": False, "sequences_per_rank": sizes.sequences}
    for name in ("micro", *passes):
        block = filled if request.program.by_tokens else fixed
        found.put(why, {f"{B}{name}.{key}": value for key, value in block.items()}, chosen=True)
