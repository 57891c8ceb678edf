"""What must not be there: the absences that ARCHITECTURE.md promises."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from rftconf.schemas import registry
from tests.layers import MAY_IMPORT
from tests.sources import PACKAGE, modules, shown, tree
from tests.sources import imports as imports_of

HEAVY = {
    *("torch", "vllm", "ray", "sglang", "megatron", "transformers", "datasets", "numpy"),
    *("verl", "trinity", "roll", "chatlearn", "trl", "openrlhf", "nemo_rl"),
}
RUNNERS = {"runners", "rftconf_runner"}
PROCESSES = {
    *("subprocess", "multiprocessing", "pty", "ctypes", "runpy", "code", "codeop", "pickle", "marshal", "shelve"),
    *("socket", "urllib", "http", "requests"),
}
NO_NETWORK = "urllib.parse"
"""The module that only spells addresses, in a package whose other modules reach a network."""
"""Ways to run something, to load code hidden in data, or to reach a network."""
EXECUTES = {"eval", "exec", "compile", "__import__", "execfile"}
OF_OS = tuple(f"os.{name}" for name in ("system", "popen", "fork", "startfile", "exec", "spawn", "posix_spawn"))
FRAMEWORKS = tuple(registry.FRAMEWORKS)
OTHER_WORDS = re.compile(r"(?i)\b(verl|trinity|trinity-rft|chatlearn|roll|trl)\b")


STARTS_THE_RUNNER = "rftconf/verbs/start_runner.py"
"""`rftconf run`, whose user asks for a process: it is given a plan, and no word of the config is one of its arguments."""


LISTENS = "rftconf/service/loopback.py"
"""The only module that opens a socket, on the loopback interface, and only while `rftconf studio` or `mcp` runs."""
SERVES = {
    "rftconf/studio/server.py",
    "rftconf/studio/guard.py",
    "rftconf/service/patience.py",
    "rftconf/service/http_server.py",
    "rftconf/mcp/server.py",
}
"""The modules that know a web server."""
ANSWERS_IN_PROCESSES = "rftconf/service/workers.py"
"""Starts processes of its own functions, so that an input that takes long can be given up; no word of an input is run."""
SERVERS = {"starlette", "uvicorn", "fastapi", "anyio", "h11"}
ASK_OTHERS = {"httpx", "httpx2", "httpcore", "aiohttp", "websockets", "urllib3", "playwright"}


def packaged() -> tuple[Path, ...]:
    return modules("rftconf")


def test_no_gpu_library_framework_or_runner_is_imported() -> None:
    problems = [
        f"{shown(path, line)}: {name}"
        for path in packaged()
        for name, line in imports_of(path)
        if name.split(".")[0] in HEAVY | RUNNERS
    ]
    assert problems == []


def test_nothing_runs_a_process_loads_code_or_reaches_a_network() -> None:
    problems = [
        f"{shown(path, line)}: {name}"
        for path in packaged()
        for name, line in imports_of(path)
        if name.split(".")[0] in PROCESSES
        and not name.startswith(NO_NETWORK)
        and shown(path) not in (STARTS_THE_RUNNER, ANSWERS_IN_PROCESSES)
        and (shown(path), name) != (LISTENS, "socket")
    ]
    assert problems == []
    started = {name for name, _ in imports_of(PACKAGE.parent / ANSWERS_IN_PROCESSES) if name.split(".")[0] in PROCESSES}
    assert started == {"multiprocessing", "multiprocessing.connection", "multiprocessing.connection.Connection"}


def test_only_the_studio_and_tools_for_agents_listen_and_nobody_asks_others() -> None:
    """Servers are theirs alone; nothing in the package opens a connection, they included."""
    imported = [(shown(path), name.split(".")[0]) for path in packaged() for name, _ in imports_of(path)]
    assert {path for path, name in imported if name in SERVERS} == SERVES
    assert {path for path, name in imported if name in {"mcp", "mcp_types"}} == {"rftconf/mcp/server.py"}
    assert [path for path, name in imported if name in ASK_OTHERS] == []
    for room in ("studio", "mcp"):
        knows = {path for path in packaged() for name, _ in imports_of(path) if name.startswith(f"rftconf.{room}")}
        assert {shown(path) for path in knows if path.parent.name != room} == {f"rftconf/cli/commands/{room}.py"}
    text = (PACKAGE.parent / LISTENS).read_text()
    assert 'LOOPBACK = "127.0.0.1"' in text
    assert "0.0.0.0" not in text


def test_nothing_is_evaluated() -> None:
    problems = []
    for path in packaged():
        for node in ast.walk(tree(path)):
            if not isinstance(node, ast.Call):
                continue
            called = node.func
            if isinstance(called, ast.Name) and called.id in EXECUTES:
                problems.append(f"{shown(path, node.lineno)}: {called.id}()")
            if isinstance(called, ast.Attribute) and ast.unparse(called).startswith(OF_OS):
                problems.append(f"{shown(path, node.lineno)}: {ast.unparse(called)}()")
    assert problems == []


def test_modules_are_imported_by_name_only_from_our_own_tables() -> None:
    """`importlib` never gets text from an input: it loads tables, verbs and PyYAML's own C part."""
    users = {shown(path) for path in packaged() for name, _ in imports_of(path) if name.split(".")[0] == "importlib"}
    assert users == {
        "rftconf/cli/app.py",
        "rftconf/verbs/installation.py",  # reads what the installed package says that it needs
        "rftconf/cli/parser.py",
        "rftconf/schemas/changes_of_releases.py",  # by the name of a framework of the registry
        STARTS_THE_RUNNER,  # asks whether the runner is there
        "rftconf/lint/registry.py",
        "rftconf/mappers/profiles.py",  # by the name of a framework of the registry
        "rftconf/mappers/tables.py",
        "rftconf/text/yaml/composer.py",
    }


