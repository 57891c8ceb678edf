"""The tables of veRL's programs that train nothing: main_eval scores answers in a file, main_generation writes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rftconf.base.ledger import Decision, State
from rftconf.mappers.codecs import counts, same
from rftconf.mappers.rows import Fold, Reason, Table, cannot, fixed, rows_of
from rftconf.mappers.shapes import Behaves, Pair, together
from rftconf.mappers.verl import questions
from rftconf.mappers.without_control import nothing_to_ask
from rftconf.plan.units import Unit

if TYPE_CHECKING:
    from rftconf.plan.model import Run
    from rftconf.schemas.verl_eval.model import VerlEval
    from rftconf.schemas.verl_generation.model import VerlGeneration

DEAD, KEPT = State.DEAD_IN_SOURCE, State.EXTENSION
scores = rows_of["VerlEval", "Run"]()
makes = rows_of["VerlGeneration", "Run"]()


def _worth(context: Any, unit: Unit) -> Any:
    """Nothing is counted but prompts and their answers."""
    if unit is Unit.SEQUENCES:
        return 1
    if unit is Unit.PROMPTS:
        return context.plan("stage.batch.responses_per_prompt") or 1
    raise KeyError(f"the worth of {unit}")


def _one_file(listed: str, columns: dict[str, str]) -> Fold:
    """`data.path` as the only data set, with its columns."""
    prefix, file = f"stage.data.{listed}[0].", "data.path"
    return together(
        Pair(file, prefix + "uri", always=True, null=True),
        Behaves(prefix + "storage", "file", "", keys=(file,), same=State.EXACT),
        *(Pair(key, prefix + field) for key, field in columns.items()),
        why="the program reads one parquet file",
    )


VERL_EVAL = Table(
    framework="verl_eval",
    rows=(
        fixed(lambda p: p.stage.kind, "eval", why="main_eval scores answers"),
        _one_file("eval", {"data.prompt_key": "keys.prompt", "data.response_key": "keys.response"}),
        scores(lambda c: c.custom_reward_function.path, lambda p: p.stage.reward.function_path, same, why="main_eval: get_custom_reward_fn"),
        scores(lambda c: c.custom_reward_function.name, lambda p: p.stage.reward.function_name, same, why="main_eval: get_custom_reward_fn"),
    ),
    cannot=(
        cannot("identity.*", why="main_eval has no project"),
        cannot("cluster.*", why="main_eval takes the CPUs it finds"),
        cannot("stage.*", why="main_eval only scores answers that a file holds"),
    ),
    reasons=(
        Reason("data.data_source_key", KEPT, "the column that tells rows of different data sets apart in the scores"),
        Reason("data.reward_model_key", KEPT, "the column that holds the correct answers, as the reward function wants them"),
        Reason("ray_kwargs*", KEPT, "arguments of ray.init; start the target on a Ray cluster of your own"),
    ),
    worth=_worth,
    target=questions.TARGET,
    questions=nothing_to_ask,
    kinds=("eval",),
    sections=("data", "custom_reward_function", "ray_kwargs"),
    stays="main_eval scores answers that a file already holds; benchmarks elsewhere generate their own",
)  # fmt: skip

VERL_GENERATION = Table(
    framework="verl_generation",
    rows=(
        fixed(lambda p: p.stage.kind, "generate", why="main_generation writes answers to a file"),
        _one_file("train", {"data.prompt_key": "keys.prompt"}),
        makes(lambda c: c.trainer.nnodes, lambda p: p.cluster.nodes, counts(Unit.NODES), why="main_generation: RayResourcePool"),
        makes(lambda c: c.trainer.n_gpus_per_node, lambda p: p.cluster.gpus_per_node, counts(Unit.GPUS), why="main_generation: RayResourcePool"),
        makes(lambda c: c.data.n_samples, lambda p: p.stage.batch.responses_per_prompt, same, why="main_generation: answers per prompt"),
        makes(lambda c: c.data.batch_size, lambda p: p.stage.batch.prompts_per_fetch, counts(Unit.PROMPTS), why="main_generation: prompts a pass"),
        makes(lambda c: c.model.path, lambda p: p.stage.model.path, same, always=True, why="main_generation: copy_to_local"),
        makes(lambda c: c.rollout.prompt_length, lambda p: p.stage.length.prompt_max_tokens, counts(Unit.TOKENS), why="rollout config"),
        makes(lambda c: c.rollout.response_length, lambda p: p.stage.length.response_max_tokens, counts(Unit.TOKENS), why="rollout config"),
        makes(lambda c: c.rollout.max_model_len, lambda p: p.stage.length.model_max_tokens, counts(Unit.TOKENS), why="rollout config"),
        makes(lambda c: c.rollout.temperature, lambda p: p.stage.sampling.train.temperature, same, why="rollout config"),
        makes(lambda c: c.rollout.top_p, lambda p: p.stage.sampling.train.top_p, same, why="rollout config: 0.7 unless written"),
        makes(lambda c: c.rollout.top_k, lambda p: p.stage.sampling.train.top_k, same, why="rollout config: 50 unless written"),
        makes(lambda c: c.rollout.ignore_eos, lambda p: p.stage.sampling.train.ignore_eos, same, why="rollout config"),
        makes(lambda c: c.rollout.name, lambda p: p.stage.placement.rollout.engine, same, why="rollout registry"),
        makes(lambda c: c.rollout.tensor_model_parallel_size, lambda p: p.stage.placement.rollout.tp, same, why="rollout config"),
        makes(lambda c: c.rollout.data_parallel_size, lambda p: p.stage.placement.rollout.dp, same, absent=1, why="rollout config"),
        makes(lambda c: c.rollout.gpu_memory_utilization, lambda p: p.stage.placement.rollout.gpu_memory_fraction, same, why="engine share"),
        makes(lambda c: c.rollout.max_num_seqs, lambda p: p.stage.placement.rollout.max_num_seqs, same, why="engine"),
        makes(lambda c: c.rollout.max_num_batched_tokens, lambda p: p.stage.placement.rollout.max_batched_tokens, counts(Unit.TOKENS), why="engine"),
        makes(lambda c: c.rollout.dtype, lambda p: p.stage.placement.rollout.dtype, same, why="engine"),
        makes(lambda c: c.rollout.enforce_eager, lambda p: p.stage.placement.rollout.enforce_eager, same, why="engine"),
        makes(lambda c: c.rollout.enable_chunked_prefill, lambda p: p.stage.placement.rollout.chunked_prefill, same, why="engine"),
        makes(lambda c: c.rollout.load_format, lambda p: p.stage.placement.rollout.load_format, same, why="engine"),
    ),
    cannot=(
        cannot("identity.*", why="main_generation has no project"),
        cannot("stage.*", why="main_generation only generates"),
    ),
    reasons=(
        Reason("*._target_", DEAD, "names the Python class that holds this block; it is part of the schema, not a setting"),
        Reason("data.output_path", KEPT, "the parquet file that gets the answers"),
        Reason("model.external_lib", KEPT, "a Python module imported before the model is built; code is never carried over"),
        Reason("rollout.n", DEAD, "data.n_samples says how many answers are generated; the program repeats the batch"),
        Reason("rollout.do_sample", KEPT, "False samples greedily; write temperature 0 for the target"),
        Reason("rollout.*", KEPT, "an option of the engine or of a trainer that this program does not start"),
        Reason("actor.*", DEAD, "the block exists because the worker's class wants it: nothing is trained"),
        Reason("trainer.device", KEPT, "the kind of accelerator (cuda, npu); it does not change the answers"),
        Reason("ray_kwargs*", KEPT, "arguments of ray.init; start the target on a Ray cluster of your own"),
    ),
    worth=_worth,
    target=questions.TARGET,
    questions=nothing_to_ask,
    kinds=("generate",),
    sections=("trainer", "data", "model", "rollout", "actor", "ray_kwargs"),
    stays="main_generation writes answers beside the prompts of a file and scores nothing; what generates elsewhere scores as well",
)  # fmt: skip
