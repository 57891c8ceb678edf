"""The task runner's and the trainer's own checks, with data, workers and the training loop left out."""

from omegaconf import OmegaConf


class ManyRows:
    """Stands for the data set and the sampler."""

    def __len__(self):
        return 10**6


def nothing(*args, **kwargs):
    return None


def validate(config, composed, release):
    """Raises what the task runner raises."""
    import verl.trainer.main_ppo as main_ppo

    if composed.validation is not None:
        from verl.utils.config import validate_config

        validate_config(config=config, **composed.validation)
    if release >= (0, 9, 0) and config.trainer.get("use_v1", True):
        make_v1_trainer(config)
        return
    if release >= (0, 9, 0):
        import verl.trainer.main_ppo_v0 as main_ppo
    run_task(config, main_ppo, release)


def make_v1_trainer(config):
    """0.9's new trainer: chosen by name, then its pools are laid out."""
    from verl.trainer.ppo.v1 import get_trainer_cls

    trainer_class = get_trainer_cls(config.trainer.v1.trainer_mode)
    config.transfer_queue.enable = True
    OmegaConf.resolve(config)
    trainer_class(config=config)._init_resource_pool_mgr()


def run_task(config, main_ppo, release):
    """`TaskRunner.run` in this process: strategies, reward manager, resource pools, RayPPOTrainer's own checks."""
    from verl.trainer.ppo.ray_trainer import RayPPOTrainer

    def many_rows(*args, **kwargs):
        return ManyRows()

    main_ppo.create_rl_dataset = main_ppo.create_rl_sampler = many_rows
    for step in ("_create_dataloader", "_init_dump_executor", "init_workers", "fit"):
        setattr(RayPPOTrainer, step, nothing)
    task_runner(main_ppo, release).run(config)


class TaskFunction:
    """The function that was the task runner of 0.2.0."""

    def __init__(self, remote):
        self.run = remote._function


def task_runner(main_ppo, release):
    """The task runner without Ray around it."""
    if release < (0, 3, 0):
        return TaskFunction(main_ppo.main_task)
    runner = main_ppo.TaskRunner
    if not hasattr(runner, "__ray_metadata__"):
        return runner()
    bare = runner.__ray_metadata__.modified_class
    result = bare.__new__(bare)
    if release >= (0, 9, 0):
        main_ppo.BaseTaskRunner.__init__(result)
    return result
