"""Makes plan values of a request and a recipe, each with the reason that stands beside it in the file."""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd
from typing import Any

from rftconf.base.errors import UsageError
from rftconf.base.symbols import Var
from rftconf.mappers.placing import MEMORY
from rftconf.mappers.profiles import profile_of
from rftconf.mappers.program import Program
from rftconf.plan.origin import Kind, Origin
from rftconf.recipes.recipes import Recipe
from rftconf.schemas import registry

P, B, DATA = "stage.placement.", "stage.batch.", "stage.data."
TRAIN_DATA, EVAL_DATA = "TRAIN_DATA", "EVAL_DATA"
"""Variables that the run reads at start where no file is named."""
VALIDATION = {
    "stage.sampling.eval.temperature": 0.0,
    "stage.sampling.eval.top_p": 1.0,
    "stage.sampling.eval.top_k": -1,
    "stage.sampling.eval.responses": 1,
}
PARKED = ("optimizer", "param")
"""The parts of a trainer that may wait in host memory while other roles work."""
SHARDED = {
    1: "the optimizer is shared out over all GPUs",
    2: "optimizer and gradients are shared out over all GPUs: the weights fit as they are",
    3: "weights are shared out over all GPUs, too: they need the room",
}
"""ZeRO's stages, in words."""
LARGEST_NODE = 8
"""GPUs of a node where nobody says how many nodes there are."""


@dataclass(frozen=True, slots=True)
class Request:
    """The user's choices. `gpus` are all GPUs; a path that is None is asked for by a variable when the run starts."""

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
        """Return the framework's own settings beside the recipe."""
        program = profile_of(self.framework).program
        assert program is not None, "verbs/new_config.py asks for frameworks with a program only"
        return program

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
        tokens = self.prompt_tokens if which == "prompt" else self.response_tokens
        return tokens or int(self.recipe.values[f"stage.length.{which}_max_tokens"])


@dataclass(frozen=True, slots=True)
class Sizes:
    """Sizes chosen to fit the memory. `sequences` of full length make up the largest micro-batch of a rank."""

    tp: int
    sequences: int
    fraction: float
    parked: int = 0
    """An index into the program's `parks`: that entry waits in host memory while other roles work."""
    sequence_gpus: int = 1
    zero_stage: int | None = None


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
    draft, recipe = Draft(), request.recipe
    draft.put(f"{recipe.title} recipe", dict(recipe.values))
    _batches(draft, request)
    for which in ("prompt", "response"):
        if request.length(which) != recipe.values[f"stage.length.{which}_max_tokens"]:
            draft.put(f"--{which}-tokens", {f"stage.length.{which}_max_tokens": request.length(which)})
    if request.program.bounds_context:
        why = "the recipe's longest prompt and answer together"
        draft.put(why, {"stage.length.model_max_tokens": request.longest}, chosen=True)
    draft.put(f"as {registry.framework(request.framework).title}'s own example has it", dict(request.program.values))
    _run(draft, request)
    _data(draft, request)
    _placement(draft, request, sizes)
    _micro_batches(draft, request, sizes)
    return draft


