"""Loads the Lua files and calls them by hash. A server that doesn't know a script gets the source.

A line `-- include NAME` is replaced by `lua/shared/NAME.lua`, which may include other files. Code
that runs for every vote is included as plain statements, because Redis would create functions again
at each call.

If `lua/cluster` has a file with the same name as an included file, clusters use that file instead.
On a cluster, a script changes only the slot of its post (see `lua/cluster/frame.lua`), and
`voting.redis.cluster.plans` changes the other slots.

`$NAME` in a Lua file is replaced by the constant NAME in `voting.keys`, or by one of the site's
voting settings (see `Rules`).

Every script declares its flags. A server without free memory refuses to start a script that has
neither the flag `no-writes` nor `allow-oom`, so no script stops halfway.
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
CLUSTER = LUA / "cluster"

INCLUDE = r"^ *-- include (\w+)$"
CONSTANT = r"\$([A-Z_]+)"

Argument = str | int | float | bytes


@dataclass(frozen=True, slots=True)
class Script:
    """A Lua script: its source and the hash by which Redis knows it."""

    name: str
    source: str
    sha: str
    cluster_form: "Script | None" = None
    rules: Rules | None = None
    """The site's rules that the source contains; None if the script uses no rules."""

    def __call__(self, keys: Sequence[str], *arguments: Argument) -> "Call":
        """Return a call of this script, which a `Store` can run."""
        return Call(self, (len(keys), *keys, *arguments))


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a script, with its keys and arguments."""

    script: Script
    operands: tuple[Argument, ...]

    @property
    def name(self) -> str:
        """The name of the script that is called."""
        return self.script.name

    @property
    def keys(self) -> tuple[Argument, ...]:
        """The keys that are passed to the script."""
        return self.operands[1 : 1 + int(self.operands[0])]

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """The arguments that the script gets after the keys."""
        return self.operands[1 + int(self.operands[0]) :]

    def by_hash(self) -> tuple[Argument, ...]:
        """Return the command that calls the script by hash, for servers that know the script."""
        return ("EVALSHA", self.script.sha, *self.operands)

    @property
    def key(self) -> Argument:
        """The key that decides which server of a cluster gets the request."""
        return self.operands[1]

    def by_source(self) -> tuple[Argument, ...]:
        """Return the command that sends the script's source, for servers that don't know it."""
        return ("EVAL", self.script.source, *self.operands)


@dataclass(frozen=True, slots=True)
class Command:
    """A plain Redis command, in a form that can be sent together with calls of scripts."""

    words: tuple[Argument, ...]

    @property
    def name(self) -> str:
        """The name of the Redis command, such as "hget". In lower case, like names of scripts."""
        return str(self.words[0]).lower()

    @property
    def key(self) -> Argument:
        """The key that decides which server of a cluster gets the request."""
        return self.words[self.words.index("STREAMS") + 1 if self.words[0] == "XREAD" else 1]

    def by_hash(self) -> tuple[Argument, ...]:
        """Return the command itself, because only scripts have a hash."""
        return self.words

    by_source = by_hash


Request = Call | Command
"""Anything that is sent to Redis: a call of a script, or a plain command."""


def load(name: str) -> Script:
    """Return the script in `lua/<name>.lua`, with its variant for clusters if it has one."""
    return _read(name, vars(keys))


def load_ruled(name: str) -> Callable[[Rules], Script]:
    """Return a function that returns the script in `lua/<name>.lua` with a site's rules."""

    @cache
    def under(rules: Rules) -> Script:
        values = {
            "FORMULA": rules.formula,
            "WEIGHT": rules.weight,
            "WINDOW": rules.window,
            "RANKING_LIMIT": rules.ranking_limit,
        }
        return _read(name, {**vars(keys), **values}, rules)

    return under


def _read(name: str, constants: Mapping[str, object], rules: Rules | None = None) -> Script:
    text = (LUA / f"{name}.lua").read_text("utf-8")
    cluster_form = None
    if any((CLUSTER / f"{one}.lua").exists() for one in findall(INCLUDE, text, MULTILINE)):
        frame = (CLUSTER / "frame.lua").read_text("utf-8")
        body = text.partition("\n")[2]
        framed = _source(frame.replace("-- include script\n", body), CLUSTER, constants)
        cluster_form = Script(name, framed, _sha(framed), rules=rules)
    source = _source(text, SHARED, constants)
    return Script(name, source, _sha(source), cluster_form, rules)


def _source(text: str, first: Path, constants: Mapping[str, object]) -> str:
    """Return a script's source with all included files.

    Included files are in `lua/shared`, unless the folder `first` has a file of the same name.
    """

    def included(match: Match[str]) -> str:
        file = f"{match[1]}.lua"
        found = (first / file if (first / file).exists() else SHARED / file).read_text("utf-8")
        return sub(INCLUDE, included, found, flags=MULTILINE)

    whole = sub(INCLUDE, included, text, flags=MULTILINE)
    return sub(CONSTANT, lambda match: str(constants[match[1]]), whole)


def _sha(source: str) -> str:
    return sha1(source.encode(), usedforsecurity=False).hexdigest()
