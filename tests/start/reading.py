"""The site's settings as a start with another environment would read them, without a start."""

import runpy
from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured

from forum.operations.supervision.bootstrap import BASE


def settings_of(data: Path, **given: str) -> dict[str, Any]:
    """Return the settings, by name. Raises ImproperlyConfigured."""
    with pytest.MonkeyPatch.context() as environment:
        for name, value in {"FORUM_DATA": str(data), **given}.items():
            environment.setenv(name, value)
        return runpy.run_path(str(BASE / "forum" / "settings.py"))


def refusal(data: Path, **given: str) -> str:
    """Return the one sentence by which a start is refused; it must be."""
    with pytest.raises(ImproperlyConfigured) as refused:
        settings_of(data, **given)
    sentence = str(refused.value)
    assert len(sentence.splitlines()) == 1
    return sentence
