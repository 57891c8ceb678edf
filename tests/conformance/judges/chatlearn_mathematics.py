"""ChatLearn's own functions, called on one period under a config.

Advantages by `AdvantageComputer`; an update by `PolicyTrainer.train_step` itself (FSDP) around a model that answers with
the period's log-probs, or by Megatron's `_compute_all_losses` and `loss_func`. ChatLearn has no critic and no schedule
of its own; it reports no whole loss, so what it teaches stands alone.
"""

import types

import chatlearn_batches
import torch
from period import GROUP, Period


def measure(config, seeds, progress):
    """`{"advantages", "actor_gradient", "updates"}` of each seed."""
    progress.stage = "mathematics"
    answers = config.models["policy"]["num_inference_per_prompt"]
    update = fsdp_update if config.runtime_args["train_backend"] == "fsdp" else megatron_update
    trainer = config.models["policy_trainer"]
    cut = chatlearn_batches.updates(config)
    periods = [Period(seed, answers) for seed in seeds]
    return [advantages(period, min(answers, GROUP)) | update(period, trainer) | cut for period in periods]


def advantages(period, answers):
    """What the environment makes of a group's rewards."""
    from chatlearn.algorithm.grpo_utils import advantage_compute

    rows = [
        {"prompt_uid": int(group), "prompt_token_ids": [int(group)], "rule_reward": float(reward)}
        for group, reward in zip(period.groups.tolist(), period.rewards.tolist(), strict=True)
    ]
    episode = [types.SimpleNamespace(buffer=rows)]
    if hasattr(advantage_compute, "compute_grpo_adv"):  # up to 1.2.0, which tells prompts apart by their tokens
        result = advantage_compute.compute_grpo_adv(episode)
    else:
        result = advantage_compute.AdvantageComputer(answers)(episode)
    new_result = torch.tensor([row["advantages"] for row in result], dtype=torch.float64)[:, None] * period.mask
    return {"advantages": new_result.tolist(), "returns": new_result.tolist()}


def inputs(period):
    """One micro-batch that is the whole update; ChatLearn has one advantage a sequence."""
    return {
        "all_tokens": None,
        "position_ids": None,
        "labels": None,
        "old_logprobs": period.old,
        "ref_logprobs": period.reference,
        "advantages": period.advantages[:, 0].tolist(),
        "loss_mask": period.mask,
        "all_token_loss_mask": period.mask,
        "ori_seq_len": period.mask.shape[-1],
    }


def fsdp_update(period, arguments):
    """`PolicyTrainer.train_step` around a model that answers with the period's log-probs."""
    from chatlearn.algorithm.grpo_utils import policy_trainer as module

    leaf = period.update()
    module.logprobs_from_logits = lambda logits, labels: leaf
    module.entropy_from_logits_with_chunking = lambda logits: period.entropies
    module.to_device = lambda device, value: value
    module.get_sp_parallel_group = lambda: None
    torch.cuda.current_device = lambda: "cpu"
    trainer = object.__new__(module.PolicyTrainer)
    quiet = types.SimpleNamespace(train=lambda: None, zero_grad=lambda: None, step=lambda: None)
    trainer.__dict__.update(
        model=Answering(),
        optimizer=quiet,
        packing=False,
        fsdp_size=1,
        _module_args=arguments,
        _runtime_args=types.SimpleNamespace(model_type="llm"),
        preprocess_data_list=lambda **_: (period.mask.sum(), [inputs(period)]),
        fsdp2_clip_grad_norm_=lambda *_, **__: torch.zeros(()),
        _metric_list=[],
    )
    plain_method(module.PolicyTrainer.train_step)(trainer, [])
    return {"actor_gradient": leaf.grad.tolist()}


class Answering:
    """A model without weights."""

    def train(self):
        pass

    def parameters(self):
        return []

    def __call__(self, **_):
        return types.SimpleNamespace(logits=None)


def plain_method(method):
    """Return the function below ChatLearn's timers and monitors."""
    while hasattr(method, "__wrapped__"):
        method = method.__wrapped__
    return method


def megatron_update(period, arguments):
    """`_compute_all_losses` and `loss_func`, divided by the tokens as Megatron's schedule does."""
    from chatlearn.algorithm.grpo_utils.megatron_utils import train_helper as module

    assert hasattr(module, "_compute_all_losses"), "1.2.0 computes Megatron's losses inside its forward step"
    leaf = period.update()
    model = types.SimpleNamespace(compute_language_model_loss=lambda labels, logits: -leaf)
    module.unwrap_model = lambda model: model
    module.reduce_from_context_parallel_region = lambda values, packing, inputs: values
    module.entropy_from_tensor_parallel_logits = lambda logits: period.entropies.permute(1, 0)
    result = module._compute_all_losses(arguments, model, torch.zeros(1), None, inputs(period))
    loss, tokens, _ = module.loss_func(inputs(period), result)
    (loss / tokens).backward()
    return {"actor_gradient": leaf.grad.tolist()}
