"""An interpolation is a finding where the framework's loader cannot resolve it, and nowhere else."""

from __future__ import annotations

from rftconf.lint.interpolated import unresolved
from rftconf.schemas import catalogue
from rftconf.text.read.read import read
from rftconf.text.source import Source
from tests.laws.same_budget import golden_inputs

PRODUCT = "policy:\n  train_global_batch_size: ${mul:2,8}\n  train_micro_batch_size: ${sum:1,2}\n"


def problems(framework: str, release: str, text: str = PRODUCT) -> list[str]:
    diagnostics = unresolved(read(Source("a.yaml", text)), catalogue.load(framework, release))
    return [diagnostic.message for diagnostic in diagnostics]


def test_functions_that_the_framework_registers_are_no_finding() -> None:
    """nemo_rl/utils/config.py: register_omegaconf_resolvers has mul, div and max."""
    assert problems("nemo_rl", "0.7.0") == ["the resolver sum with 2 arguments is not one of OmegaConf's own"]
    assert len(problems("verl", "0.9.1")) == 2


def test_what_a_framework_ships_resolves() -> None:
    """Golden inputs of NeMo-RL stand on its own configs, which multiply."""
    release_keys = catalogue.load("nemo_rl", "0.7.0")
    documents = [document for _, document in golden_inputs() if "grpo_math" in document.text]
    assert any(leaf.inherited for document in documents for leaf in document.leaves)
    assert [diagnostic for document in documents for diagnostic in unresolved(document, release_keys)] == []
