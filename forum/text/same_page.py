"""Rules that say which URLs lead to the same page. They are read from `same_page.toml`."""

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

TABLE = Path(__file__).with_name("same_page.toml")
ROUNDS = 10
"""Maximum number of times that all rules are applied to a URL.

Once may not be enough: a URL may repeat a part that a rule removes.
"""


@dataclass(frozen=True, slots=True)
class Address:
    """A URL split into parts for comparison. Each parameter has the form `name=value`."""

    host: str
    path: str
    parameters: tuple[str, ...]


@dataclass(frozen=True)
class Rule:
    """A rule of `same_page.toml`. Comments at the top of that file describe the fields."""

    hosts: tuple[str, ...]
    reason: str
    same: tuple[str, ...]
    other: tuple[str, ...] = ()
    path: str | None = None
    host: str | None = None
    drop_label: str | None = None
    page: str | None = None
    keep: tuple[str, ...] | None = None
    drop: tuple[str, ...] = ()
    value: str | None = None

    @cached_property
    def endings(self) -> tuple[str, ...]:
        """The ends of host names that match: `.example.org` if `hosts` contains `*.example.org`."""
        return tuple(host[1:] for host in self.hosts if host[0] == "*")

    def apply(self, address: Address) -> Address:
        """Return the URL as changed by this rule, or unchanged if the rule doesn't match."""
        if address.host not in self.hosts and not address.host.endswith(self.endings):
            return address
        found = re.fullmatch(self.path or ".*", address.path, re.DOTALL)
        if not found:
            return address
        groups = {name: text or "" for name, text in found.groupdict().items()}
        kept = tuple(one for one in address.parameters if self._counts(one))
        path, _, added = (self.page or "").format(**groups).partition("?")
        return Address(
            self._host(address.host, groups),
            address.path if self.page is None else path.rstrip("/"),
            (*kept, added) if added else kept,
        )

    def _host(self, host: str, groups: dict[str, str]) -> str:
        if self.host is not None:
            return self.host.format(**groups)
        return ".".join(label for label in host.split(".") if label != self.drop_label)

    def _counts(self, parameter: str) -> bool:
        name, _, value = parameter.partition("=")
        name = name.lower()
        if self.keep is not None:
            return name in self.keep
        dropped = any(
            name.startswith(one[:-1]) if one.endswith("*") else name == one for one in self.drop
        )
        return not (dropped and (self.value is None or re.fullmatch(self.value, value.lower())))


def canonical(address: Address, rules: Sequence[Rule]) -> Address:
    """Return the canonical URL of a page, given any URL of the page.

    The rules are applied until none of them changes the URL.
    """
    for _round in range(ROUNDS):
        before = address
        for rule in rules:
            address = rule.apply(address)
        if address == before:
            break
    return address


def load() -> tuple[Rule, ...]:
    """Read the rules from `same_page.toml`. The file ships with the code, and a test checks it."""
    rows = tomllib.loads(TABLE.read_text("utf-8"))["rule"]
    return tuple(Rule(**{name: _frozen(given) for name, given in row.items()}) for row in rows)


def _frozen(given: Any) -> Any:
    return tuple(given) if isinstance(given, list) else given
