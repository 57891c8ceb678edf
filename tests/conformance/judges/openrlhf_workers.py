"""A start of OpenRLHF's workers without devices: the policy, reference, critic and reward model that its roles build.

Models, adapters, optimizers, schedules and losses are built by OpenRLHF's own code on a tiny model, under a process group
that only pretends. DeepSpeed is not installed: `initialize` below makes of a config what DeepSpeed's engine does first
(deepspeed/runtime/config.py, _batch_assertion; engine.py, _configure_basic_optimizer and _configure_lr_scheduler).
"""

from types import SimpleNamespace
from unittest.mock import patch

import torch
from verl_workers import pretend_process_group

GPU_PACKAGES = ("deepspeed", "vllm", "flash_attn", "liger_kernel", "ring_flash_attn", "bitsandbytes", "cupy")
VERSIONS = {"deepspeed": "0.18.9", "vllm": "0.20.0"}
"""Versions that OpenRLHF's code compares, as its newest requirements name them."""
STEPS = 8
"""Updates that a schedule gets whose number hangs on the data."""


def initialize(*, model, config, model_parameters=None, lr_scheduler=None, **_):
    """Stand in for DeepSpeed: check its batch arithmetic, build the optimizer and the schedule."""
    if "train_batch_size" in config:
        ranks = torch.distributed.get_world_size() // config["tensor_parallel"]["autotp_size"]
        whole, micro = config["train_batch_size"], config["train_micro_batch_size_per_gpu"]
        assert whole == micro * (whole // micro // ranks) * ranks > 0, (
            f"Check batch related parameters. train_batch_size {whole} is not equal to micro_batch_per_gpu {micro} x "
            f"gradient_acc_step x world_size {ranks}"
        )
    if "optimizer" not in config:
        return model, None, None, None
    settings = {**config["optimizer"]["params"], "betas": tuple(config["optimizer"]["params"]["betas"])}
    groups = [group for group in model_parameters if group["params"]]
    optimizer = torch.optim.AdamW(groups, **settings)
    return model, optimizer, None, lr_scheduler(optimizer)


def stand_in(args, model, progress):
    """Put what this machine has in place of models, kernels and quantised weights of a run."""
    for holder, name, value in (
        (args.ds, "attn_implementation", "eager"),
        (args.ds, "load_in_4bit", False),
        (args.ds, "use_liger_kernel", False),
        (args.ds, "experts_implementation", None),
        (args.ckpt, "load_enable", False),
    ):
        if getattr(holder, name, value) != value:
            progress.note(f"{name} is {value}")
            setattr(holder, name, value)
    for role in (args.actor, args.critic, args.reward):
        if role.model_name_or_path:
            role.model_name_or_path = str(model)


def preload():
    """Import what the cases need."""
    import openrlhf.trainer.ray.launcher
    import openrlhf.trainer.ray.ppo_actor
    import openrlhf.trainer.ray.ppo_critic  # noqa: F401 - for every case


def start(args, model, progress):
    """Build every role that the arguments ask for; raises what OpenRLHF raises."""
    from openrlhf.trainer.ray import launcher, ppo_actor, ppo_critic
    from openrlhf.utils import get_strategy

    stand_in(args, model, progress)
    roles = [(args.actor, ppo_actor.PolicyModelActor, (STEPS,))]
    if args.algo.kl.init_coef > 0:
        roles.append((args.ref, launcher.ReferenceModelActor, ()))
    if args.critic.model_name_or_path:
        roles.append((args.critic, ppo_critic.CriticModelActor, (STEPS,)))
    if not args.reward.remote_url:
        roles.append((args.reward, launcher.RewardModelActor, ()))
    for role, kind, more in roles:
        build(role, kind, get_strategy(args), str(model), more)


def build(role, kind, strategy, model, more):
    """Build one role on as many ranks as it has GPUs; return its worker."""
    from openrlhf.models import actor
    from openrlhf.models import model as critic
    from openrlhf.trainer.ray import ppo_actor, ppo_critic
    from openrlhf.utils.deepspeed import deepspeed as module

    ranks = role.num_nodes * role.num_gpus_per_node
    real = module.init_device_mesh
    quiet = SimpleNamespace(initialize=initialize, init_distributed=lambda **_: None, version="0.18.9")
    if torch.distributed.is_initialized():
        torch.distributed.destroy_process_group()
    with (
        patch.object(module, "deepspeed", quiet),
        patch.object(module, "init_device_mesh", lambda _, *shape, **names: real("cpu", *shape, **names)),
        patch.object(torch.cuda, "set_device", lambda _: None),
        patch.object(torch.cuda, "current_device", lambda: 0),
        patch.object(actor, "HfDeepSpeedConfig", lambda _: None),
        patch.object(critic, "HfDeepSpeedConfig", lambda _: None),
        patch.object(ppo_actor, "torch_dist_barrier_and_cuda_sync", lambda: None),
        # what a device's memory is moved with
        patch.object(ppo_actor, "offload_deepspeed_states", lambda _: None),
        patch.object(ppo_critic, "offload_deepspeed_states", lambda _: None),
    ):
        pretend_process_group(ranks)
        strategy.setup_ring_attn = lambda _: None
        worker = object.__new__(kind.__ray_actor_class__)
        worker.init_model_from_pretrained(strategy, model, *more)
        return worker
