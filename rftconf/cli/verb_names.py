"""The verbs of the command line, each with its line of help."""

from __future__ import annotations

VERBS = {
    "convert": "Write a config for another framework.",
    "check": "Find what is wrong with configs, by line and column.",
    "migrate": "Rewrite files in place for another release of their framework.",
    "plan": "Print what a config means: the canonical plan.",
    "diff": "Say whether two configs are the same run, and what differs.",
    "verify": "Compute a certificate again, and say what no longer holds.",
    "budget": "Price a run in GPU memory: will it fit, and what to change.",
    "explain": "Say what a diagnostic's code, a key, or a field of the plan means.",
    "metrics": "Say which logged metric of one framework is which of another; rename files of them.",
    "new": "Write a first config that fits given GPUs: a published recipe, sized and commented.",
    "init": "Write rftconf.toml from what is found in a folder.",
    "lsp": "Serve an editor: findings, hover, completion, fixes.",
    "studio": "Open a page on this machine: convert, check, price, compare, begin configs.",
    "mcp": "Serve agents: the verbs as tools, in the Model Context Protocol.",
    "run": "Execute a config with vLLM, FSDP2 and Ray.",
    "launch": "Write what starts a run on Kubernetes (KubeRay) or Slurm.",
    "runs": "List what ran, how far, and what it earned; plot it.",
    "schema": "Print a JSON Schema: of the plan, of certificates, of a framework, of the settings.",
}
"""Each is a module of its name in `rftconf.cli.commands`, with a function of its name."""
