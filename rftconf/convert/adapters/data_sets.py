"""The data sets of a run, from the plan's fields: their names and files in the script, and how their rows are read."""

from __future__ import annotations

from typing import Any

from rftconf.convert.adapters.shapes import SHAPES, adapter_for
from rftconf.mappers.adapting import LISTS, Missing, Values, count, label_of, path_of


def names(values: Values) -> dict[str, str]:
    """Plan path of each data set to its name in the script: `train`, `train_2`, `eval`."""
    return {
        path_of(listed, index): listed if index == 0 else f"{listed}_{index + 1}"
        for listed in LISTS
        for index in range(count(values, listed))
    }


def outputs(values: Values, folder: str, target: str) -> dict[str, str]:
    """Plan path of each data set to the file that the script writes for it."""
    taken: dict[str, str] = {}
    for listed in LISTS:
        for index in range(count(values, listed)):
            path = path_of(listed, index)
            label, file = label_of(values, path), ("train" if listed == "train" else "test") + SHAPES[target].suffix
            place, number = f"{folder}/data/{label}/{file}", 2
            while place in taken.values():
                place, number = f"{folder}/data/{label}_{number}/{file}", number + 1
            taken[path] = place
    return taken


def fields_of(source: str, values: Values, path: str, output: str, *, own_sources: bool) -> dict[str, Any]:
    """The arguments of a data set in the script; unset ones are left out."""
    uri = values.get(path + "uri")
    fields = {
        "input": Missing("no data set is named") if uri in (None, "") else uri,
        "output": output,
        "split": values.get(path + "split"),
        "subset": values.get(path + "subset"),
        **adapter_for(source).fields(values, path),
    }
    if not own_sources:
        fields["own_sources"] = False
    return {name: value for name, value in fields.items() if value is not None}
