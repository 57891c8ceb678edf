"""Calls in a Python text: of its own functions and classes, and of those that a run is built from."""

from __future__ import annotations

import ast
from collections.abc import Callable

from rftconf.text.launch import trainers
from rftconf.text.python.arguments import Arguments
from rftconf.text.python.class_parsers import parser_of_classes
from rftconf.text.python.evaluate import evaluate
from rftconf.text.python.interpreter import Interpreter
from rftconf.text.python.methods import METHODS, OF_TEXTS, method, of_text
from rftconf.text.python.plain_calls import PLAIN
from rftconf.text.python.values import Class, Datum, Function, Imported, Instance, Known, Opaque, Ref


def call(f: Interpreter, node: ast.Call) -> Datum | Known:
    """Return what a call gives, and follow what it does to objects that are known."""
    if isinstance(node.func, ast.Attribute) and node.func.attr in METHODS:
        base = evaluate(f, node.func.value)
        if f.state.instance(base.value) is not None:
            return method(f, node, base, arguments_of(f, node)[0])
    if isinstance(node.func, ast.Attribute) and node.func.attr in OF_TEXTS:
        written = evaluate(f, node.func.value).value
        if isinstance(written, str):
            return of_text(f, node, written, node.func.attr)
    function = evaluate(f, node.func)
    arguments, instance = arguments_of(f, node)
    match function.value:
        case Imported():
            return _imported(f, node, function.value, arguments, instance)
        case Function():
            return f.body_of(function.value, _bound(f, function.value, arguments))
        case Class():
            return _object(f, node, function.value, arguments, instance)
    return _someones(f, node, arguments, instance)


def arguments_of(f: Interpreter, node: ast.Call) -> tuple[Arguments, Instance]:
    """Return the arguments of a call, and an object with those by name that is of no kind yet."""
    arguments = Arguments()
    for part in node.args:
        if not isinstance(part, ast.Starred):
            arguments.placed.append(evaluate(f, part))
    instance = Instance("", f.positions.place(node))
    for word in node.keywords:
        datum = evaluate(f, word.value)
        if word.arg is None:
            f.spread(instance, datum, arguments.named)
        else:
            place = f.positions.word(word, len(word.arg))
            arguments.named[word.arg] = Datum(datum.value, datum.place, datum.via, place)
    instance.fields = arguments.named
    return arguments, instance


def _make(f: Interpreter, kind: str, arguments: Arguments, instance: Instance) -> Ref:
    """Make one of the objects that a run is built from."""
    order = trainers.ORDER.get(kind, ())
    by_place = dict(zip(order, arguments.placed, strict=False))
    ref = f.state.make(kind, instance.place, by_place | arguments.named)
    f.state.objects[ref.number].unread = (*instance.unread, *(datum.place for datum in arguments.placed[len(order) :]))
    if kind in (trainers.CONFIG, trainers.TRAINER):
        f.made.append(ref)
    return ref


def _imported(
    f: Interpreter, node: ast.Call, function: Imported, arguments: Arguments, instance: Instance
) -> Datum | Known:
    kind = trainers.CLASSES.get((function.package, function.name))
    if kind is not None:
        return _make(f, kind, arguments, instance)
    if function.path in _PACKAGES:
        return _PACKAGES[function.path](f, node, arguments)
    if function.path in trainers.ENTRIES and arguments.placed and isinstance(arguments.placed[0].value, Function):
        return f.body_of(arguments.placed[0].value, _bound(f, arguments.placed[0].value, Arguments()))
    named = _NAMED.get(function.name)
    return named(f, node, arguments) if named is not None else _someones(f, node, arguments, instance)


def _someones(f: Interpreter, node: ast.Call, arguments: Arguments, instance: Instance) -> Known:
    """A class of somebody's own that is given a config of GRPO's as `args` is a trainer that stands on TRL's."""
    config = f.state.instance(arguments.named["args"].value) if "args" in arguments.named else None
    if config is not None and config.kind == trainers.CONFIG and "model" in arguments.named:
        return _make(f, trainers.TRAINER, arguments, instance)
    del node
    return Opaque("what this call gives is not known here")


def _object(f: Interpreter, node: ast.Call, of: Class, arguments: Arguments, instance: Instance) -> Known:
    """An object of a class of the text's: with what stands in its body, and what it is given by name."""
    kind = _kind_of(of)
    if kind is not None:
        arguments.named = {name: d for name, d in of.fields.items() if kind != trainers.TRAINER} | arguments.named
        return _make(f, kind, arguments, instance)
    return f.state.make("object", f.positions.place(node), of.fields | arguments.named)


