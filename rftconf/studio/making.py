"""New: a beginner's first config, and every key of a release for those who know what they want."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from rftconf.base.diagnostics import Diagnostic
from rftconf.base.errors import RftconfError, UsageError
from rftconf.base.ledger import Basis, Ledger, TargetLine
from rftconf.base.symbols import Value, is_symbolic
from rftconf.convert.output import emit
from rftconf.explain import find
from rftconf.lint import engine
from rftconf.load.load import load, main_stage
from rftconf.mappers.tables import table_of
from rftconf.mappers.writing import Writing
from rftconf.plan.totals import TOTALS, total_json, totals
from rftconf.report.diagnostics import diagnostics_json
from rftconf.report.values import render_value
from rftconf.schemas import catalogue, registry
from rftconf.schemas.catalogue import Catalogue, Key
from rftconf.studio import forms, gates
from rftconf.studio.checking import pages
from rftconf.studio.common import lacking, parameters
from rftconf.studio.deciding import filled, value_of
from rftconf.studio.generator import PARAMETERS
from rftconf.studio.request import MOST_TEXT, StudioRequest
from rftconf.text.document import Document
from rftconf.text.read.read import read
from rftconf.text.source import from_bytes
from rftconf.verbs.ask import NEEDED, ConfigChoices
from rftconf.verbs.key_json import match_json
from rftconf.verbs.new_config import Extra, request_of
from rftconf.verbs.read_arguments import framework_name


def start(request: StudioRequest) -> dict[str, Any]:
    """A published recipe sized for these GPUs, as `rftconf new` writes it; its keys for the other mode."""
    from rftconf.budget.facts.gpus import gpu_named
    from rftconf.recipes.account import account, header
    from rftconf.recipes.sizing import fit

    choices = ConfigChoices(
        framework=request.word("framework"),
        algorithm=request.word("algorithm"),
        model=request.word("model"),
        gpus=request.whole("gpus"),
        gpu=request.word("gpu"),
        data=request.word("data"),
        output=None,
    )
    missing = [name for name in NEEDED if getattr(choices, name) is None]
    if missing:
        raise UsageError(f"still to be said: {', '.join(missing)}")
    extra = Extra(
        nodes=request.whole("nodes"),
        eval_data=request.word("eval_data"),
        rows=request.whole("rows"),
        prompt_tokens=request.whole("prompt_tokens"),
        response_tokens=request.whole("response_tokens"),
        release=request.word("release"),
    )
    fitted = fit(request_of(choices, extra), gpu_named(str(choices.gpu)))
    fill = request.words("fill")
    text, suffix = fitted.written.text(header(fitted, added=bool(fill)))
    name = f"run_{fitted.written.request.recipe.name}{suffix}".replace("++", "_pp")
    done = filled(name, text, fill)
    document = read(from_bytes(name, done.text.encode()))
    known = catalogue.load(fitted.written.request.framework, fitted.written.request.release)
    diagnostics = engine.check(document, engine.Options(known.framework, known.release)) if done.text != text else []
    return {
        **account(fitted, done.text, name),
        **_values(document),
        **_checked(diagnostics),
        "missed": list(done.missed),
        "further": list(_further(known, document)),
    }


FURTHER = {
    "project": "Project",
    "exp_name": "Name of the run",
    "checkpoint_root_dir": "Folder of checkpoints",
    "monitor_type": "Where metrics go",
    "save_interval": "Checkpoint every",
    "eval_interval": "Evaluation every",
    "actor_lr": "Learning rate",
    "critic_lr": "Learning rate of the critic",
    "total_epochs": "Passes over the data",
    "total_steps": "Steps in all",
    "explore_batch_size": "Batch of a rollout period",
    "repeat_times": "Answers to a prompt",
    "default_workflow_type": "Workflow",
    "default_reward_fn_type": "Reward",
    "sync_method": "How weights reach the engines",
    "sync_style": "Who asks for weights",
    "sync_interval": "Weights reach them every",
}
"""What a beginner may also say: parameters of Trinity-RFT's generator that no recipe can know, or that people change first."""


def _further(known: Catalogue, document: Document) -> Iterator[dict[str, Any]]:
    """Each as this framework calls it, with what the recipe says or the default."""
    keys = {parameter.name: parameter.keys for parameter in parameters(known.family)}
    leaves, idle = document.last(), _read(document, known)["inactive"]
    for name, title in FURTHER.items():
        spelled_keys = (forms.spelled(key) for key in keys[name] if key in known)
        key = next((key for key in spelled_keys if key not in idle), None)
        if key is None:
            continue
        leaf, default = leaves.get(key), known.default(key)
        yield {
            "key": key,
            "title": title,
            "unit": forms.unit(known, key),
            "now": leaf.raw[:200] if leaf else "" if default is None else render_value(default, 200),
        }


def _values(document: Document) -> dict[str, Any]:
    """Return a text's keys and values to be edited; `left` are keys whose values are read when the run starts."""
    leaves = document.last()
    values = {key: render_value(leaf.value, MOST_TEXT) for key, leaf in leaves.items() if not is_symbolic(leaf.value)}
    return {"values": values, "left": [key for key, leaf in leaves.items() if is_symbolic(leaf.value)]}


