"""Counts the memory between the last hidden state and the loss: logits, whole or in chunks."""

from __future__ import annotations

from dataclasses import replace

from rftconf.budget.facts.implementations import FUSED, Head
from rftconf.budget.terms.term import Term, grouped, term
from rftconf.budget.terms.training_job import Training

CAP = 2.0
"""Bytes per logit that a soft cap keeps for backward: the result of its tanh, in the compute type."""


def head_of(job: Training) -> Head:
    """The head in use: the trainer's own, or the fused one when the config turns it on."""
    if job.fused_head and job.implementation.head.full:
        return FUSED
    return job.implementation.head


def logits(job: Training, *, backward: bool = True) -> Term:
    """Everything as large as the vocabulary that is alive at the loss.

    Without backward only the logits themselves and one fp32 copy of what is worked on remain. A value head has none.
    """
    head, vocabulary = head_of(job), job.architecture.vocabulary
    tokens = job.head_tokens
    if job.value_head:
        return term("logits", "values", 4 * tokens, f"4 B × {grouped(tokens)} tokens; one value each")
    if _in_parts(job, head):
        return _worked_on(job, head, backward=backward)
    split = job.megatron.tp if job.backend == "megatron" else 1
    if head.full:
        each = head.full + (head.entropy if job.entropy else 0.0) if backward else _scored(head)
        each += CAP if backward and job.architecture.capped and job.backend != "megatron" else 0.0
        beside = head.worked_on if backward else head.worked_on / 2
        size = each * tokens * vocabulary / split + beside
        over = f" / {split} TP" if split > 1 else ""
        formula = f"{each:g} B × {grouped(tokens)} tokens × {grouped(vocabulary)} entries{over}"
        formula += f" + {int(beside) >> 20} MiB" if beside else ""
        return term("logits", head.name, size, formula)
    return _chunked(replace(head, chunk=head.chunk if backward else head.chunk / 2), tokens, vocabulary)


def _in_parts(job: Training, head: Head) -> bool:
    """True where not all logits are there at once. A soft cap comes after the head, and Ulysses asks it about all places."""
    large = head.most and job.head_tokens * job.architecture.vocabulary > head.most
    return bool(large) and job.sp == 1 and not job.architecture.capped


def _worked_on(job: Training, head: Head, *, backward: bool) -> Term:
    """Count what a head works on, and the gradient of its weight in fp32 beside a part's in the compute type."""
    arch = job.architecture
    beside = head.worked_on if backward else head.worked_on / 2
    learned = (4 + job.compute_bytes) * arch.vocabulary * arch.hidden if backward and job.trainable else 0
    formula = f"{int(beside) >> 20} MiB"
    if learned:
        formula += f" + {4 + job.compute_bytes} B × {grouped(arch.vocabulary)} entries × {arch.hidden} hidden"
    return term("logits", "logits by parts of the tokens", beside + learned, formula)


def _scored(head: Head) -> float:
    return min(head.full, 4.0) + 2.0 if head.scored is None else head.scored


def hole(job: Training) -> Term:
    """Memory that full logits in the compute type leave behind; given back when memory runs out, so only slack."""
    each, vocabulary, tokens = head_of(job).hole, job.architecture.vocabulary, job.head_tokens
    if job.value_head or not each or _in_parts(job, head_of(job)):
        return term("slack", "hole of the logits", 0, "0 B; logits leave none")
    formula = f"{each:g} B × {grouped(tokens)} tokens × {grouped(vocabulary)} entries"
    return term("slack", "hole of the logits", each * tokens * vocabulary, formula)


def _chunked(head: Head, tokens: int, vocabulary: int) -> Term:
    rows = min(tokens, head.token_chunk or tokens)
    columns = min(vocabulary, head.vocabulary_chunk or vocabulary)
    formula = f"{head.chunk:g} B × {grouped(rows)} tokens × {grouped(columns)} entries of a chunk"
    return term("logits", head.name, head.chunk * rows * columns, formula)


def around(job: Training) -> Term:
    """The last hidden state: before and after the final norm, and its gradient."""
    hidden, tokens = job.architecture.hidden, job.local_tokens
    each = 12 if job.implementation.norms == "eager" else 6
    formula = f"{each} B × {hidden} hidden × {grouped(tokens)} tokens; final norm and its gradient"
    return term("activations", "last hidden state", each * hidden * tokens, formula)
