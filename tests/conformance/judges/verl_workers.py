"""The workers' own arithmetic: their constructors run under a process group that only pretends to have peers."""

import inspect
import os

import verl_builds
from verl_dataclasses import needs_critic
from verl_engines import start_engine_workers, worker_role
from verl_paths import detached

GPUS_PER_NODE_AT_MOST = 8
FSDP = ("fsdp", "fsdp2")


class EngineReachedError(Exception):
    """The rollout engine itself would start now: the checks before it are done."""


def pretend_process_group(world_size):
    """A group of `world_size` ranks seen from the last one, which is the one that a mesh too small leaves out."""
    import torch.distributed
    from torch.testing._internal.distributed.fake_pg import FakeStore

    rank = world_size - 1
    os.environ.update(
        RANK=str(rank),
        WORLD_SIZE=str(world_size),
        LOCAL_RANK=str(rank % GPUS_PER_NODE_AT_MOST),
        LOCAL_WORLD_SIZE=str(min(world_size, GPUS_PER_NODE_AT_MOST)),
        MASTER_ADDR="127.0.0.1",
        MASTER_PORT="29999",
    )
    torch.distributed.init_process_group(backend="fake", store=FakeStore(), rank=rank, world_size=world_size)
    real = torch.distributed.new_group

    def new_group(ranks=None, timeout=None, backend=None, pg_options=None, **kwargs):
        return real(ranks=ranks)

    torch.distributed.new_group = new_group


def start(config, release, progress):
    """Construct every worker the run would have; raises what they raise."""
    pretend_process_group(config.trainer.n_gpus_per_node * config.trainer.nnodes)
    verl_builds.give_steps(config)
    try:
        if uses_engine_workers(config, release):
            start_engine_workers(
                config,
                release,
                progress,
                role=worker_role(config, needs_reference(config, release)),
                use_critic=needs_critic(config),
                sequences_per_prompt=config.actor_rollout_ref.rollout.n,
            )
        else:
            start_legacy_workers(config, release, progress)
    except ModuleNotFoundError as error:  # a package this machine lacks says nothing about the config
        progress.note(f"workers not reached: {error}")


def uses_engine_workers(config, release):
    """0.8 has only the new ones; 0.7 has both and chooses by a key."""
    chosen = release >= (0, 7, 0) and config.trainer.get("use_legacy_worker_impl", "auto") == "disable"
    return release >= (0, 8, 0) or chosen


def needs_reference(config, release):
    """Up to 0.3.0 every run has a reference policy (main_ppo)."""
    if release < (0, 4, 0):
        return True
    return bool(config.algorithm.get("use_kl_in_reward") or config.actor_rollout_ref.actor.use_kl_loss)


def start_legacy_workers(config, release, progress):
    import torch

    torch.cuda.get_device_name = lambda *args: "no device"  # 0.3.0's workers ask whether it is AMD's
    workers = legacy_module(config)
    if hasattr(workers, "device_name"):
        workers.device_name = "cpu"
    verl_builds.prepare(progress)
    build_model = initialise if config.actor_rollout_ref.actor.strategy in FSDP else build_configs
    build_model(workers.ActorRolloutRefWorker(config=detached(config.actor_rollout_ref), role="actor"), progress)
    if needs_reference(config, release):
        build_model(workers.ActorRolloutRefWorker(config=detached(config.actor_rollout_ref), role="ref"), progress)
    if needs_critic(config):
        build_model(workers.CriticWorker(config=critic_section(config, release)), progress)
    actor = workers.ActorRolloutRefWorker(config=detached(config.actor_rollout_ref), role="actor_rollout")
    build_rollout(actor, workers, progress)
    reward_model = config.get("reward_model")
    if reward_model is not None and reward_model.get("enable"):
        try:
            workers.RewardModelWorker(config=detached(reward_model))
        except TypeError as error:
            progress.note(f"reward model worker not reached: {error}")


def initialise(worker, progress):
    """The worker's own `init_model`: model, adapter, optimizer, schedule, checkpoints."""
    section = worker.config.model
    verl_builds.check_overrides(section.get("override_config"))
    try:
        worker.init_model()
    except ModuleNotFoundError as error:
        progress.note(f"{type(worker).__name__} not built: {error}")
    except AssertionError as error:  # releases of old ask for packages of their time
        if not str(error).startswith("The installed `transformers` version doesn't support"):
            raise
        progress.note(f"{type(worker).__name__} not built: {error}")


def build_configs(worker, progress):
    """Megatron's workers of old need Transformer Engine for their models, and for nothing else."""
    section = worker.config.get("actor", worker.config)
    if getattr(worker, "_is_ref", False):
        return
    try:
        verl_builds.build_megatron_section(section)
    except ModuleNotFoundError as error:
        progress.note(f"{type(worker).__name__} not built: {error}")


def legacy_module(config):
    """The module of the actor's strategy; for Megatron its process groups are laid out as its worker would."""
    if config.actor_rollout_ref.actor.strategy in FSDP:
        import verl.workers.fsdp_workers as workers

        return workers
    import verl.workers.megatron_workers as workers
    from megatron.core import parallel_state

    sizes = config.actor_rollout_ref.actor.megatron  # up to 0.3.0 some of them are fixed in the worker
    parallel_state.initialize_model_parallel(
        tensor_model_parallel_size=sizes.tensor_model_parallel_size,
        pipeline_model_parallel_size=sizes.pipeline_model_parallel_size,
        virtual_pipeline_model_parallel_size=sizes.get("virtual_pipeline_model_parallel_size"),
        context_parallel_size=sizes.get("context_parallel_size", 1),
        expert_model_parallel_size=sizes.get("expert_model_parallel_size", 1),
        expert_tensor_parallel_size=sizes.get("expert_tensor_parallel_size"),
        use_sharp=False,
        nccl_communicator_config_path=None,
    )
    workers.set_random_seed = lambda *args, **kwargs: None
    return workers


def build_rollout(actor, workers, progress):
    """The worker's own `_build_rollout` up to where the engine would be constructed: the mesh is checked before."""

    def stop(*args, **kwargs):
        raise EngineReachedError

    for name in ("get_rollout_class", "copy_to_local", "copy_local_path_from_hdfs", "get_torch_device"):
        if hasattr(workers, name):
            setattr(workers, name, stop)
    try:
        arguments = inspect.signature(actor._build_rollout).parameters
        actor._build_rollout(**({"trust_remote_code": False} if "trust_remote_code" in arguments else {}))
    except EngineReachedError:
        progress.note("rollout engine reached")
    except (ImportError, AttributeError) as error:
        progress.note(f"rollout engine not reached: {type(error).__name__}: {error}")


def critic_section(config, release):
    section = detached(config.critic)
    if release >= (0, 6, 0) and "_target_" in section:
        from verl.utils.config import omega_conf_to_dataclass

        return omega_conf_to_dataclass(section)
    return section
