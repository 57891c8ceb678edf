"""How veRL cuts a period into updates: `TrainingWorker.train_mini_batch` itself, around an engine that only counts."""

import contextlib
import inspect
import types

import micro_batches
import torch


def updates(config):
    """`{"updates": sequences of each update of one period}`, over all ranks; nothing where the last would be uneven."""
    answers, actor, data = config.actor_rollout_ref.rollout.n, config.actor_rollout_ref.actor, config.data
    gpus = config.trainer.nnodes * config.trainer.n_gpus_per_node
    one_update = actor.ppo_mini_batch_size * answers
    return cut(data.train_batch_size * answers, actor, answers) | micro_batches.of_verl(
        actor, one_update, gpus, data.max_prompt_length, data.max_response_length
    )


def cut(sequences, actor, answers, steps=1):
    """The updates of `steps` times `sequences`, as the worker makes them of a mini-batch of `answers` a prompt."""
    size = actor.ppo_mini_batch_size * answers
    if sequences % size:
        return {}
    arguments = {"epochs": actor.ppo_epochs, "seed": actor.data_loader_seed, "shuffle": actor.shuffle}
    return {"updates": [count for _ in range(steps) for count in of_worker(sequences, size, **arguments)]}


def of_worker(sequences, size, epochs, seed, shuffle):
    """What the worker gives its engine, one after another."""
    from tensordict import TensorDict
    from verl.utils import tensordict_utils
    from verl.workers.engine_workers import TrainingWorker

    data = TensorDict({"row": torch.arange(sequences)}, batch_size=[sequences])
    tensordict_utils.assign_non_tensor(
        data, mini_batch_size=size, epochs=epochs, seed=seed, dataloader_kwargs={"shuffle": shuffle}
    )
    observed = []
    engine = types.SimpleNamespace(
        get_data_parallel_size=lambda: 1,
        get_data_parallel_rank=lambda: 0,
        train_mode=lambda **_: contextlib.nullcontext(),
        is_mp_src_rank_with_outputs=lambda: False,
    )
    worker = types.SimpleNamespace(
        engine=engine,
        profiler=types.SimpleNamespace(step=lambda: None),
        train_batch=lambda batch: observed.append(batch.batch_size[0]),
    )
    inspect.unwrap(TrainingWorker.train_mini_batch)(worker, data)
    return observed