def _run(draft: Draft, request: Request) -> None:
    name = request.model.rstrip("/").rpartition("/")[2].lower()
    draft.put("", {"stage.kind": "rl", "identity.checkpoint_root": "checkpoints", "stage.sync.run_ahead_rollouts": 0})
    draft.put("", {"identity.project": "rftconf", "identity.experiment": f"{name}-{request.recipe.name}"})
    draft.put("--model", {"stage.model.path": request.model})
    if request.recipe.values.get("stage.algorithm.critic.enabled"):
        draft.put("--model; the critic starts from the policy", {"stage.model.critic_path": request.model})
    nodes = request.node_count
    draft.put("--gpus", {"cluster.nodes": nodes, "cluster.gpus_per_node": request.gpus // nodes})
    _length_of_run(draft, request)


def _length_of_run(draft: Draft, request: Request) -> None:
    known = request.program.rollouts
    if known is None:
        return
    epochs = draft.values.pop("stage.run_length.epochs")
    if request.rows is None:
        number, source = known
        draft.put(f"{source}; --rows N counts the recipe's {epochs} epochs", {"stage.run_length.rollouts": number})
        return
    prompts = draft.values[B + "prompts_per_rollout"]
    periods = max(epochs * request.rows // prompts, 1)
    why = f"{epochs} epochs of {request.rows:,} rows / {prompts:,} prompts"
    draft.put(why, {"stage.run_length.rollouts": periods})


def _data(draft: Draft, request: Request) -> None:
    train = Var(TRAIN_DATA) if request.data is None else request.data
    draft.put("--data" if request.data else "decide: where the training rows lie", {DATA + "train[0].uri": train})
    if request.rows is not None:
        draft.put("--rows", {DATA + "rows": request.rows})
    if request.eval_data is not None:
        draft.put("--eval-data", {DATA + "eval[0].uri": request.eval_data})
        draft.put("greedy, as veRL validates unless told otherwise", dict(VALIDATION))
    elif request.program.opens_evaluation:
        why = "decide: rows that are held out; they are opened at start"
        draft.put(why, {DATA + "eval[0].uri": Var(EVAL_DATA)})
    else:
        draft.values.pop("stage.cadence.eval_rollouts", None)


def _batches(draft: Draft, request: Request) -> None:
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
    draft.put(
        f"{near} prompts an update instead of the recipe's {prompts}: {request.gpus} GPUs share them",
        changed,
        chosen=True,
    )


def _placement(draft: Draft, request: Request, sizes: Sizes) -> None:
    gpus = request.gpus
    roles = ["actor", *(["critic"] if "stage.model.critic_path" in draft.values else [])]
    reference = any(draft.values.get(f"stage.algorithm.{kl}.enabled") for kl in ("kl_loss", "kl_reward"))
    scored = [*roles, *(["reference"] if reference else [])]
    draft.put("engines and trainer take turns on all GPUs", {P + "layout": "colocated", P + "rollout.gpus": gpus})
    for role in scored:
        draft.put("", {f"{P}{role}.gpus": gpus, f"{P}{role}.backend": request.program.backend})
    draft.put("", {P + "rollout.engine": "vllm"})
    why = "an engine fits one GPU" if sizes.tp == 1 else f"an engine needs {sizes.tp} GPUs"
    draft.put(why, {P + "rollout.tp": sizes.tp}, chosen=True)
    if sizes.sequence_gpus > 1:
        draft.put(f"a sequence needs {sizes.sequence_gpus} GPUs", {P + "actor.sp": sizes.sequence_gpus}, chosen=True)
    if sizes.zero_stage is not None:
        why = SHARDED[sizes.zero_stage]
        draft.put(why, {P + "actor.zero_stage": sizes.zero_stage}, chosen=True)
    usual = request.recipe.gpu_memory_fraction
    why = (
        "the example's own share" if sizes.fraction == usual else f"what the account leaves; the example has {usual:g}"
    )
    draft.put(why, {MEMORY: sizes.fraction}, chosen=True)
    for what in PARKED:
        parked = what in request.program.parks[sizes.parked]
        why = "waits in host memory while engines generate" if parked else "stays on the GPU: it fits"
        draft.put(why, {f"{P}{role}.offload.{what}": parked for role in roles}, chosen=True)
    if reference:
        draft.put("as in the recipe", {P + "reference.offload.param": True})


def _micro_batches(draft: Draft, request: Request, sizes: Sizes) -> None:
    passes = ["log_prob", "reference"] if P + "reference.gpus" in draft.values else ["log_prob"]
    passes += ["critic", "critic_infer"] if P + "critic.gpus" in draft.values else []
    by_tokens = request.program.by_tokens
    sequences = sizes.sequences if by_tokens else _whole_part(draft, request, sizes.sequences)
    count = "1 sequence" if sequences == 1 else f"{sequences} sequences"
    why = f"{count} of {request.longest:,} tokens at once"
    filled = {"dynamic": True, "tokens_per_rank": sequences * request.longest}
    fixed = {"dynamic": False, "sequences_per_rank": sequences}
    for name in ("micro", *passes):
        block = filled if by_tokens else fixed
        draft.put(why, {f"{B}{name}.{key}": value for key, value in block.items()}, chosen=True)


def _whole_part(draft: Draft, request: Request, most: int) -> int:
    """The largest number of sequences up to `most` that a GPU's share of an update is a multiple of."""
    share = draft.values[B + "sequences_per_update"] // request.gpus
    return max(size for size in range(1, most + 1) if share % size == 0)
