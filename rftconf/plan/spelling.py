"""One spelling for plan values that mean the same: numbers, defaults of everyone, data sets, learning rates."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from fractions import Fraction
from functools import lru_cache
from math import isnan
from typing import Any

from rftconf.base.symbols import Expr, Text
from rftconf.plan.chat_templates import THINKING, UNTOLD, thinks_by_default
from rftconf.plan.kinds import WITHOUT_ROLLOUTS

DIGITS = 12
"""Significant decimal digits that count: 0.1 x 1e-6 and 1e-7 are one number."""
EXACT_BELOW = 2**53
NEUTRAL: tuple[tuple[str, tuple[Any, ...]], ...] = (
    ("stage.sampling.*.top_p", (1,)),
    ("stage.sampling.*.top_k", (-1, 0)),
    ("stage.sampling.*.repetition_penalty", (1,)),
    ("stage.sampling.*.ignore_eos", (False,)),
    ("stage.sampling.*.responses", (1,)),
    ("stage.length.response_min_tokens", (0,)),
    ("stage.algorithm.gamma", (1,)),
    ("stage.algorithm.entropy_coef", (0,)),
    ("stage.algorithm.whiten_advantage", (False,)),
    ("stage.algorithm.critic.warmup_rollouts", (0,)),
    ("stage.algorithm.preference.label_smoothing", (0,)),
    ("stage.optim.*.min_lr", (0,)),
    ("stage.optim.*.min_lr_ratio", (0,)),
    ("stage.optim.*.warmup_updates", (0,)),
    ("stage.batch.passes", (1,)),
    ("stage.batch.shuffle_sequences", (False,)),
    ("stage.batch.critic_shuffle_sequences", (False,)),
    ("stage.placement.*.full_determinism", (False,)),
    ("stage.placement.*.offload.*", (False,)),
    ("stage.placement.*.sp", (1,)),
    ("stage.placement.*.tp", (1,)),
    ("stage.placement.*.pp", (1,)),
    ("stage.placement.*.cp", (1,)),
    ("stage.placement.*.ep", (1, False)),
    ("stage.placement.rollout.dp", (1,)),
    ("stage.placement.auxiliary[[]*.dp", (1,)),
    ("stage.model.trust_remote_code", (False,)),
    ("stage.model.chat_template", ("",)),
    (THINKING, (UNTOLD,)),
    ("stage.init_from", ("base",)),
    ("stage.data.*_max_samples", (-1,)),
    ("stage.data.*.storage", ("file",)),
    ("stage.data.*.prompt_type", ("messages",)),
    ("stage.data.*.keys.tools", ("tools",)),
    ("stage.reward.manager", ("naive",)),
    ("identity.resume", ("auto",)),
)
"""Paths, and the values that say no more than silence does."""
UNSAID: tuple[tuple[str, str, tuple[Any, ...]], ...] = (
    ("stage.placement.*.megatron.transformer_overrides", "attention_backend", ("auto",)),
    ("stage.model.config_overrides", "model_config", ({},)),
    ("stage.model.config_overrides", "moe_config", ({"freeze_moe_router": False}, {})),
)
"""Free mappings, and entries of theirs that say no more than silence: Megatron's own choice, nothing overridden."""
_INDEX = re.compile(r"\[\d+\]")
A_FILE = re.compile(r"(?s)(.+)/([A-Za-z]\w*)\.(?:parquet|jsonl?|csv)")
"""A data set as one file: `folder/split.parquet`."""