def test_yaml_is_only_composed_never_constructed() -> None:
    """PyYAML builds Python objects in `load`; composing gives nodes, and our own code reads scalars from them."""
    risky = {"load", "load_all", "unsafe_load", "full_load", "UnsafeLoader", "FullLoader", "construct_object"}
    problems = [
        f"{shown(path, node.lineno)}: {node.attr}"
        for path in modules("rftconf/text")
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "yaml"
        and node.attr in risky
    ]
    assert problems == []


@pytest.mark.parametrize("name", FRAMEWORKS)
def test_mapper_packages_do_not_import_each_other(name: str) -> None:
    others = tuple(f"rftconf.{part}.{o}" for part in ("mappers", "schemas") for o in FRAMEWORKS if o != name)
    problems = [
        f"{shown(path, line)}: {imported}"
        for path in modules(f"rftconf/mappers/{name}")
        for imported, line in imports_of(path)
        if imported.startswith(others)
    ]
    assert problems == []


WORDS_OF_OTHERS = {"folds_weights.py"}
"""ROLL's own type of a critic is called `trl`, after the library that it takes the model from."""


@pytest.mark.parametrize("name", FRAMEWORKS)
def test_mappers_do_not_ask_which_framework_is_on_the_other_side(name: str) -> None:
    """Sentences may compare; code may not: no identifier and no literal word is another framework's name."""
    problems = []
    for path in modules(f"rftconf/mappers/{name}"):
        for node in ast.walk(tree(path)):
            word = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                word = node.value
            if word.lower() in {second for second in FRAMEWORKS if second != name} and path.name not in WORDS_OF_OTHERS:
                problems.append(f"{shown(path, getattr(node, 'lineno', 0))}: {word}")
    assert problems == []


def test_shared_mapper_code_knows_frameworks_by_table_only() -> None:
    """Below `mappers/`, only the list of tables names frameworks, in code as in sentences."""
    problems = [
        shown(path, number)
        for path in sorted((PACKAGE / "mappers").glob("*.py"))
        if path.name != "tables.py"
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if OTHER_WORDS.search(line)
    ]
    assert problems == []


def test_the_plan_holds_no_frameworks_word() -> None:
    problems = [
        shown(path, number)
        for path in modules("rftconf/plan")
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if OTHER_WORDS.search(line)
    ]
    assert problems == []


def test_plan_fields_are_not_native_keys() -> None:
    """No plan path is, as a whole, a key of some framework."""
    from rftconf.plan.index import fields
    from rftconf.schemas import catalogue

    natives = {
        key
        for framework in registry.FRAMEWORKS.values()
        for trainer in framework.trainers
        for key in catalogue.load(framework.name, None, trainer).keys
    }
    assert natives & set(fields()) <= {"cluster.gpus_per_node"}  # NeMo-RL calls it so, and means the same


@pytest.mark.parametrize("layer", MAY_IMPORT)
def test_layers_point_one_way(layer: str) -> None:
    allowed = tuple(f"rftconf.{name}" for name in MAY_IMPORT[layer])
    problems = [
        f"{shown(path, line)}: {imported}"
        for path in modules(f"rftconf/{layer}")
        for imported, line in imports_of(path)
        if imported.startswith("rftconf.") and not imported.startswith(allowed)
    ]
    assert problems == []


def test_only_the_command_line_knows_the_command_line() -> None:
    problems = [
        f"{shown(path, line)}: {name}"
        for path in packaged()
        # the studio is a second way in beside the command line, and asks with the same functions
        if not {PACKAGE / "cli", PACKAGE / "verbs", PACKAGE / "lsp", PACKAGE / "studio"} & set(path.parents)
        and path.name != "__main__.py"
        for name, line in imports_of(path)
        if name.startswith("rftconf.cli") or name.split(".")[0] in {"typer", "click", "pygls", "lsprotocol"}
    ]
    assert problems == []


def test_documents_are_never_changed() -> None:
    """A document is frozen, so that a place always belongs to the text that was read; its leaves are records (test_record)."""
    from rftconf.text.document import Document

    assert vars(Document)["__dataclass_params__"].frozen
