"""Leaves of a run that a Python text makes: what the config, the trainer, its model, data and adapters are given, by TRL's keys."""

from __future__ import annotations

from rftconf.base.diagnostics import Diagnostic, Severity
from rftconf.base.span import Place
from rftconf.base.symbols import OpenKey, Value
from rftconf.text import keys
from rftconf.text.document import Leaf, Unread
from rftconf.text.launch import trainers
from rftconf.text.python.follow import Follower
from rftconf.text.python.values import Datum, Function, Imported, Instance, Opaque, is_plain

OPEN = "SYN803"
INIT, REMOTE = "model_init_kwargs", "trust_remote_code"
_MAY = "it may set any key: it is not read"
_PLAIN_SET = frozenset({"path", "name", "split", "streaming", "cut"})
"""Arguments of load_dataset that have a key without a list of data sets; the last is no argument, but what is done after."""
_LONGEST, _DEEPEST = 400, 8
"""Characters of a key, and lists inside each other, that are followed."""
_HARMLESS = {"bias": "none", "inference_mode": False, "random_state": None}


class RunKeys:
    """Keys of one run, collected; what is open is said where it stands."""

    def __init__(self, follower: Follower) -> None:
        self.follower = follower
        self.leaves: list[Leaf] = []
        self.unread: list[Unread] = []
        self.diagnostics: list[Diagnostic] = []

    def add_run(self, run: Instance, config: Instance | None) -> None:
        """Add the keys of a trainer, or of a config without one."""
        trainer = run.fields if run.kind == trainers.TRAINER else {}
        model = self._instance(trainer.get("model"))
        if config is not None:
            for name, datum in config.fields.items():
                if name != INIT or model is None:  # a model that is loaded already takes none
                    self.add(name, datum)
            self._note_unread(config)
        if run is not config:
            self._note_unread(run)
            self._add_model(trainer.get("model"), model, {} if config is None else config.fields)
            if "reward_funcs" in trainer:
                self._add_rewards(trainer["reward_funcs"])
            self._add_data(trainer.get("train_dataset"), trainer.get("eval_dataset"))
            adapter = trainer.get("peft_config") or (model.fields.get("adapter") if model is not None else None)
            self._add_adapter(adapter)

    def add(self, key: str, datum: Datum) -> None:
        """Add a key with its value, and the keys below it where that is a mapping."""
        self.follower.state.spend()
        instance = self._instance(datum) if len(key) < _LONGEST else None
        if instance is not None and instance.kind == "dict" and (instance.fields or instance.unread):
            self._note_unread(instance)
            for name, inner in instance.fields.items():
                self.add(keys.child(key, name), inner)
            return
        if instance is not None and instance.kind == "list":
            self._note_unread(instance)
            if self._holds_mapping(instance):
                for number, item in enumerate(instance.fields.values()):
                    self.add(keys.item(key, number), item)
                return
        self._put(key, datum, self._value(key, datum))

    def _holds_mapping(self, instance: Instance, depth: int = 0) -> bool:
        inner = [self._instance(item) for item in instance.fields.values()]
        return depth < _DEEPEST and any(
            part is not None and (part.kind == "dict" or (part.kind == "list" and self._holds_mapping(part, depth + 1)))
            for part in inner
        )

    def _put(self, key: str, datum: Datum, value: Value) -> None:
        place = datum.place
        raw = self.follower.positions.source(place)
        self.leaves.append(Leaf(key, value, place, datum.name_place or place, raw, datum.via))
        opened = datum.value if isinstance(datum.value, Opaque) else None
        if opened is not None:
            why = f": {opened.why}" if opened.why else ""
            message = f"{key} is open{why}"
            help_ = f"give it with --set {key}=VALUE"
            self.diagnostics.append(Diagnostic(OPEN, Severity.INFO, message, place, help=help_, key=key))

    def _value(self, key: str, datum: Datum, depth: int = 0) -> Value:
        """Return plain data; what the text does not tell is open under the key."""
        self.follower.state.spend()
        value = datum.value
        if is_plain(value):
            return value  # type: ignore[return-value]
        instance = self._instance(datum)
        if instance is not None and instance.kind == "dict":
            return {}
        if instance is not None and instance.kind == "list" and depth < _DEEPEST:
            return [self._value(key, item, depth + 1) for item in instance.fields.values()]
        if isinstance(value, Imported) and value.package == "torch" and value.name in trainers.DTYPES:
            return value.name
        return OpenKey(key)

    def _instance(self, datum: Datum | None) -> Instance | None:
        return None if datum is None else self.follower.state.instance(datum.value)

    def _note_unread(self, instance: Instance) -> None:
        for place in instance.unread:
            raw = self.follower.positions.source(place)[:200]
            self.unread.append(Unread(raw, place, f"{_MAY}; give what it sets with --set KEY=VALUE"))
            self.diagnostics.append(Diagnostic(OPEN, Severity.WARNING, f"{raw[:60]}: {_MAY}", place))

    def _open(self, key: str, place: Place, why: str) -> None:
        self.add(key, Datum(Opaque(why), place))

    def _add_model(self, datum: Datum | None, model: Instance | None, config: dict[str, Datum]) -> None:
        """The model by its name, or as `from_pretrained` loads it: its arguments are what model_init_kwargs holds."""
        if datum is None:
            return
        if model is None or model.kind != "model":
            self.add("model_name_or_path", datum)
            return
        self.add("model_name_or_path", model.fields.get("model") or Datum(Opaque(), datum.place))
        words = self._instance(model.fields.get("words"))
        if words is None:
            return
        for name, inner in words.fields.items():
            if name != REMOTE or name not in config:
                self.add(REMOTE if name == REMOTE else f"{INIT}.{name}", inner)
        self._note_unread(words)
        if not {"dtype", "torch_dtype"} & set(words.fields):
            self._open(f"{INIT}.dtype", words.place, "from_pretrained is given no type of numbers, and releases differ")

    def _add_rewards(self, datum: Datum) -> None:
        """Names of the functions that score answers, or of models that do."""
        instance = self._instance(datum)
        items = list(instance.fields.values()) if instance is not None and instance.kind == "list" else [datum]
        names: list[Value] = []
        for item in items:
            match item.value:
                case Function(node=node):
                    names.append(node.name)
                case Imported(path):
                    names.append(path.lstrip("."))
                case _:
                    names.append(self._value("reward_funcs", item))
        self._put(
            "reward_funcs", datum, names if instance is None or instance.kind == "list" else OpenKey("reward_funcs")
        )

    def _add_data(self, train: Datum | None, evaluation: Datum | None) -> None:
        """The data set that load_dataset gives, with its split; another one for evaluation has no key."""
        data = self._instance(train)
        if train is None:
            return
        if data is None or data.kind != "data" or "path" not in data.fields:
            self._open("dataset_name", train.place, "the data set is made by code that is not followed")
            return
        if set(data.fields) <= _PLAIN_SET:
            names = {
                "path": "dataset_name",
                "name": "dataset_config",
                "streaming": "dataset_streaming",
                "split": "dataset_train_split",
            }
        else:
            names = {name: f"datasets[0].{name}" for name in data.fields if name != "cut"}
        for name, datum in data.fields.items():
            if name in names:
                self.add(names[name], datum)
        self._add_evaluation(data, evaluation)

    def _add_evaluation(self, data: Instance, evaluation: Datum | None) -> None:
        other = self._instance(evaluation)
        if evaluation is None or evaluation.value is None:
            return
        if other is not None and other.kind == "data" and other.fields.get("path") == data.fields["path"]:
            if "split" in other.fields and "cut" not in other.fields:
                self.add("dataset_test_split", other.fields["split"])
            return
        self._open("dataset_test_split", evaluation.place, "evaluation has a data set of its own")

    def _add_adapter(self, datum: Datum | None) -> None:
        """Adapters as LoraConfig has them, with its own defaults; the arguments of a model say them by their keys."""
        if datum is None or datum.value is None:
            return
        instance = self._instance(datum)
        if instance is not None and instance.kind == trainers.MODEL_CONFIG:
            for name, inner in instance.fields.items():
                if name in ("use_peft", *trainers.ADAPTER_KEYS.values()):
                    self.add(name, inner)
            self._note_unread(instance)
            return
        if instance is None or instance.kind != trainers.ADAPTER:
            self._open("use_peft", datum.place, "the adapters are made by code that is not followed")
            return
        self._put("use_peft", Datum(True, datum.place, name_place=datum.name_place), value=True)
        defaults = {name: Datum(value, instance.place) for name, value in trainers.ADAPTER_DEFAULTS.items()}  # type: ignore[arg-type]
        for name, inner in {**defaults, **instance.fields}.items():
            key = trainers.ADAPTER_KEYS.get(name)
            if name == "task_type" and isinstance(inner.value, Imported):
                inner = Datum(inner.value.name, inner.place, inner.via, inner.name_place)
            if key is not None:
                self.add(key, inner)
            elif name not in _HARMLESS or inner.value != _HARMLESS[name]:
                what = f"{name} of the adapters has no key, and is not read"
                self.diagnostics.append(Diagnostic(OPEN, Severity.INFO, what, inner.name_place or inner.place))
        self._note_unread(instance)
