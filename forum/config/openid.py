"""Reads the OpenID Connect providers with which people may log in."""

import json
import re
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from forum.config import environment

FIELDS = {"id", "name", "url", "client_id", "secret"}
ID = re.compile(r"[a-z0-9-]{1,30}")
FORMAT = (
    'give a list in JSON on one line: [{"id": "school", "name": "Our school",'
    ' "url": "https://login.example.org", "client_id": "...", "secret": "..."}]; an id has a-z,'
    " 0-9 and -, and each id and client_id is another."
)


def providers(name: str, schemes: tuple[str, ...]) -> list[dict[str, Any]]:
    """Return the providers in the variable `name`, as django-allauth wants them.

    Errors don't show the variable, because it has secrets.
    """
    try:
        found = json.loads(environment.text(name, "[]"))
        valid = isinstance(found, list) and all(_is_valid(one, schemes) for one in found)
        distinct = valid and all(
            len({one[name] for one in found}) == len(found) for name in ("id", "client_id")
        )
    except ValueError:
        distinct = False
    if not distinct:
        raise ImproperlyConfigured(f"{name}: {FORMAT} URLs begin with {' or '.join(schemes)}.")
    return [_app(one) for one in found]


def openid_providers() -> list[dict[str, Any]]:
    """Return the providers with which people can log in."""
    found: list[dict[str, Any]] = settings.SOCIALACCOUNT_PROVIDERS["openid_connect"]["APPS"]
    return found


def origins(apps: list[dict[str, Any]]) -> list[str]:
    """Return the scheme, host and port of each provider. Forms that log in may lead there."""
    addresses = (urlsplit(one["settings"]["server_url"]) for one in apps)
    return sorted({f"{one.scheme}://{one.netloc}" for one in addresses})


def _is_valid(one: Any, schemes: tuple[str, ...]) -> bool:
    if not isinstance(one, dict) or set(one) != FIELDS:
        return False
    if not all(isinstance(value, str) and value for value in one.values()):
        return False
    address = urlsplit(one["url"])
    return bool(ID.fullmatch(one["id"]) and address.scheme in schemes and address.hostname)


def _app(one: dict[str, str]) -> dict[str, Any]:
    return {
        "provider_id": one["id"],
        "name": one["name"],
        "client_id": one["client_id"],
        "secret": one["secret"],
        "settings": {"server_url": one["url"]},
    }
