"""Reads the names of groups in an import file, and makes short names of them."""

import re
import unicodedata
from typing import NamedTuple

from forum.models import Group

SEPARATOR = re.compile(r"[,;|\uff0c\uff1b\u3001]|\s(?=#\w|/?[a-z]/\w)")
"""Separates names, also `#books #science` and `r/books r/science`."""
AROUND = "[]{}\"' \t/"
"""Characters around names that are dropped: a list may be written as `["books", "science"]`."""
PREFIX = re.compile(r"/?[a-z]/|[#~/]")
"""The signs that other sites write before the name of a group, as in `r/books` or `#books`."""
SIGNS = {"+": "plus", "#": "sharp", "&": "-and-"}
LONGEST = Group._meta.get_field("slug").max_length or 0
LONGEST_TITLE = Group._meta.get_field("title").max_length or 0


class GroupName(NamedTuple):
    """A group in the file. `slug` is "" if the name has no letters that a short name can have."""

    slug: str
    title: str


def split(text: str) -> tuple[GroupName, ...]:
    """Return the groups that a field of the file names, each once."""
    found: dict[str, GroupName] = {}
    for word in SEPARATOR.split(text):
        title = word.strip(AROUND)
        title = title[_prefix_length(title) :].strip(AROUND)
        if title:
            name = GroupName(_slug(title), title[:LONGEST_TITLE])
            found.setdefault(name.slug, name)
    return tuple(found.values())


def _prefix_length(title: str) -> int:
    prefix = PREFIX.match(title)
    return prefix.end() if prefix else 0


def _slug(title: str) -> str:
    spelled = "".join(SIGNS.get(character, character) for character in title.lower())
    plain = unicodedata.normalize("NFKD", spelled).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9.]+", "-", plain).strip("-.")[:LONGEST].rstrip("-.")
