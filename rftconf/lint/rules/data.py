"""Data sets, rewards and the length of the run."""

from __future__ import annotations

from pathlib import PurePosixPath

from rftconf.lint.measures import PROMPTS
from rftconf.lint.rule import ERROR, INFO, WARNING, Family, Findings, Put, finding, trinity, verl
from rftconf.lint.subject import Subject

FAMILY = Family("DAT")
rule = FAMILY.rule
SETS = "buffer.explorer_input."


def uris(s: Subject, which: str) -> list[tuple[str, object]]:
    """Plan field and value of the data sets of a kind."""
    return [(f"data.{which}[{i}].uri", s.value(f"data.{which}[{i}].uri")) for i in s.items(f"data.{which}")]


@rule(
    1, WARNING, "no training data",
    bad=verl("~data.train_files"), good=verl("data.train_files=/data/train.parquet"),
    advice="give data.train_files", source="veRL legacy_data.yaml: the default is ~/data/rlhf/gsm8k/train.parquet", frameworks=("verl",),
)  # fmt: skip
def _no_data(s: Subject) -> Findings:
    """Without the key veRL looks for the authors' copy of GSM8K in the home directory."""
    if not s.written("data.train_files"):
        yield finding(
            "data.train_files is not given; its default is a file in the authors' home directory", "data.train_files"
        )


@rule(
    2, WARNING, "validation on the training data",
    bad=verl("data.val_files=/data/train.parquet"), good=verl("data.val_files=/data/test.parquet"),
    advice="hold some data out", source="rftconf: the same file under both keys",
)  # fmt: skip
def _same_file(s: Subject) -> Findings:
    """The reported score is the one that was trained for."""
    train = {
        (value, s.value(name.replace("uri", "split"))) for name, value in uris(s, "train") if isinstance(value, str)
    }
    for name, value in uris(s, "eval"):
        split = name.replace("uri", "split")
        if (value, s.value(split)) in train and not s.unknown(split):
            yield finding(f"{value} is trained on and validated on", name, "data.train[0].uri")


@rule(
    3, INFO, "an order that cannot be repeated",
    bad=verl("data.seed=null"), good=verl("data.seed=1"),
    advice="set data.seed", source="veRL trainer/main_ppo.py create_rl_sampler", frameworks=("verl",), fixable=True,
)  # fmt: skip
def _unseeded(s: Subject) -> Findings:
    """veRL shuffles without a seed by default, so two runs of one file see the data in different orders."""
    if (
        s.value("data.shuffle") is True
        and s.native.value("data.seed") is None
        and not s.unknown("data.seed")
        and s.since("0.6.1")
    ):
        yield finding("the data are shuffled without a seed", "data.seed", "data.shuffle", fix=Put("data.seed", 1))


@rule(
    4, INFO, "data in the order of the file",
    bad=trinity(f"~{SETS}tasksets[0].data_selector.selector_type"), good=trinity(f"{SETS}tasksets[0].data_selector.selector_type=shuffle"),
    advice="shuffle, unless the order is meant", source="H52; Trinity buffer/selector/selector.py 78-170", fixable=False,
)  # fmt: skip
def _in_order(s: Subject) -> Findings:
    """A file that is sorted (by difficulty, by source) is a curriculum that nobody chose. Trinity-RFT reads in order
    unless told otherwise; veRL, ROLL and ChatLearn shuffle."""
    if s.value("data.shuffle") is False and s.value("stage.kind") in ("rl", None):
        yield finding("training data are read in the order of the file", "data.shuffle", "data.train[0].uri")


@rule(
    5, WARNING, "one file twice",
    bad=verl("data.train_files=[/data/a.parquet,/data/a.parquet]"), good=verl("data.train_files=[/data/a.parquet,/data/b.parquet]"),
    advice="leave one out, unless the weight is meant", source="veRL rl_dataset.py",
)  # fmt: skip
def _twice(s: Subject) -> Findings:
    """Its rows count double in training, and its score counts double in validation."""
    for which in ("train", "eval"):
        values: set[object] = set()
        for name, value in uris(s, which):
            whole = (value, s.value(name.replace("uri", "split")), s.value(name.replace("uri", "subset")))
            if isinstance(value, str) and value != "???" and whole in values:
                yield finding(f"{value} is given twice", name)
            values.add(whole)


