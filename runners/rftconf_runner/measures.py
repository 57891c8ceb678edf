"""Numbers that ranks measure of their own shares beside rows of log-probs, so that nobody else has to read the rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rftconf_runner.columns import Ragged
from rftconf_runner.consistency_checks import Gap, gap_between
from rftconf_runner.samples import Samples

if TYPE_CHECKING:
    from rftconf_runner.losses import Estimator


def fresh_gap(drawn: Ragged, own: Ragged, samples: Samples, version: int) -> Gap:
    """Measure how far apart the log-probs of engine and trainer are, of the tokens that the trainer's very weights drew."""
    fresh = np.flatnonzero(samples.numbers.versions == version)
    return gap_between(drawn.take(fresh).values, own.take(fresh).values)


def kl_sum(drawn: Ragged, reference: Ragged, _: Samples, estimator: Estimator) -> float:
    """Add up the KL of every drawn token from the reference."""
    import torch

    from rftconf_runner import losses

    whole = losses.kl(torch.from_numpy(drawn.values), torch.from_numpy(reference.values), estimator)
    return float(whole.double().sum())
