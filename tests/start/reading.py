"""Loads the site's settings with given environment variables."""

import ast
import runpy
from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured

from forum.config import environment, rate_limits
from forum.operations.supervision.bootstrap import BASE


def settings_of(data: Path, **given: str) -> dict[str, Any]:
    """Return the site's settings by name. Raises ImproperlyConfigured if a value is invalid."""
    with pytest.MonkeyPatch.context() as environment:
        for name, value in {"FORUM_DATA": str(data), **given}.items():
            environment.setenv(name, value)
        return runpy.run_path(str(BASE / "forum" / "settings.py"))


def refusal(data: Path, **given: str) -> str:
    """Return the one-line error message for invalid settings."""
    with pytest.raises(ImproperlyConfigured) as refused:
        settings_of(data, **given)
    sentence = str(refused.value)
    assert len(sentence.splitlines()) == 1
    return sentence


READERS = {"providers"} | {
    name
    for name, found in vars(environment).items()
    if callable(found) and found.__module__ == environment.__name__
}
"""The names of the functions that read environment variables."""


def read_by_the_site() -> set[str]:
    """Return the names of all environment variables that the site reads as settings."""
    names = {f"LIMIT_{action.upper()}" for action in rate_limits.EVERYBODY}
    names |= {f"LIMIT_NEW_{action.upper()}" for action in rate_limits.NEWCOMERS}
    for path in ("config/environment.py", "settings.py", "operations/supervision/webserver.py"):
        for node in ast.walk(ast.parse((BASE / "forum" / path).read_text())):
            match node:
                case ast.Call(
                    func=ast.Attribute(attr=reader) | ast.Name(id=reader),
                    args=[ast.Constant(value=str(name)), *_],
                ) if reader in READERS and name.isupper():
                    names.add(name)
    return names
