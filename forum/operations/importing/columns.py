"""Chooses what each column of an import file is used for, and says which columns can't be used."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

COLUMNS = ("id", "title", "url", "points", "author", "created_at")
"""The columns that the file's header must name, in any order."""
TEXT, GROUPS = "text", "group"
"""The columns that a file may have under several names (see `NAMES`)."""
NAMES = {
    TEXT: (
        *("body", "text", "selftext", "story_text", "body_text", "post_text", "post_body"),
        *("markdown", "content", "contents", "description"),
    ),
    GROUPS: (
        *("groups", "group", "subreddit", "community", "category", "categories", "tags", "tag"),
        *("topics", "topic", "boards", "board", "sections", "section", "forum", "channel"),
    ),
}
"""Names for columns that a file may have. If it has several of these names, the first is used."""
CONTENTS = {TEXT: "Texts", GROUPS: "Groups"}


@dataclass(frozen=True, slots=True)
class Header:
    """The columns of a file."""

    used: Mapping[str, int]
    """The numbers of the columns that are used, counted from 0. Keys are from COLUMNS and NAMES."""
    size: int
    sentences: tuple[str, ...]
    """One sentence for each optional column that is used, and for each column that isn't."""


def choose(header: Sequence[str]) -> Header:
    """Decide what the columns are used for. `header` has their names, with all of COLUMNS."""
    names = [re.sub(r"[\s-]+", "_", name.strip().lower()) for name in header]
    chosen = {use: next(_present(known, names), "") for use, known in NAMES.items()}
    uses = {name: use for use, name in chosen.items() if name} | {name: name for name in COLUMNS}
    sentences = [
        f'{CONTENTS[use]} are read from the column "{header[names.index(name)]}".'
        for use, name in chosen.items()
        if name
    ]
    sentences += _unused(header, names, uses)
    used = {use: names.index(name) for name, use in uses.items()}
    return Header(used, len(header), tuple(sentences))


def _present(known: Iterable[str], names: Sequence[str]) -> Iterator[str]:
    return (name for name in known if name in names)


def _unused(header: Sequence[str], names: Sequence[str], uses: Mapping[str, str]) -> Iterator[str]:
    """Yield a sentence about each column that isn't used, in the order of the file."""
    by_use = {use: header[names.index(name)] for name, use in uses.items()}
    for number, name in enumerate(names):
        if name in uses and names.index(name) == number:
            continue
        if not name:
            yield f"Column {number + 1} isn't imported, because it has no name."
        elif name in uses:
            yield f'Column {number + 1} isn\'t imported, because another is named "{name}", too.'
        else:
            yield f'The column "{header[number]}" {_reason(name, by_use)}.'


def _reason(name: str, by_use: Mapping[str, str]) -> str:
    for use, known in NAMES.items():
        if name in known:
            return f'isn\'t imported, because {CONTENTS[use].lower()} are read from "{by_use[use]}"'
    return "can't be used, so it isn't imported"