def _kind_of(of: Class) -> str | None:
    for base in of.bases:
        if isinstance(base.value, Imported):
            kind = trainers.CLASSES.get((base.value.package, base.value.name))
        else:
            kind = _kind_of(base.value) if isinstance(base.value, Class) else None
        if kind is not None:
            return kind
    return None


def _bound(f: Interpreter, function: Function, arguments: Arguments) -> dict[str, Datum]:
    """Return a function's parameters: as given, else by default, else open."""
    parts = function.node.args
    by_place = [*parts.posonlyargs, *parts.args]
    defaults = dict(
        zip([part.arg for part in by_place[len(by_place) - len(parts.defaults) :]], parts.defaults, strict=True)
    )
    defaults |= {part.arg: d for part, d in zip(parts.kwonlyargs, parts.kw_defaults, strict=True) if d is not None}
    positional = dict(zip([part.arg for part in by_place], arguments.placed, strict=False))
    parameters: dict[str, Datum] = {}
    for part in (*by_place, *parts.kwonlyargs):
        datum = arguments.named.get(part.arg) or positional.get(part.arg)
        if datum is None and part.arg in defaults:
            datum = evaluate(f, defaults[part.arg])
        parameters[part.arg] = datum or Datum(Opaque("a parameter that is not given"), f.positions.place(part))
    if parts.kwarg is not None:
        more = {name: datum for name, datum in arguments.named.items() if name not in parameters}
        place = f.positions.place(parts.kwarg)
        parameters[parts.kwarg.arg] = Datum(f.state.make("dict", place, more), place)
    return parameters


def _pretrained(f: Interpreter, node: ast.Call, arguments: Arguments) -> Known:
    """`from_pretrained`: the model's name, and arguments that `model_init_kwargs` would hold."""
    name = arguments.get(0, *trainers.PATHS)
    fields = {key: datum for key, datum in arguments.named.items() if key not in trainers.PATHS}
    ref = f.state.make("model", f.positions.place(node))
    holds = {"model": name} if name is not None else {}
    words = f.state.make("dict", f.positions.place(node), fields)
    f.state.objects[ref.number].fields = {**holds, "words": Datum(words, f.positions.place(node))}
    return ref


def _adapted(f: Interpreter, node: ast.Call, arguments: Arguments) -> Known:
    """`get_peft_model`: peft's takes a LoraConfig, Unsloth's its arguments."""
    model, config = arguments.get(0, "model"), arguments.get(1, "peft_config")
    instance = f.state.instance(model.value) if model is not None else None
    place = f.positions.place(node)
    if config is None:
        fields = {key: datum for key, datum in arguments.named.items() if key != "model"}
        defaults = {key: Datum(value, place) for key, value in trainers.UNSLOTH_DEFAULTS.items()}  # type: ignore[arg-type]
        config = Datum(f.state.make(trainers.ADAPTER, place, defaults | fields), place)
    return f.state.make("model", place, {**(instance.fields if instance is not None else {}), "adapter": config})


def _loaded(f: Interpreter, node: ast.Call, arguments: Arguments) -> Known:
    fields = dict(zip(trainers.LOADED, arguments.placed, strict=False)) | arguments.named
    return f.state.make("data", f.positions.place(node), fields)


def _parser(f: Interpreter, node: ast.Call, arguments: Arguments) -> Known:
    del arguments
    return f.state.make("parser", f.positions.place(node))


def _adapter_of(f: Interpreter, node: ast.Call, arguments: Arguments) -> Datum | Known:
    """`get_peft_config(model_args)`: the arguments of the model say it themselves."""
    del f, node
    return arguments.placed[0] if arguments.placed else Opaque()


_PACKAGES: dict[str, Callable[[Interpreter, ast.Call, Arguments], Datum | Known]] = {
    **PLAIN, "datasets.load_dataset": _loaded, "argparse.ArgumentParser": _parser, "trl.get_peft_config": _adapter_of,
}  # fmt: skip
_NAMED: dict[str, Callable[[Interpreter, ast.Call, Arguments], Datum | Known]] = {
    "from_pretrained": _pretrained, "get_peft_model": _adapted, "TrlParser": parser_of_classes, "HfArgumentParser": parser_of_classes,
}  # fmt: skip
"""Methods and classes of several packages, by their last name."""
