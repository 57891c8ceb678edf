"""The phases of a trainer under FSDP, each a list of terms. The peak of a phase is its worst moment."""

from __future__ import annotations

from dataclasses import replace

from rftconf.budget.terms import activations
from rftconf.budget.terms import fsdp_sharding as sharding
from rftconf.budget.terms import lm_head as head
from rftconf.budget.terms.term import Term, term, total
from rftconf.budget.terms.training_job import Training

WORKSPACE = 64 << 20
"""cuBLAS keeps 32 MiB for each of the two threads that run forward and backward (Hopper; 8 MiB before)."""


def workspace() -> Term:
    """Memory that cuBLAS, the matrix library, keeps for itself: 2 workspaces of 32 MiB."""
    return term("slack", "cuBLAS workspaces", WORKSPACE, "2 × 32 MiB")


def states(job: Training, *, stepping: bool = False, reduced: bool = True) -> list[Term]:
    """Sharded weights, and for a trained role its optimizer and the gradients that are already reduced."""
    terms = sharding.weights(job)
    if job.trains and reduced:
        terms.append(sharding.gradients(job))
    if job.trains:
        terms.append(sharding.optimizer(job, stepping=stepping))
    return terms


def before_backward(job: Training) -> list[Term]:
    """States before any layer's backward: gradients only of earlier micro-batches."""
    return states(job, reduced=job.micro_batches > 1)


def at_start(job: Training) -> list[Term]:
    """The start of forward, which decides only where an outermost group is most of a small model."""
    return [*before_backward(job), *sharding.copied_out(job), workspace()]


def at_loss(job: Training) -> list[Term]:
    """The end of forward and the start of backward: all checkpoints and the logits."""
    terms = [activations.checkpoints(job)] if job.checkpointing else [activations.saved_activations(job)]
    parts = [*sharding.gathered(job), sharding.reduced(job)]
    return [*before_backward(job), *parts, *terms, head.around(job), head.logits(job), head.hole(job), workspace()]


def at_layer(job: Training) -> list[Term]:
    """The last layer's backward: all checkpoints, that layer's tensors, gradients on their way."""
    terms = [activations.saved_activations(job)]
    if job.checkpointing:
        terms = [activations.checkpoints(job), activations.block(job)]
    gathered = sharding.gathered(job, backward=True)
    return [*before_backward(job), *gathered, *sharding.reducing(job), *terms, workspace()]


def at_first_layers(job: Training) -> list[Term]:
    """Backward in the first layers: few activations are left, and almost all layers' gradients are reduced."""
    layers = min(2, job.architecture.depth)
    terms = [activations.saved_activations(job, layers)]
    if job.checkpointing:
        terms = [activations.checkpoints(job, layers), activations.block(job)]
    gathered = sharding.gathered(replace(job, reshard_after_forward=True))
    moving = [*sharding.reducing(job), *sharding.averaged(job, layers)]
    return [*_so_far(job, layers), *gathered, *moving, *terms, workspace()]


def _so_far(job: Training, layers: int) -> list[Term]:
    """States, with gradients of earlier micro-batches or of the layers that the first one has left behind."""
    if job.micro_batches > 1 or not job.trainable:
        return states(job)
    return [*states(job, reduced=False), sharding.first_gradients(job, layers)]


def at_end(job: Training) -> list[Term]:
    """The end of backward, where the largest vocabulary decides: activations are gone, embedding and head are reduced."""
    return [*_so_far(job, 0), *(sharding.reducing_outer(job) if job.trainable else []), workspace()]


def at_step(job: Training) -> list[Term]:
    """The optimizer's step."""
    return [*states(job, stepping=True), sharding.step_temporary(job), sharding.reduced(job), workspace()]


def moments(job: Training) -> dict[str, list[Term]]:
    """Every moment of an update that may be its peak."""
    return {
        "start of forward": at_start(job),
        "loss": at_loss(job),
        "layer backward": at_layer(job),
        "first layers' backward": at_first_layers(job),
        "end of backward": at_end(job),
        "optimizer step": at_step(job),
    }


def update(job: Training) -> tuple[str, list[Term]]:
    """The worst moment of an update and what it is called."""
    return max(moments(job).items(), key=lambda moment: total(moment[1]))


def scoring(job: Training) -> list[Term]:
    """A forward for log-probabilities (old policy, reference) without gradients."""
    resident = sharding.weights(job)
    if job.trains:
        resident.append(sharding.optimizer(job))
    logits = head.logits(job, backward=False)
    return [*resident, *sharding.gathered(job), activations.inference(job), logits, workspace()]
