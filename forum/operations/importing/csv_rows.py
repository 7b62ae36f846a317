"""Reads a CSV file of posts, row by row. A row that can't be used is told by its line."""

import csv
import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from django.core.exceptions import ValidationError

from forum.models import Post
from forum.operations.importing.encoding_repair import mend
from forum.text import links, titles, visible

COLUMNS = ("id", "title", "url", "points", "author", "created_at")
"""What the header must name, in any order; other columns are ignored."""
OTHER_SEPARATORS = {";": "semicolons", "\t": "tabs"}
"""What programs put between columns where commas are wanted."""
CLOCK = ZoneInfo("America/New_York")
"""The clock of dates that don't name one."""
LONGEST_NAME = 50
"""Characters of an id and of an author's name."""

PREFIX = re.compile(r"(show|ask) hn\b", re.IGNORECASE)
WHOLE = re.compile(r"[+-]?[0-9]{1,9}")
NOT_UTF8 = re.compile(r"[\ud800-\udfff]")
CONTROL = re.compile(r"[\0-\x08\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Control characters, and those that turn the direction of what follows."""


class NotPosts(Exception):
    """The file holds something else; the message is a sentence for people."""


class _Broken(Exception):
    """The row can't be used; the message says why."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A row that was left out."""

    line: int
    reason: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Row:
    """A post as the file tells it. `url` is normalised."""

    line: int
    id: str
    title: str
    url: str
    points: int
    author: str
    posted_at: int
    """Seconds since 1970."""

    @property
    def prefix(self) -> str:
        """Return "show" or "ask" where the title begins so, else ""."""
        found = PREFIX.match(self.title)
        return found[1].lower() if found else ""

    @property
    def kind(self) -> Post.Kind:
        """Return what kind of post it becomes."""
        if self.url:
            return Post.Kind.LINK
        asks = self.prefix == "ask" or self.title.endswith("?")
        return Post.Kind.QUESTION if asks else Post.Kind.TEXT


def read(path: Path) -> Iterator[Row | Problem]:
    """Yield the rows of a file in its order. Raises NotPosts and OSError."""
    encoding, errors = _encoding(path)
    with path.open(encoding=encoding, errors=errors, newline="") as file:
        reader = csv.reader(file)
        header = _header(path, reader)
        while True:
            line = reader.line_num + 1
            try:
                fields = next(reader)
                if fields:
                    yield _row(line, header, fields)
            except StopIteration:
                return
            except (_Broken, csv.Error) as problem:
                yield Problem(line, str(problem) + _extent(line, reader.line_num))


def _encoding(path: Path) -> tuple[str, str]:
    """Return the encoding of a file and how to read what is broken in it.

    Spreadsheets also write UTF-16: with a byte order mark, or as ASCII letters each beside a zero
    byte.
    """
    with path.open("rb") as file:
        beginning = file.read(4)
    if beginning.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        return "utf-16", "replace"
    zeros = [byte == 0 for byte in beginning]
    if zeros in ([False, True] * 2, [True, False] * 2):
        return ("utf-16-be" if zeros[0] else "utf-16-le"), "replace"
    return "utf-8-sig", "surrogateescape"


def _extent(first: int, last: int) -> str:
    """Return what to say of a row that goes on over lines which may have been rows of their own."""
    return f", and ends on line {last}: is a quote left open?" if last > first else ""


def _header(path: Path, reader: Iterator[list[str]]) -> list[str]:
    try:
        header = [name.strip().lower() for name in next(reader)]
    except StopIteration:
        raise NotPosts(f"{path} is empty.") from None
    except csv.Error:
        header = []
    missing = [name for name in COLUMNS if name not in header]
    if missing:
        _refuse_separators(path, ",".join(header))
        raise NotPosts(
            f"{path} is not a file of posts: its first line must name the columns "
            f"{', '.join(COLUMNS)}, and lacks {', '.join(missing)}."
        )
    return header


def _refuse_separators(path: Path, header: str) -> None:
    """Say so where the first line names columns with something else than commas between them."""
    for separator, called in OTHER_SEPARATORS.items():
        names = {name.strip(' "') for name in header.split(separator)}
        if len(names.intersection(COLUMNS)) > 1:
            raise NotPosts(
                f"{path} has {called} between its columns, and commas are wanted there: save it "
                "anew as CSV with commas."
            )


def _row(line: int, header: list[str], fields: list[str]) -> Row:
    if len(fields) != len(header):
        raise _Broken(f"it has {len(fields)} columns, the header names {len(header)}")
    values = {name: mend(field.strip()) for name, field in zip(header, fields, strict=True)}
    for name in COLUMNS:
        _refuse_unreadable(name, values[name])
    return Row(
        line=line,
        id=_name("id", values["id"]),
        title=_title(values["title"]),
        url=_url(values["url"]),
        points=_points(values["points"]),
        author=_name("author", values["author"]),
        posted_at=_time(values["created_at"]),
    )


def _refuse_unreadable(name: str, text: str) -> None:
    if NOT_UTF8.search(text):
        raise _Broken(f"its {name} is not in UTF-8")
    if CONTROL.search(text):
        raise _Broken(f"its {name} contains a control character")


def _name(column: str, text: str) -> str:
    if not 1 <= len(text) <= LONGEST_NAME:
        raise _Broken(f"its {column} must have 1 to {LONGEST_NAME} characters")
    return text


def _title(text: str) -> str:
    title = titles.fold(text)
    if not titles.SHORTEST <= len(title) <= titles.LONGEST:
        raise _Broken(
            f"its title has {len(title)} characters, not {titles.SHORTEST} to {titles.LONGEST}"
        )
    seen = visible.count(title)
    if seen < titles.SHORTEST:
        raise _Broken(
            f"its title has {seen} characters that can be seen, and needs {titles.SHORTEST}"
        )
    return title


def _url(text: str) -> str:
    try:
        return links.normalise(text) if text else ""
    except ValidationError as refusal:
        raise _Broken(f"its url can't be used: {' '.join(refusal.messages)}") from refusal


def _points(text: str) -> int:
    if not WHOLE.fullmatch(text):
        raise _Broken("its points are not a whole number")
    return int(text)


def _time(text: str) -> int:
    try:
        moment = datetime.fromisoformat(text)
        seconds = int((moment if moment.tzinfo else moment.replace(tzinfo=CLOCK)).timestamp())
    except (ValueError, OverflowError):
        seconds = -1
    if seconds < 0:
        raise _Broken("its created_at is not a date and time since 1970")
    return seconds
