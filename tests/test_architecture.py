"""The rules for the project's code. A violation fails with a message that names the rule.

Rules for imports between modules are in pyproject.toml (`[tool.importlinter]`). The rules here
concern one file at a time.
"""

import ast
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import pytest

BASE = Path(__file__).resolve().parent.parent


def files(*tops: str) -> list[Path]:
    """Return the Python files below some folders, without migrations."""
    found = [path for top in tops for path in sorted((BASE / top).rglob("*.py"))]
    return [path for path in found if "migrations" not in path.parts]


OURS, TESTS = files("forum", "voting"), files("tests")


@dataclass(frozen=True)
class Function:
    """A function's name, and its first and last line."""

    name: str
    first: int
    last: int


@dataclass(frozen=True)
class Import:
    line: int
    modules: list[str]
    names: list[str]


@dataclass(frozen=True)
class Module:
    """A Python file, with the facts about it that the tests in this module check."""

    path: Path
    has_docstring: bool
    functions: list[Function]
    imports: list[Import]


def statements(tree: ast.Module) -> list[ast.AST]:
    """Return all statements in a file, including nested statements."""
    found: list[ast.AST] = [tree]
    for node in found:
        for block in ("body", "orelse", "finalbody", "handlers", "cases"):
            found += getattr(node, block, [])
    return found


def read(path: Path) -> Module:
    """Parse a Python file, and return the facts that the rules check."""
    tree = ast.parse(path.read_text())
    functions, imports = [], []
    for node in statements(tree):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                functions.append(Function(node.name, node.lineno, node.end_lineno or 0))
            case ast.ImportFrom():
                names = [alias.name for alias in node.names]
                imports.append(Import(node.lineno, [node.module or ""], names))
            case ast.Import():
                imports.append(Import(node.lineno, [alias.name for alias in node.names], []))
    return Module(path, bool(ast.get_docstring(tree)), functions, imports)


@pytest.fixture(scope="module")
def sources() -> list[Module]:
    """The modules of the site, without its tests."""
    return [read(path) for path in OURS]


@pytest.fixture(scope="module")
def everything(sources: list[Module]) -> list[Module]:
    """The modules of the site and its tests, and `manage.py`."""
    return [*sources, *(read(path) for path in [*TESTS, BASE / "manage.py"])]


def breach(rule: str, places: list[str]) -> str:
    """Return the error message for a broken rule, with the places that violate it."""
    return "\n  ".join([f"Rule of the house: {rule}.", *places])


def place(path: Path, line: int = 1) -> str:
    return f"{path.relative_to(BASE)}:{line}"


def test_import_contracts_are_kept() -> None:
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-cache", "--no-logo"]
    run = subprocess.run(command, cwd=BASE, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr


def test_every_module_says_why_it_exists(everything: list[Module]) -> None:
    silent = [place(module.path) for module in everything if not module.has_docstring]
    assert not silent, breach("every module has a docstring", silent)


def test_imports_stand_at_the_top(everything: list[Module]) -> None:
    """`manage.py` is exempt: before its bootstrap, Django may not be installed yet."""
    inside = [
        place(module.path, found.line)
        for module in everything
        for found in module.imports
        if any(function.first <= found.line <= function.last for function in module.functions)
        if module.path.name != "manage.py"
    ]
    assert not inside, breach("no imports inside functions", inside)


def test_names_are_imported_one_by_one(everything: list[Module]) -> None:
    stars = [
        place(module.path, found.line)
        for module in everything
        for found in module.imports
        if "*" in found.names
    ]
    assert not stars, breach("no star imports", stars)


def test_modules_are_named_after_what_they_do() -> None:
    shapeless = {"utils.py", "util.py", "helpers.py", "helper.py", "misc.py", "common.py"}
    found = [place(path) for path in [*OURS, *TESTS] if path.name in shapeless]
    assert not found, breach("no utils.py, no helpers.py", found)


def test_our_own_flow_uses_no_signals(sources: list[Module]) -> None:
    """Only one module receives signals: those of Django's admin and of django-allauth."""
    found = [
        place(module.path, one.line)
        for module in sources
        if module.path != BASE / "forum/accounts/security_signals.py"
        for one in module.imports
        for name in one.modules
        if name.startswith(("django.dispatch", "django.db.models.signals"))
    ]
    assert not found, breach("no signals for our own flow", found)


def test_use_cases_and_queries_know_no_requests(sources: list[Module]) -> None:
    services = {BASE / "forum" / name for name in ("content", "social", "queries", "sync")}
    found = [
        place(module.path, one.line)
        for module in sources
        if set(module.path.parents) & services
        for one in module.imports
        if any(name.startswith("django.http") for name in one.modules)
    ]
    assert not found, breach("use cases and queries know nothing of HttpRequest", found)


def test_a_script_says_what_it_does_and_never_searches() -> None:
    found = []
    for path in sorted((BASE / "voting").rglob("*.lua")):
        text = path.read_text()
        opens = re.match(r"(#!lua.*\n)?-- \w", text)
        if not opens or re.search(r"call\(\s*['\"](KEYS|SCAN)", text):
            found.append(place(path))
    assert not found, breach(
        "a script opens with its purpose, and runs neither KEYS nor SCAN", found
    )


def test_files_stay_short() -> None:
    """The limit is high, so that code that belongs together can stay in one file."""
    lengths = {path: len(path.read_text().splitlines()) for path in [*OURS, *TESTS]}
    found = [f"{place(path)} has {length}" for path, length in lengths.items() if length > 400]
    assert not found, breach("no file over 400 lines", found)


def test_functions_stay_short(sources: list[Module]) -> None:
    lengths = {
        f"{place(module.path, function.first)} {function.name}": function.last - function.first + 1
        for module in sources
        for function in module.functions
    }
    found = [f"{where} has {length}" for where, length in lengths.items() if length > 45]
    assert not found, breach("no function over 45 lines", found)
    assert median(lengths.values()) <= 10, breach("functions have about 8 lines", [])