def keys(request: StudioRequest) -> dict[str, Any]:
    """Every key that people set in a release, with what is known of it."""
    known = _catalogue(request)
    framework = registry.framework(known.framework)
    return {
        "framework": known.framework,
        "title": framework.title,
        "release": known.release,
        "releases": [
            release for release in reversed(framework.releases) if known.trainer in framework.trainers_of(release)
        ],
        "trainer": known.trainer,
        "trainers": list(framework.trainers_of(known.release)),
        "keys": list(forms.keys(known)),
        "topics": list(PARAMETERS),
        "without": [
            {"name": parameter.name, "topic": parameter.topic, "why": parameter.why}
            for parameter in lacking(known.family)
        ],
    }


def _catalogue(request: StudioRequest) -> Catalogue:
    return catalogue.load(
        framework_name(request.word("framework") or ""), request.word("release"), request.word("trainer") or ""
    )


def explain(request: StudioRequest) -> dict[str, Any]:
    """The facts about one key, as `rftconf explain --json` has them."""
    known = registry.framework(framework_name(request.word("framework") or ""))
    key = (request.word("key") or "").replace("[0]", "[]")
    matches = find.matches(key, known, request.word("release"))
    if not matches:
        raise find.unknown(key, known, request.word("release"))
    return match_json(matches[0], request.word("release"))


def new(request: StudioRequest) -> dict[str, Any]:
    """The text of the values given, what `check` finds in it, and which keys do nothing beside the others."""
    known = _catalogue(request)
    lines = [
        TargetLine(_key_as_written(known, key), _value(known, key, text), Basis.WRITTEN)
        for key, text in request.words("values").items()
    ]
    text, suffix = _text(known, lines)
    document = read(from_bytes(f"new{suffix}", text.encode()))
    diagnostics = engine.check(document, engine.Options(known.framework, known.release)) if lines else []
    reply = _read(document if lines else _silent(known), known)
    return {
        "name": f"run_{known.framework}{suffix}",
        "text": text,
        **_checked(diagnostics),
        **reply,
        "problem": reply["problem"] if lines else "",
    }


def _silent(known: Catalogue) -> Document:
    """A config that says nothing but one default: what acts in a run that is left as the framework has it."""
    plain = (key for name, key in known.keys.items() if "[" not in name and "<" not in name and not key.plus_only)
    key = next(key for key in plain if isinstance(key.default, (int, float)) and not key.automatic)
    text, suffix = _text(known, [TargetLine(key.name, key.default, Basis.WRITTEN)])
    return read(from_bytes(f"new{suffix}", text.encode()))


def _checked(diagnostics: list[Diagnostic]) -> dict[str, Any]:
    return {"findings": diagnostics_json(diagnostics), "pages": pages(diagnostics)}


def _key_as_written(known: Catalogue, key: str) -> str:
    entry = known.get(key)
    return (
        f"+{key}" if registry.framework(known.framework).adds_with_plus and (entry is None or entry.plus_only) else key
    )


def _value(known: Catalogue, key: str, text: str) -> Value:
    """A typed value as the key takes it. Raises UsageError for a list or mapping that is not written as one."""
    entry: Key | None = known.get(key)
    # a type that was read off a default does not forbid a list
    is_text = entry is not None and entry.type == "str" and not entry.inferred
    if text[:1] in ("[", "{") and not is_text:
        try:
            data: Value = json.loads(text)
        except ValueError:
            raise UsageError(f'{key}: a list is written as ["a", "b"], a mapping as {{"a": 1}}') from None
        return data
    if entry is not None and entry.type == "str":
        return None if text == "null" and (entry.optional or entry.inferred) else text
    return value_of(text)


def _text(known: Catalogue, lines: list[TargetLine]) -> tuple[str, str]:
    """The file as converted ones are written, without comments: there is nothing that its values come from."""
    writing = Writing(
        table_of(known.framework),
        known.framework,
        known.release,
        known.trainer,
        {},
        {},
        defaults=known.default,
        knows=known.__contains__,
    )
    target = (known.framework, known.release)
    title = registry.framework(known.framework).title
    try:
        return emit(Ledger(*target, *target, (), tuple(lines)), writing, None, [f"{title} {known.release}."])
    except ValueError as error:  # a key that is both a value and a section
        raise UsageError(str(error)) from None


def _read(document: Document, known: Catalogue) -> dict[str, Any]:
    """Keys that do nothing beside the others, with the reason, and what follows from them; else why that is not known."""
    try:
        stage = main_stage(load(document, framework=known.framework, release=known.release))
    except RftconfError as error:
        return {"inactive": {}, "totals": [], "problem": str(error)}
    newest = forms.names(known.framework, known.release, known.trainer)
    return {
        "inactive": gates.inactive(stage.reading, known, newest),
        "totals": list(_totals(stage.values)),
        "problem": "",
    }


_GPUS = (("trainer's GPUs", "stage.placement.actor.gpus"), ("engines' GPUs", "stage.placement.rollout.gpus"))


def _totals(values: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the totals that follow from the form: GPUs of each side, then the totals that `diff` and `plan` show."""
    for name, path in _GPUS:
        if isinstance(values.get(path), int):
            yield {"name": name, "unit": "GPUs", "value": values[path], "how": ""}
    counts = totals(values)
    for total in TOTALS:
        if counts[total.name] is not None:
            yield {"name": total.name, "unit": total.unit, "value": total_json(counts[total.name]), "how": total.how}
