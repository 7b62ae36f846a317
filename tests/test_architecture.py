"""The rules of the house. A breach fails with a sentence that names the rule.

Who may import whom stands in pyproject.toml (`[tool.importlinter]`), each contract under a name
that is the rule; what can be seen in a single file is looked for here.
"""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import median

import pytest

BASE = Path(__file__).resolve().parent.parent
SOURCES = {
    path: ast.parse(path.read_text())
    for top in ("forum", "voting")
    for path in sorted((BASE / top).rglob("*.py"))
    if "migrations" not in path.parts
}
TESTS = {path: ast.parse(path.read_text()) for path in sorted((BASE / "tests").rglob("*.py"))}
EVERYTHING = SOURCES | TESTS | {BASE / "manage.py": ast.parse((BASE / "manage.py").read_text())}


def breach(rule: str, places: list[str]) -> str:
    """Return what a failed test says."""
    return "\n  ".join([f"Rule of the house: {rule}.", *places])


def place(path: Path, node: ast.AST | None = None) -> str:
    """Return where something was found."""
    return f"{path.relative_to(BASE)}:{getattr(node, 'lineno', 1)}"


def functions(tree: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Yield every function of a module."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def imports(tree: ast.AST) -> Iterator[ast.Import | ast.ImportFrom]:
    """Yield every import statement below `tree`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node


def imported(node: ast.Import | ast.ImportFrom) -> list[str]:
    """Return the modules an import statement names."""
    if isinstance(node, ast.ImportFrom):
        return [node.module or ""]
    return [alias.name for alias in node.names]


def test_nobody_imports_across_a_wall() -> None:
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-cache", "--no-logo"]
    run = subprocess.run(command, cwd=BASE, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr


def test_every_module_says_why_it_exists() -> None:
    silent = [place(path) for path, tree in EVERYTHING.items() if not ast.get_docstring(tree)]
    assert not silent, breach("every module has a docstring", silent)


def test_imports_stand_at_the_top() -> None:
    """`manage.py` alone is let off: before its bootstrap there is nothing to import."""
    inside = [
        place(path, node)
        for path, tree in EVERYTHING.items()
        for function in functions(tree)
        for node in imports(function)
        if path.name != "manage.py"
    ]
    assert not inside, breach("no imports inside functions", inside)


def test_names_are_imported_one_by_one() -> None:
    stars = [
        place(path, node)
        for path, tree in EVERYTHING.items()
        for node in imports(tree)
        if any(alias.name == "*" for alias in node.names)
    ]
    assert not stars, breach("no star imports", stars)


def test_modules_are_named_after_what_they_do() -> None:
    shapeless = {"utils.py", "util.py", "helpers.py", "helper.py", "misc.py", "common.py"}
    found = [place(path) for path in EVERYTHING if path.name in shapeless]
    assert not found, breach("no utils.py, no helpers.py", found)


def test_our_own_flow_uses_no_signals() -> None:
    found = [
        place(path, node)
        for path, tree in SOURCES.items()
        for node in imports(tree)
        for module in imported(node)
        if module.startswith(("django.dispatch", "django.db.models.signals"))
    ]
    assert not found, breach("no signals for our own flow", found)


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


@pytest.mark.parametrize(("files", "limit"), [(SOURCES, 250), (TESTS, 400)], ids=["code", "tests"])
def test_files_stay_short(files: dict[Path, ast.Module], limit: int) -> None:
    lengths = {path: len(path.read_text().splitlines()) for path in files}
    found = [f"{place(path)} has {length}" for path, length in lengths.items() if length > limit]
    assert not found, breach(f"no file over {limit} lines", found)


def test_functions_stay_short() -> None:
    lengths = {
        f"{place(path, node)} {node.name}": (node.end_lineno or 0) - node.lineno + 1
        for path, tree in SOURCES.items()
        for node in functions(tree)
    }
    found = [f"{where} has {length}" for where, length in lengths.items() if length > 45]
    assert not found, breach("no function over 45 lines", found)
    assert median(lengths.values()) <= 10, breach("functions have about 8 lines", [])
