"""Names under which NeMo-RL's GRPO logs what a run measures: `train/`, `validation/` and `timing/` stand before them."""

from __future__ import annotations

from collections.abc import Mapping

from rftconf.mappers.logged import Counter, Logged
from rftconf.plan.units import Unit

_TRAINED = ("nemo_rl/algorithms/grpo.py", "grpo_train")


def _train(name: str, differs: str = "", since: str = "") -> Logged:
    """Name a metric of a step, which releases before `since` do not log."""
    return Logged(f"train/{name}", *_TRAINED, differs, f'"{name}"', since=since)


COUNTERS = (Counter("nemo_rl", "", Unit.ROLLOUTS, 1, ("step",), "one run; a step is a rollout with all its updates"),)
LOGGED: Mapping[str, Logged] = {
    "mean score of a sequence, before any KL penalty": _train(
        "reward", "after scaling and shaping, where these are on"
    ),
    "loss that is differentiated: policy gradient, entropy, KL": _train("loss"),
    "norm of the policy's gradient before clipping": _train("grad_norm"),
    "learning rate of the policy": _train("lr"),
    "mean length of an answer": _train("mean_gen_tokens_per_sample"),
    "mean length of a prompt": _train("mean_prompt_length", since="0.4.0"),
}
