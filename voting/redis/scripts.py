"""Loads the Lua files and calls them by hash, with the source sent only where it is unknown.

A line `-- include NAME` stands for the text of `lua/shared/NAME.lua`, which may have such lines
too: functions, or steps that go on with the script's own locals. Lua makes a function anew with
each call of a script, so what every vote does is written as steps. Where an include that a script
itself names has a namesake in `lua/apart`, the script has a second form for clusters: there it
works on one slot alone (`lua/apart/frame.lua`), and `voting.redis.cluster.plans` says what
follows.
A `$NAME` stands for the constant of that name in `voting.keys`, or for one of the site's rules:
an argument fewer with each call.
Every script states its flags: without a `no-writes` flag a full server refuses it before its
first step, so nothing is ever half done.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha1
from pathlib import Path
from re import MULTILINE, Match, findall, sub

from voting import keys
from voting.types import Rules

LUA = Path(__file__).parent.parent / "lua"
SHARED = LUA / "shared"
APART = LUA / "apart"

INCLUDE = r"^ *-- include (\w+)$"
CONSTANT = r"\$([A-Z_]+)"

Argument = str | int | float | bytes


@dataclass(frozen=True, slots=True)
class Script:
    """A Lua script: its source and the hash Redis knows it by."""

    name: str
    source: str
    sha: str
    apart: "Script | None" = None
    rules: Rules | None = None
    """Those in its source, where there are."""

    def __call__(self, keys: Sequence[str], *arguments: Argument) -> "Call":
        """Return a call that a `Store` can run."""
        return Call(self, (len(keys), *keys, *arguments))


@dataclass(frozen=True, slots=True)
class Call:
    """A script with its keys and arguments, ready to be sent."""

    script: Script
    operands: tuple[Argument, ...]

    @property
    def name(self) -> str:
        """The script's name."""
        return self.script.name

    @property
    def keys(self) -> tuple[Argument, ...]:
        """The keys."""
        return self.operands[1 : 1 + int(self.operands[0])]

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """What follows the keys."""
        return self.operands[1 + int(self.operands[0]) :]

    def by_hash(self) -> tuple[Argument, ...]:
        """Return the command that needs the server to know the script."""
        return ("EVALSHA", self.script.sha, *self.operands)

    @property
    def key(self) -> Argument:
        """The key that says which server of a cluster is asked."""
        return self.operands[1]

    def by_source(self) -> tuple[Argument, ...]:
        """Return the command that teaches the server the script."""
        return ("EVAL", self.script.source, *self.operands)


@dataclass(frozen=True, slots=True)
class Command:
    """A plain command among calls."""

    words: tuple[Argument, ...]

    @property
    def name(self) -> str:
        """The command's name, in small letters as those of scripts."""
        return str(self.words[0]).lower()

    @property
    def key(self) -> Argument:
        """The key that says which server of a cluster is asked."""
        return self.words[self.words.index("STREAMS") + 1 if self.words[0] == "XREAD" else 1]

    def by_hash(self) -> tuple[Argument, ...]:
        """Return the command."""
        return self.words

    by_source = by_hash


Asked = Call | Command
"""What is asked of Redis in one step."""


def load(name: str) -> Script:
    """Return the script in `lua/<name>.lua`, with its form for clusters where it has one."""
    return _read(name, vars(keys))


def load_ruled(name: str) -> Callable[[Rules], Script]:
    """Return what gives the script in `lua/<name>.lua` with the rules it is called under."""

    @cache
    def under(rules: Rules) -> Script:
        told = {
            "FORMULA": rules.formula,
            "WEIGHT": rules.weight,
            "WINDOW": rules.window,
            "RANKING_LIMIT": rules.ranking_limit,
        }
        return _read(name, {**vars(keys), **told}, rules)

    return under


def _read(name: str, constants: Mapping[str, object], rules: Rules | None = None) -> Script:
    text = (LUA / f"{name}.lua").read_text("utf-8")
    apart = None
    if any((APART / f"{one}.lua").exists() for one in findall(INCLUDE, text, MULTILINE)):
        frame = (APART / "frame.lua").read_text("utf-8")
        body = text.partition("\n")[2]
        framed = _source(frame.replace("-- include script\n", body), APART, constants)
        apart = Script(name, framed, _sha(framed), rules=rules)
    source = _source(text, SHARED, constants)
    return Script(name, source, _sha(source), apart, rules)


def _source(text: str, first: Path, constants: Mapping[str, object]) -> str:
    """Return a script whose includes are looked for in `first`, then among the shared ones."""

    def included(match: Match[str]) -> str:
        file = f"{match[1]}.lua"
        found = (first / file if (first / file).exists() else SHARED / file).read_text("utf-8")
        return sub(INCLUDE, included, found, flags=MULTILINE)

    whole = sub(INCLUDE, included, text, flags=MULTILINE)
    return sub(CONSTANT, lambda match: str(constants[match[1]]), whole)


def _sha(source: str) -> str:
    return sha1(source.encode(), usedforsecurity=False).hexdigest()
