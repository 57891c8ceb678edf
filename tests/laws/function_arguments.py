"""Arguments of Trinity's functions that do nothing in the bases of the leaf flips, and where they act."""

from __future__ import annotations

FUNCTIONS = ("advantage_fn", "policy_loss_fn", "kl_loss_fn", "kl_penalty_fn", "entropy_loss_fn")
NOT_TAKEN = {
    **{f"algorithm.{name}_args.own_key": "a constructor stops at a name that it does not take" for name in FUNCTIONS},
    **{
        f"algorithm.advantage_fn_args.{name}": "it acts where a teacher is followed (tests/mappers/test_on_policy_distillation.py)"
        for name in ("kl_coef", "lambda_coef")
    },
    **{
        f"algorithm.policy_loss_fn_args.{name}": "it acts on pairs (tests/mappers/test_pairs.py)"
        for name in ("beta", "label_smoothing")
    },
}