@rule(
    6, WARNING, "a format that the loader does not read",
    bad=verl("data.train_files=/data/train.csv"), good=verl("data.train_files=/data/train.parquet"),
    advice="convert it to parquet", source="veRL rl_dataset.py", frameworks=("verl",),
)  # fmt: skip
def _format(s: Subject) -> Findings:
    """veRL's data set reads parquet and JSON; anything else stops in the loader."""
    if s.written("data.custom_cls.path"):
        return
    for which in ("train", "eval"):
        for name, value in uris(s, which):
            if isinstance(value, str) and PurePosixPath(value).suffix in (".csv", ".tsv", ".txt", ".arrow", ".xlsx"):
                yield finding(f"veRL does not read {PurePosixPath(value).suffix} files", name)


@rule(
    7, ERROR, "fewer samples than one batch",
    bad=verl("data.train_max_samples=100"), good=verl("data.train_max_samples=1000"),
    advice="raise it, or lower the batch", source="the train loader must not be empty; veRL fsdp_workers.py, engine_workers.py",
)  # fmt: skip
def _too_few(s: Subject) -> Findings:
    """The last incomplete batch is dropped, so a data set smaller than a batch gives none, and the loader asserts it."""
    most, prompts = s.count("data.train_max_samples"), s.count(PROMPTS)
    if most and prompts and most < prompts and s.value("run_length.last_partial") == "drop":
        yield finding(
            f"{s.says('data.train_max_samples')} is less than one batch ({s.says(PROMPTS)})",
            "data.train_max_samples",
            PROMPTS,
        )


@rule(
    8, WARNING, "a reward function's name without its file",
    bad=verl("reward.custom_reward_function.name=my_score"), good=verl("reward.custom_reward_function.path=/code/score.py",
                                                                      "reward.custom_reward_function.name=my_score"),
    advice="give reward.custom_reward_function.path", source="veRL 0.9 reward_loop.py 39-93", frameworks=("verl",), since="0.7.1",
)  # fmt: skip
def _no_reward_file(s: Subject) -> Findings:
    """Without a path the name is not looked at, and the built-in scorers score."""
    path = "reward.custom_reward_function."
    if (
        s.native.value(f"{path}path") is None
        and not s.unknown(f"{path}path")
        and s.written(f"{path}name")
        and not s.written(f"{path}path")
    ):
        yield finding(f"{s.says(f'{path}name')} has no effect without {path}path", f"{path}name")


@rule(
    9, ERROR, "a reward manager to import from nowhere",
    bad=verl("reward.reward_manager.source=importlib"), good=verl("reward.reward_manager.source=register"),
    advice="give reward.reward_manager.module.path", source="veRL utils/config.py validate_config", frameworks=("verl",), since="0.7.1", fixable=True,
)  # fmt: skip
def _no_module(s: Subject) -> Findings:
    """source=importlib loads a class from a file, which must be named."""
    path = "reward.reward_manager."
    if s.native.value(f"{path}source") == "importlib" and not s.native.value(f"{path}module.path"):
        yield finding(
            f"{s.says(f'{path}source')} needs {path}module.path", f"{path}source", fix=Put(f"{path}source", "register")
        )


