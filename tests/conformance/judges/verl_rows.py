"""The rows and the reward of a converted config, through veRL's own data set, reward loader and reward manager."""

import asyncio
import copy
import sys
import tempfile
from pathlib import Path

REWARD_LOOP = (0, 7, 1)
"""From here on main_ppo's rewards come from the reward loop."""


def read(config, case, release, model_folder, progress):
    """What the policy is asked, what the row's truth is, and the score of `response`, for every training row."""
    import datasets
    from transformers import AutoTokenizer

    datasets.config.HF_DATASETS_CACHE = Path(tempfile.mkdtemp(prefix="rows_"))
    sys.path[:0] = case["path"]
    tokenizer = AutoTokenizer.from_pretrained(model_folder)
    progress.stage = "rows"
    rows = list(data_set(config, tokenizer, release))
    progress.stage = "reward"
    result = []
    for row in rows:
        request = tokenizer.apply_chat_template(row["raw_prompt"], add_generation_prompt=True, tokenize=False)
        truth = row["reward_model"]["ground_truth"]
        scores = {response: score(config, tokenizer, row, response, release) for response in case["responses"]}
        result.append({"asked": request, "truth": truth, "scores": scores})
    return result


def data_set(config, tokenizer, release):
    """The rows as the trainer's data set hands them out."""
    from omegaconf import open_dict
    from verl.utils.dataset.rl_dataset import RLHFDataset

    with open_dict(config.data):
        config.data.return_raw_chat = True
    if release < (0, 4, 0):  # ray_trainer._create_dataloader hands over each argument
        named = {"prompt_key": config.data.prompt_key, "max_prompt_length": config.data.max_prompt_length}
        new_data_set = RLHFDataset(config.data.train_files, tokenizer, return_raw_chat=True, **named)
    else:
        new_data_set = RLHFDataset(data_files=config.data.train_files, tokenizer=tokenizer, config=config.data)
    return (new_data_set[index] for index in range(len(new_data_set)))


def load_early(config, tokenizer, num_examine):
    """The reward manager as main_ppo makes it up to 0.3.0; 0.2.0 takes no function of the user's."""
    import verl.trainer.main_ppo as main_ppo
    from verl.workers.reward_manager import NaiveRewardManager

    function = main_ppo.get_custom_reward_fn(config) if hasattr(main_ppo, "get_custom_reward_fn") else None
    return NaiveRewardManager(tokenizer=tokenizer, num_examine=num_examine, compute_score=function)


def score(config, tokenizer, row, response, release):
    """The score that the reward manager of this config gives to a response."""
    import numpy
    import torch
    from verl import DataProto

    if release < (0, 4, 0):
        load_reward_manager = load_early
    else:
        from verl.trainer.ppo.reward import load_reward_manager

    prompt, answer = (torch.tensor([tokenizer.encode(text)]) for text in ("?", response))
    tensors = {
        "prompts": prompt,
        "responses": answer,
        "attention_mask": torch.ones(1, prompt.shape[1] + answer.shape[1]),
    }
    tensors["attention_mask"] = tensors["attention_mask"].long()
    # the trainer's own collate function keeps such columns as arrays of objects
    columns = ("data_source", "reward_model", "extra_info")
    others = {name: numpy.fromiter([copy.deepcopy(row[name])], dtype=object, count=1) for name in columns}
    data = DataProto.from_dict(tensors=tensors, non_tensors=others)
    if release < REWARD_LOOP:
        return float(load_reward_manager(config, tokenizer, num_examine=0)(data).sum())

    async def judged():
        return await load_reward_manager(config, tokenizer).run_single(data)

    return float(asyncio.run(judged())["reward_score"])
