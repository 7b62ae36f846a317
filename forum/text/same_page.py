"""Rules that say which URLs lead to the same page. They are read from `same_page.toml`.

If that file has an error, the site doesn't start, and a message names the rule.
"""

import re
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from string import Formatter
from typing import Any

from django.core.exceptions import ImproperlyConfigured

TABLE = Path(__file__).with_name("same_page.toml")
HOST = re.compile(r"\*|(?:\*\.)?(?:[a-z0-9-]+\.)+[a-z0-9-]+")
ROUNDS = 10
"""Maximum number of times that all rules are applied to a URL.

Once may not be enough: a URL may repeat a part that a rule removes.
"""
TEXTS = frozenset({"path", "host", "drop_label", "page", "value", "reason"})


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


def load(path: Path = TABLE) -> tuple[Rule, ...]:
    """Read the rules from a file. Raises ImproperlyConfigured if a rule is invalid."""
    try:
        table = tomllib.loads(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ImproperlyConfigured(f"{path} can't be read: {error}") from error
    rows = table.pop("rule", None)
    if table or not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise ImproperlyConfigured(f"{path}: give nothing but [[rule]] tables.")
    return tuple(_read(row, f"{path}, rule {number}") for number, row in enumerate(rows, 1))


def check_examples(rules: Sequence[Rule], key: Callable[[str], str], path: Path = TABLE) -> None:
    """Raise ImproperlyConfigured if a rule's example URLs don't get the keys that they should get.

    `key` returns the key of a URL. URLs of the same page must have the same key, and URLs of
    different pages must have different keys. The rules must not change a key.
    """
    for number, rule in enumerate(rules, 1):
        keys = {key(url) for url in rule.same}
        if len(keys) > 1:
            problem = f"these should be the same page: {', '.join(rule.same)}"
        elif keys & {key(url) for url in rule.other}:
            problem = f"these should be other pages: {', '.join(rule.other)}"
        elif {key(f"https://{one}") for one in keys} != keys:
            problem = f"{min(keys)} becomes another page when the rules are applied again"
        else:
            continue
        raise ImproperlyConfigured(f"{path}, rule {number} ({rule.hosts[0]}): {problem}.")


def _read(row: dict[str, Any], place: str) -> Rule:
    """Return the rule that a `[[rule]]` table of the TOML file defines.

    `place` names the file and the rule in errors. Raises ImproperlyConfigured if the table is
    invalid.
    """
    unknown = row.keys() - {field.name for field in fields(Rule)}
    if unknown:
        raise ImproperlyConfigured(f"{place}: there is no {', '.join(sorted(unknown))}.")
    missing = {"hosts", "reason", "same"} - row.keys()
    if missing:
        raise ImproperlyConfigured(f"{place}: give {', '.join(sorted(missing))}.")
    for name, given in row.items():
        if name in TEXTS and not isinstance(given, str):
            raise ImproperlyConfigured(f"{place}: {name} is a text.")
        if name not in TEXTS and not _is_list(given):
            raise ImproperlyConfigured(f"{place}: {name} is a list of texts.")
    lists = {name: tuple(given) for name, given in row.items() if name not in TEXTS}
    rule = Rule(**{**row, **lists})
    if problem := _problem(rule):
        raise ImproperlyConfigured(f"{place}: {problem}.")
    return rule


def _is_list(given: Any) -> bool:
    return isinstance(given, list) and all(isinstance(one, str) for one in given)


def _problem(rule: Rule) -> str:
    """Return a description of the first mistake in a rule; "" if there is none."""
    names = [*(rule.keep or ()), *rule.drop]
    hosts_fit = all(HOST.fullmatch(host) and host[:4] != "www." for host in rule.hosts)
    mistakes = {
        "give hosts like example.org, *.example.org or *, and none with www": (
            not rule.hosts or not hosts_fit
        ),
        "give a reason and at least two addresses that are the same": (
            not rule.reason.strip() or len(rule.same) < 2
        ),
        "write the names of parameters in small letters": any(n != n.lower() for n in names),
        "give keep or drop, not both": rule.keep is not None and bool(rule.drop),
        "value belongs to drop": rule.value is not None and not rule.drop,
        "give host or drop_label, not both": bool(rule.host and rule.drop_label),
    }
    return next((one for one, made in mistakes.items() if made), "") or _bad_pattern(rule)


def _bad_pattern(rule: Rule) -> str:
    """Return a description of the first invalid regular expression or template; "" if none is."""
    groups: set[str] = set()
    for name in ("path", "value"):
        try:
            pattern = re.compile(getattr(rule, name) or "")
        except re.error as error:
            return f"{name} is no regular expression: {error}"
        groups |= pattern.groupindex.keys() if name == "path" else set()
    for name in ("host", "page"):
        try:
            used = {field for _, field, _, _ in Formatter().parse(getattr(rule, name) or "")}
        except ValueError as error:
            return f"{name} can't be read: {error}"
        if strange := used - groups - {None}:
            return f"{name} has {{{min(map(str, strange))}}}, and path has no group of this name"
    return ""
