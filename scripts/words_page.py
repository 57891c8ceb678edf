"""docs/words.md: one run in the words of every framework, read back from what a conversion of it writes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

from rftconf.base.record import record
from rftconf.convert.convert import convert
from rftconf.load.load import load
from rftconf.mappers.reading import Reading
from rftconf.plan.origin import Kind
from rftconf.report.values import render_value
from rftconf.schemas.registry import FRAMEWORKS
from rftconf.text import toml
from rftconf.text.read.read import read
from rftconf.text.source import from_bytes

Row = Callable[..., str]
ELSEWHERE = Path(__file__).with_name("words_elsewhere.toml")
"""Facts about frameworks that are not read, each with the code that shows it."""
ROWS = 51_200
RUN = """python3 -m verl.trainer.main_ppo \\
    algorithm.adv_estimator=grpo \\
    data.train_files=/data/train.parquet \\
    data.val_files=/data/test.parquet \\
    data.train_batch_size=512 \\
    data.max_prompt_length=1024 \\
    data.max_response_length=3072 \\
    actor_rollout_ref.model.path=Qwen/Qwen2.5-7B \\
    actor_rollout_ref.rollout.name=vllm \\
    actor_rollout_ref.rollout.n=8 \\
    actor_rollout_ref.rollout.tensor_model_parallel_size=2 \\
    actor_rollout_ref.actor.ppo_mini_batch_size=128 \\
    actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=4 \\
    actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu=4 \\
    actor_rollout_ref.ref.log_prob_micro_batch_size_per_gpu=4 \\
    actor_rollout_ref.actor.ppo_epochs=1 \\
    actor_rollout_ref.actor.use_kl_loss=True \\
    actor_rollout_ref.actor.kl_loss_coef=0.001 \\
    actor_rollout_ref.actor.kl_loss_type=low_var_kl \\
    actor_rollout_ref.actor.clip_ratio_low=0.2 \\
    actor_rollout_ref.actor.clip_ratio_high=0.28 \\
    actor_rollout_ref.actor.optim.lr=1e-6 \\
    actor_rollout_ref.actor.optim.lr_warmup_steps=10 \\
    trainer.nnodes=2 \\
    trainer.n_gpus_per_node=8 \\
    trainer.total_training_steps=100 \\
    trainer.save_freq=20
"""


@record
class Concept:
    """A word that frameworks use for different things: `names` are its entries in the facts by hand, `fields` the plan's."""

    title: str
    meaning: str
    names: tuple[str, ...]
    fields: tuple[str, ...]


CONCEPTS = (
    Concept("Batch: prompts a period", "512 prompts are answered between two syncs of the weights.",
            ("batch_prompts",), ("batch.prompts_per_rollout",)),
    Concept("Group", "Each prompt gets 8 responses, so a period has 4,096 sequences.", ("group",), ("batch.responses_per_prompt",)),
    Concept("Batch: sequences an update", "The optimizer steps once over 1,024 sequences: 4 updates a period.",
            ("update",), ("batch.sequences_per_update",)),
    Concept("Epoch: passes over a period", "Each sequence is trained on once.", ("passes", "epoch"), ("batch.passes",)),
    Concept("Step: the length of the run", "The run has 100 periods, which are 400 updates.",
            ("step", "length_of_run"), ("run_length.rollouts",)),
    Concept("Step: saving", "A checkpoint is written every 20 periods.", ("save",), ("cadence.save_rollouts",)),
    Concept("Step: warm-up", "The learning rate rises over 40 updates, which are 10 periods.", ("warmup",),
            ("optim.actor.warmup_updates",)),
    Concept("Sync", "Engines get the new weights after each period, and wait for them.", ("sync",),
            ("sync.every_rollouts", "sync.run_ahead_rollouts")),
    Concept("Length", "A prompt has at most 1,024 tokens, a response at most 3,072.", ("prompt_length", "response_length"),
            ("length.prompt_max_tokens", "length.response_max_tokens")),
    Concept("KL", "The loss has 0.001 times the k3 estimate of the divergence from the reference.", ("kl",),
            ("algorithm.kl_loss.enabled", "algorithm.kl_loss.coef", "algorithm.kl_loss.estimator")),
    Concept("Clip", "The ratio is clipped at 1 - 0.2 and 1 + 0.28, and the loss of a negative advantage at 3 times it.",
            ("clip",), tuple(f"algorithm.policy_loss.{name}" for name in ("clip_low", "clip_high", "dual_clip_c"))),
)  # fmt: skip
INTRODUCTION = """# One run in everybody's words

"Batch size", "step" and "epoch" count something else in each framework. This is one run, in the keys that each of them wants
for it. The first tables are read off what `rftconf convert` writes; frameworks that rftconf does not read stand below them, by
hand, with the code that shows it.

The run: GRPO on 2 nodes of 8 GPUs, 512 prompts a period with 8 responses each, 4 updates of 1,024 sequences, 100 periods.
"""