def spelled(values: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of one stage in one spelling; what says no more than silence is left out."""
    plain_values = {path: plain(value) for path, value in values.items()}
    _terms(plain_values)
    _rates(plain_values)
    _old_policy(plain_values)
    _lengths(plain_values)
    _names(plain_values)
    _overrides(plain_values)
    if plain_values.get(THINKING) == "on" and thinks_by_default(plain_values):
        plain_values[THINKING] = UNTOLD
    for listed in ("train", "eval"):
        _data(plain_values, listed)
    return {path: value for path, value in plain_values.items() if not _says_nothing(path, value)}


_AS_THEY_ARE = frozenset((str, int, bool, type(None)))


def plain(value: Any) -> Any:
    """1 and 1.0 are the same number, and so are two that differ in the last bits."""
    if type(value) in _AS_THEY_ARE:
        return value
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, Fraction):
        return plain(value.numerator if value.denominator == 1 else float(value))
    if not isinstance(value, float) or value != value or abs(value) >= EXACT_BELOW:
        return value
    rounded = float(f"{value:.{DIGITS}g}")
    return int(rounded) if rounded.is_integer() else rounded


def _says_nothing(path: str, value: Any) -> bool:
    if value is None or value in ("", {}, []):
        return True
    return any(_among(value, names) for names in _neutral(path))


@lru_cache(maxsize=20_000)
def _neutral(path: str) -> tuple[tuple[Any, ...], ...]:
    """The values of a field that say no more than silence, whichever list item it is of."""
    path = _INDEX.sub("[0]", path)
    return tuple(names for glob, names in NEUTRAL if fnmatchcase(path, glob))


def _among(value: Any, names: tuple[Any, ...]) -> bool:
    return any(type(value) is type(name) and value == name for name in names)


def _overrides(values: dict[str, Any]) -> None:
    """Entries of free mappings that change nothing are left out."""
    for path, value in values.items():
        if isinstance(value, dict):
            idle = {name: names for glob, name, names in UNSAID if fnmatchcase(path, glob)}
            items = {name: item for name, item in value.items() if not _among(item, idle.get(name, ()))}
            values[path] = _recomputed(items) if path.endswith(".transformer_overrides") else items


def _recomputed(overrides: dict[str, Any]) -> dict[str, Any]:
    """Megatron reads the names of modules where it recomputes selectively, and nothing of it where it recomputes nothing."""
    how = overrides.get("recompute_granularity")
    if how is None:
        return {name: item for name, item in overrides.items() if not name.startswith("recompute_")}
    usual = how == "full" or overrides.get("recompute_modules") in (None, ["core_attn"])
    return {name: item for name, item in overrides.items() if name != "recompute_modules" or not usual}


def _terms(values: dict[str, Any]) -> None:
    """A term of no weight is no term."""
    for term in ("kl_loss", "kl_reward"):
        path = f"stage.algorithm.{term}."
        if values.get(path + "coef") == 0 and values.get(path + "controller") in (None, "fixed"):
            values[path + "enabled"] = False


def _rates(values: dict[str, Any]) -> None:
    """The lowest learning rate as a share of the highest."""
    for who in ("actor", "critic"):
        path = f"stage.optim.{who}."
        low, top = values.get(path + "min_lr"), values.get(path + "lr")
        if isinstance(low, (int, float)) and isinstance(top, (int, float)) and top:
            values[path + "min_lr_ratio"] = plain(low / top)
        if values.get(path + "min_lr_ratio") is not None:
            values.pop(path + "min_lr", None)


def _old_policy(values: dict[str, Any]) -> None:
    """Settle which policy the ratio is taken against, where one mini-batch or one pass makes two of them the same."""
    path, passes = "stage.sync.old_logprob", values.get("stage.batch.passes")
    sizes = [values.get(f"stage.batch.{name}") for name in ("prompts_per_rollout", "responses_per_prompt")]
    if values.get(path) == "current" and passes in (1, None):
        values[path] = "recompute_at_update"
    if values.get(path) == "recompute_at_update" and all(isinstance(size, int) for size in sizes):
        prompts, n = sizes
        if prompts * n == values.get("stage.batch.sequences_per_update"):  # type: ignore[operator]
            values[path] = "recompute_at_rollout"


def _lengths(values: dict[str, Any]) -> None:
    """A window that just holds prompt and answer; a critic that learns from as many sequences as the policy."""
    path = "stage.batch."
    if values.get(path + "critic_sequences_per_update") == values.get(path + "sequences_per_update"):
        values.pop(path + "critic_sequences_per_update", None)
    path = "stage.length."
    parts = [values.get(f"{path}{part}_max_tokens") for part in ("prompt", "response")]
    if all(isinstance(part, int) for part in parts) and values.get(path + "model_max_tokens") == sum(parts):  # type: ignore[arg-type]
        del values[path + "model_max_tokens"]


def _names(values: dict[str, Any]) -> None:
    """The tokenizer that comes with the model, a folder that is this one, the console that everyone logs to."""
    path = "stage.model."
    for tokenizer, model in (("tokenizer_path", "path"), ("critic_tokenizer_path", "critic_path")):
        if path + tokenizer in values and values[path + tokenizer] == values.get(path + model):
            del values[path + tokenizer]
    root, loggers = values.get("identity.checkpoint_root"), values.get("identity.loggers")
    if isinstance(root, str):
        values["identity.checkpoint_root"] = root.removeprefix("./").rstrip("/")
    if isinstance(loggers, str):
        loggers = [loggers]
    if isinstance(loggers, list):
        values["identity.loggers"] = sorted((name for name in loggers if name != "console"), key=str)


def _data(values: dict[str, Any], listed: str) -> None:
    """A file is a split of its folder; the prompt has one column; a set samples as its run does."""
    below: dict[str, list[str]] = {}
    start = f"stage.data.{listed}["
    for path in values:
        if path.startswith(start):
            below.setdefault(".".join(path.split(".", 4)[:4]), []).append(path)
    for index in range(_items(values, listed)):
        item_path = f"stage.data.{listed}[{index}]."
        halves = _halves(values.get(item_path + "uri"))
        # the one split of a file that is opened alone is called train
        if halves is not None and values.get(item_path + "split") in (None, halves[1], "train"):
            values[item_path + "uri"], values[item_path + "split"] = halves
        chats = values.get("stage.kind") in WITHOUT_ROLLOUTS and values.get(item_path + "prompt_type") != "plaintext"
        names = [f"{item_path}keys.{name}" for name in (("messages", "prompt") if chats else ("prompt", "messages"))]
        columns = [column for column in (values.pop(name, None) for name in names) if column is not None]
        if values.get(item_path + "uri") in (None, ""):  # no data set, only columns that one would have
            for path in below.get(item_path + "keys", ()):
                values.pop(path, None)
        elif columns:
            values[f"{item_path}keys.prompt"] = columns[0]
        for path in below.get(item_path + "sampling", ()):
            run = path.replace(f"data.{listed}[{index}].sampling", f"sampling.{listed}")
            if values.get(run) == values[path]:
                del values[path]


def _items(values: Mapping[str, Any], listed: str) -> int:
    start = f"stage.data.{listed}["
    numbers = (path[len(start) :].partition("]")[0] for path in values if path.startswith(start))
    return max((int(number) + 1 for number in numbers if number.isdigit()), default=0)


def _halves(uri: Any) -> tuple[Any, str] | None:
    """Folder and split of a data set that is one file; the folder may hold names that nobody told."""
    *before, last = uri.parts if isinstance(uri, Text) else (uri,)
    cut = A_FILE.fullmatch(last) if isinstance(last, str) else None
    if cut is None:
        return None
    return (Text((*before, cut[1])) if before else cut[1]), cut[2]


def _equal(a: Any, b: Any) -> bool:
    """Compare two values with all that is in them; a number that is none (NaN) is the same as another one."""
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(_equal(a[name], b[name]) for name in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(_equal, a, b))
    return bool(a == b) or (isinstance(a, float) and isinstance(b, float) and isnan(a) and isnan(b))


def same(a: Any, b: Any) -> bool | None:
    """Tell whether two spelled values are the same; None where that depends on names that nobody told."""
    if _equal(a, b):
        return True
    if isinstance(a, Expr) or isinstance(b, Expr):
        return None
    if isinstance(a, dict) and isinstance(b, dict) and a.keys() == b.keys():
        return _all_same(same(a[name], b[name]) for name in a)
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        return _all_same(map(same, a, b))
    return False


def _all_same(answers: Iterable[bool | None]) -> bool | None:
    """Tell whether values that are not all equal may be the same: they are not where one pair differs for certain."""
    return False if False in list(answers) else None