@rule(
    10, ERROR, "a run of no length",
    bad=verl("trainer.total_epochs=0"), good=verl("trainer.total_epochs=3"),
    advice="give a positive number", source="veRL ray_trainer.py 378, 0.9 trainer_base.py 467-530",
)  # fmt: skip
def _no_run(s: Subject) -> Findings:
    """The loop ends before it begins, and the run reports success."""
    for name in ("run_length.epochs", "run_length.rollouts"):
        got = s.number(name)
        if got is not None and got <= 0 and s.written(name) and s.framework != "trinity":
            yield finding(f"{s.says(name)}: nothing is trained", name)
    if s.framework == "roll" and s.native.value("max_steps") == 0 and s.written("actor_train.device_mapping"):
        # without a trainer's GPUs it is a config of the rollout pipeline, which takes no steps
        yield finding("max_steps=0: the pipeline asserts more, and nothing is trained", "max_steps")


@rule(
    11, INFO, "two ends of one run",
    bad=verl("trainer.total_training_steps=500", "trainer.total_epochs=3"), good=verl("~trainer.total_epochs", "trainer.total_training_steps=500"),
    advice="make epochs large enough for the steps", source="H68; veRL 0.9 trainer_base.py 467-530", frameworks=("verl",), fixable=False,
)  # fmt: skip
def _two_ends(s: Subject) -> Findings:
    """Whichever comes first ends the run. When the epochs do, the last checkpoint and validation are left out, and the
    schedule was made for the longer run."""
    steps, epochs = s.count("trainer.total_training_steps"), s.count("trainer.total_epochs")
    if steps and epochs and s.written("trainer.total_epochs") and s.written("trainer.total_training_steps"):
        rows, prompts = s.reading.facts.rows, s.count(PROMPTS)
        if isinstance(rows, int) and prompts and rows // prompts * epochs >= steps:
            return
        yield finding(f"{s.says('trainer.total_training_steps')} and {s.says('trainer.total_epochs')} both end the run",
                    "trainer.total_epochs", "trainer.total_training_steps")  # fmt: skip


@rule(
    12, WARNING, "validation without data",
    bad=verl("data.val_files=null"), good=verl("data.val_files=/data/test.parquet"),
    advice="give data.val_files", source="veRL fsdp_workers.py, engine_workers.py", frameworks=("verl",),
)  # fmt: skip
def _no_val(s: Subject) -> Findings:
    """The trainer makes a validation loader whether or not it validates, and asserts that it holds something."""
    if s.native.value("data.val_files") is None and s.written("data.val_files") and not s.unknown("data.val_files"):
        yield finding("data.val_files is null", "data.val_files")


@rule(
    13, INFO, "a data set under a home directory",
    bad=verl("data.train_files=/home/me/train.parquet"), good=verl("data.train_files=/data/train.parquet"),
    advice="a path that all nodes and colleagues have, or a variable", source="rftconf: paths in shared configs", fixable=False,
)  # fmt: skip
def _home(s: Subject) -> Findings:
    """A file in somebody's home directory is not there for others, nor on other nodes of a cluster."""
    for which in ("train", "eval"):
        for name, value in uris(s, which):
            if isinstance(value, str) and value.startswith(("/home/", "/Users/", "/root/")):
                yield finding(f"{value} is in a home directory", name)


@rule(
    14, ERROR, "a stage that forgets the common batch",
    bad=trinity("stages[0].stage_name=rl", "stages[0].buffer.train_batch_size=128"),
    good=trinity("stages[0].stage_name=rl", "stages[0].trainer.save_interval=50"),
    advice="repeat the whole section in the stage", source="H58", frameworks=("trinity",),
)  # fmt: skip
def _wiped(s: Subject) -> Findings:
    """A stage's section replaces the common one as a whole: what it does not repeat falls back to Trinity-RFT's defaults,
    so the batch becomes 1 and the data sets disappear."""
    leaves = s.document.last()
    ours = {leaf.key for leaf in s.leaves.values()}
    common = {key for key in leaves if key.startswith("buffer.")}
    own = sorted(key for key in ours if key.startswith("stages[") and ".buffer." in key)
    if own and common and not any(key.endswith(".buffer.batch_size") for key in own) and "buffer.batch_size" in common:
        yield finding(
            f"{own[0]} replaces all of buffer, also buffer.batch_size", own[0].partition(".")[2], "buffer.batch_size"
        )
