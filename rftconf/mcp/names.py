"""The server knows the tools by name, with their descriptions and types; processes of their own answer."""

from __future__ import annotations

from typing import NamedTuple

from rftconf.mcp import requests, results
from rftconf.schemas import registry

READ_FRAMEWORKS = tuple(framework.title for framework in registry.READ)


class Tool(NamedTuple):
    """An agent sees a tool so."""

    title: str
    description: str
    request: type[requests.Request]
    result: type[results.Result]


TOOLS = {
    "check": Tool(
        "Find mistakes in a training config",
        "Finds misspelt and dead keys, values of the wrong type, sizes that do not divide, risky settings and, with a "
        "`gpu`, too little memory. Each finding has a code; the tool explain has its page.",
        requests.Check,
        results.CheckResult,
    ),
    "fix": Tool(
        "Mend what a check finds",
        "Gives the text back with the safe fixes made, and the findings that are left. Nothing is written: put the text "
        "into the file yourself, or apply `diff` where `withheld` is true.",
        requests.Fix,
        results.FixResult,
    ),
    "convert": Tool(
        "Write a config for another framework",
        f"Translates a config between {', '.join(READ_FRAMEWORKS)}. `lost` are keys without a "
        "counterpart, `learning` what trains otherwise, `decisions` what a person has to choose.",
        requests.Convert,
        results.ConvertResult,
    ),
    "budget": Tool(
        "Price a run in GPU memory",
        "Tells whether a run fits a GPU, its peak and the phase that decides. `nodes` and `gpus_per_node` ask about "
        "another cluster than the config's.",
        requests.Budget,
        results.BudgetResult,
    ),
    "fit": Tool(
        "Make a run fit",
        "Lists what would fit (largest micro-batch, offloading, fewest GPUs). With `apply` it gives the text with that "
        "answer, and with the asked cluster, written into it, and its account as `after`.",
        requests.Fit,
        results.FitResult,
    ),
    "diff": Tool(
        "Compare two runs in effect",
        "Tells whether two configs of any frameworks are the same run: `causes` is why they learn differently, `stages` "
        "has each difference with where it is said.",
        requests.Diff,
        results.DiffResult,
    ),
    "explain": Tool(
        "Explain a key, a code or a hazard",
        "Gives the meaning, unit, default by release and counterparts of a key in all frameworks, or the page of a "
        "diagnostic's code, a plan field, a hazard or a fork.",
        requests.Explain,
        results.ExplainResult,
    ),
    "migrate": Tool(
        "Update a config to another release",
        "Rewrites a config for another release of its own framework: keys are renamed and moved in place, comments stay, "
        "defaults that changed are written out. It refuses where something would be lost, unless `on_loss` is warn.",
        requests.Migrate,
        results.MigrateResult,
    ),
    "new": Tool(
        "Write a first config that fits",
        "Writes a config from a published recipe (GRPO, DAPO, PPO, RLOO, REINFORCE++, GSPO), sized for the GPUs.",
        requests.New,
        results.NewResult,
    ),
}
PAGE, PAGES = "page", "pages"
"""These questions are about resources: the text of one address, and all addresses with their titles."""
RULES, HAZARDS = "rftconf://rules/", "rftconf://hazards/"
