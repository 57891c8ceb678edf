"""The rows and the reward of a converted config, through Trinity's own reader, plugin loader, workflow and reward."""

import asyncio
import inspect
import os
import shutil
import sys
from pathlib import Path
from types import SimpleNamespace


class Model:
    """Answers what it is told, and remembers what it was asked."""

    def __init__(self, response):
        self.response, self.asked = response, None

    def chat(self, messages, **kwargs):
        """As ModelWrapper.chat."""
        self.asked = messages
        return [SimpleNamespace(response_text=self.response, metrics=None, reward=None, eid=SimpleNamespace(run=0))]


def read(config, case, progress):
    """What the policy is asked, what the row's truth is, and the score of `response`, for every training row."""
    import datasets
    from transformers import AutoTokenizer
    from trinity.buffer.reader.file_reader import TaskFileReader
    from trinity.utils import plugin_loader

    datasets.config.HF_DATASETS_CACHE = Path.cwd() / "rows"  # the sandbox makes folders only here
    sys.path[:0] = case["path"]
    tokenizer = AutoTokenizer.from_pretrained(os.environ["RFTCONF_TINY_MODEL"])
    progress.stage = "plugin"
    shutil.copy2 = lambda *args: None  # the loader would copy the plugin into the package
    for file in Path(case["plugin"]).glob("*.py") if case.get("plugin") else ():
        plugin_loader.load_from_file(str(file))
    progress.stage = "rows"
    storage = config.buffer.explorer_input.tasksets[0].to_storage_config()
    storage.batch_size, storage.total_epochs = case["rows"], 1
    tasks = TaskFileReader(storage)
    batch = tasks.read if hasattr(tasks, "read") else tasks._read_sync
    batch = batch(case["rows"])
    batch = asyncio.run(batch) if inspect.isawaitable(batch) else batch
    progress.stage = "reward"
    return [judged(task, case["responses"], tokenizer) for task in batch]


def judged(task, responses, tokenizer):
    """One row, each response judged in a workflow of its own."""
    scores, request = {}, None
    for response in responses:
        model = Model(response)
        workflow = task.to_workflow(model)
        workflow.set_repeat_times(1, 0)
        (experience,) = workflow.run()
        scores[response], request = experience.reward, model.asked
    text = tokenizer.apply_chat_template(request, add_generation_prompt=True, tokenize=False)
    return {"asked": text, "truth": task.truth, "scores": scores}
