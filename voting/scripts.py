"""Loads the Lua files and calls them by hash, with the source sent only where it is unknown.

A line `-- include NAME` stands for the text of `lua/NAME.lua`, so that scripts share functions.
Every script states its flags: without a `no-writes` flag a full server refuses it before its
first step, so nothing is ever half done.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha1
from pathlib import Path
from re import MULTILINE, sub

LUA = Path(__file__).parent / "lua"

Argument = str | int | float


@dataclass(frozen=True, slots=True)
class Script:
    """A Lua script: its source and the hash Redis knows it by."""

    name: str
    source: str
    sha: str

    def __call__(self, keys: Sequence[str], *arguments: Argument) -> "Call":
        """Return a call that a `Store` can run."""
        return Call(self, (len(keys), *keys, *arguments))


@dataclass(frozen=True, slots=True)
class Call:
    """A script with its keys and arguments, ready to be sent."""

    script: Script
    operands: tuple[Argument, ...]

    def by_hash(self) -> tuple[Argument, ...]:
        """Return the command that needs the server to know the script."""
        return ("EVALSHA", self.script.sha, *self.operands)

    def by_source(self) -> tuple[Argument, ...]:
        """Return the command that teaches the server the script."""
        return ("EVAL", self.script.source, *self.operands)


def load(name: str) -> Script:
    """Return the script in `lua/<name>.lua`."""
    source = sub(
        r"^-- include (\w+)$",
        lambda match: (LUA / f"{match[1]}.lua").read_text(),
        (LUA / f"{name}.lua").read_text(),
        flags=MULTILINE,
    )
    return Script(name, source, sha1(source.encode(), usedforsecurity=False).hexdigest())