@cache
def _readings() -> dict[str, Reading]:
    """Framework to the run as its own config is read: veRL's is the source, the others' are conversions of it."""
    document = read(from_bytes("run.sh", RUN.encode()))
    readings = {}
    for name in FRAMEWORKS:
        written = convert(document, name, rows=ROWS)
        own = document if name == "verl" else read(from_bytes(f"run{written.file_suffix}", written.text.encode()))
        readings[name] = load(own, framework=name, rows=ROWS).stages[0].reading
    return readings


def page(row: Row, head: Row) -> str:
    """The whole page, without the note."""
    text = INTRODUCTION
    others = toml.loads(ELSEWHERE.read_text(encoding="utf-8"))["framework"]
    for concept in CONCEPTS:
        text += f"\n## {concept.title}\n\n{concept.meaning}\n\n" + head("framework", "this run", "how it counts")
        for name, reading in _readings().items():
            text += row(FRAMEWORKS[name].title, *_cells(reading, concept))
        for other in others.values():
            entries = [other[name] for name in concept.names if name in other]
            if entries:
                written = dict.fromkeys(line for entry in entries for line in entry["keys"].splitlines())
                keys = ", ".join(f"`{line}`" for line in written)
                text += row(other["title"], keys or "*no key*", " ".join(entry["counts"] for entry in entries))
    return text + _sources(others)


def _sources(others: dict[str, Any]) -> str:
    text = "\n## Sources of what stands by hand\n\n"
    for other in others.values():
        places = dict.fromkeys(entry["source"] for entry in other.values() if isinstance(entry, dict))
        text += f"* {other['title']} {other['release']} ({other['repository']}): {'; '.join(f'`{place}`' for place in places)}\n"
    return text


def _cells(reading: Reading, concept: Concept) -> tuple[str, str]:
    """Return the keys with their values, and how the plan's values follow from them."""
    keys: dict[str, str] = {}
    hows: dict[str, None] = {}
    for path in concept.fields:
        origin = reading.origins.get(f"stage.{path}")
        if origin is None:
            continue
        values = {key: reading.source.value(key) for key in origin.keys}
        default = " by default" if origin.kind is Kind.DEFAULT else ""
        keys |= {
            key: f"`{key}: {render_value(value)}`{default}" for key, value in values.items() if value not in (None, {})
        }
        counted = () if origin.kind is Kind.DERIVED else _ratio(values, reading.plan(f"stage.{path}"), path)
        hows |= dict.fromkeys(filter(None, (origin.how, *counted)))
    return ", ".join(keys.values()) or "*no key*", "; ".join(hows)


UNITS = {
    "prompts_per_rollout": "prompts",
    "sequences_per_update": "sequences",
    "rollouts": "periods",
    "save_rollouts": "periods",
    "warmup_updates": "updates",
}


def _ratio(values: dict[str, Any], plan: Any, path: str) -> Iterator[str]:
    """Yield what one of a single key's number stands for, where it is another number than the plan's."""
    unit = UNITS.get(path.rpartition(".")[2])
    numbers = {value for value in values.values() if isinstance(value, int) and not isinstance(value, bool)}
    if unit is None or not isinstance(plan, int) or 0 in numbers:
        return
    if plan in numbers:
        yield f"counts {unit}"
    if len(numbers) != 1 or plan in numbers:
        return
    share = Fraction(plan, numbers.pop())
    words = f"{unit if share.numerator > 1 else unit.removesuffix('s')}"
    yield (
        f"1 counts for {share} {words}"
        if share.denominator == 1
        else f"{share.denominator} count for {share.numerator} {words}"
    )
