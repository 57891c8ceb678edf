"""docs/memory.md: the terms of the memory account by their own sentences, and how far it is from measured peaks."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import ModuleType

from benches.budget_accuracy import PEERS, judged
from rftconf.budget import phases, price
from rftconf.budget.facts import vision
from rftconf.budget.facts.gpus import GPUS
from rftconf.budget.facts.models import rows as models
from rftconf.budget.roles import megatron_sizes
from rftconf.budget.roles import scoring_models as scorers
from rftconf.budget.terms import activations, data_parallel, engine, kv_cache, megatron
from rftconf.budget.terms import fsdp_phases as trainer
from rftconf.budget.terms import fsdp_sharding as sharding
from rftconf.budget.terms import lm_head as head

Row = Callable[..., str]
MODULES: tuple[tuple[str, ModuleType], ...] = (
    ("What FSDP keeps and gathers", sharding),
    ("What DDP and DeepSpeed keep", data_parallel),
    ("What Megatron keeps", megatron),
    ("Megatron's options", megatron_sizes),
    ("What a layer leaves for the backward pass", activations),
    ("Logits and their loss", head),
    ("Images", vision),
    ("The engine", engine),
    ("The key-value cache", kv_cache),
    ("The moments of a trainer's step", trainer),
    ("Models that answer with a forward", scorers),
    ("The phases of a pool", phases),
    ("Verdicts", price),
)
INTRODUCTION = """# The memory account

`rftconf budget` adds up what each role of a run keeps on a GPU, phase by phase, from the mechanisms of the code that runs
([ADR 10](adr/0010-memory-by-mechanism.md)). Nothing is fitted to measurements.

```console
rftconf budget run_grpo.sh --gpu h100-80g
rftconf budget run_grpo.sh --gpu h100-80g --explain
rftconf budget run_grpo.sh --gpu a100-80g --fit
rftconf check run_grpo.sh --gpu h100-80g
```

`--explain` prints every term with its formula and its numbers, and they add up exactly. A run *fits* when even the upper end
of the interval does; it does *not fit* when even the lower end does not; between the two it is *too close to tell*. Engines
and trainer that share a GPU are counted at the moment that needs most; with GPUs of their own, each pool by itself.

![Phases of a shared and of a split pool](img/placement.svg)
"""


def page(row: Row, head: Row) -> str:
    """The page, without the note."""
    text = INTRODUCTION + "\n## Terms\n"
    for title, module in MODULES:
        text += f"\n### {title}\n\n{_plain(module.__doc__)}\n\n" + head("function", "what it counts")
        text += "".join(row(f"`{name}`", sentence) for name, sentence in _functions(module))
    return text + _accuracy(row, head) + _tables(row, head)


def _functions(module: ModuleType) -> list[tuple[str, str]]:
    members = inspect.getmembers(module, lambda member: inspect.isfunction(inspect.unwrap(member)))
    own = [
        (name, function)
        for name, function in members
        if function.__module__ == module.__name__ and not name.startswith("_")
    ]
    ordered = sorted(own, key=lambda pair: inspect.getsourcelines(pair[1])[1])
    return [(name, _plain(function.__doc__)) for name, function in ordered if function.__doc__]


def _plain(text: str | None) -> str:
    return " ".join((text or "").split())


def _accuracy(row: Row, head: Row) -> str:
    judged_rows = judged()
    real = [rows_judged for rows_judged in judged_rows if rows_judged.row.peak]
    errors = [abs(judged.error) for judged in real]
    text = "\n## Accuracy\n\nPublished peaks of a trainer (FSDP2, fp32 master weights) beside the account, and beside other "
    text += f"formulas (`make bench-budget`). Over {len(real)} rows the account is off by {_percent(sum(errors) / len(errors))} "
    text += f"in the mean and {_percent(max(errors))} at most. Sizes are GiB; *failed* ran out of memory.\n\n"
    text += head("run", "measured", "rftconf", "error", "interval", *(peer.__name__ for peer in PEERS))
    for row_judged in judged_rows:
        peers = (f"{peer(row_judged.row.job):.1f}" for peer in PEERS)
        measured = f"{row_judged.row.peak:.2f}" if row_judged.row.peak else "failed"
        error = f"{row_judged.error:+.1%}" if row_judged.row.peak else ""
        text += row(
            row_judged.row.label, measured, f"{row_judged.account_gib:.2f}", error, f"± {row_judged.doubt:.2f}", *peers
        )
    return text


def _percent(share: float) -> str:
    return f"{100 * share:.2f} %"


def _tables(row: Row, head: Row) -> str:
    text = "\n## GPUs\n\nMemory that programs really get. `NAME:GIB` names another.\n\n" + head("name", "GiB", "source")
    text += "".join(row(f"`{gpu.name}`", f"{gpu.usable_gib:g}", gpu.source) for gpu in GPUS)
    text += "\n## Models\n\nAny folder with a config.json does as well (`--model DIR`).\n\n" + head(
        "name", "parameters"
    )
    return text + "".join(row(f"`{model.name}`", f"{model.published:,}") for model in models())
