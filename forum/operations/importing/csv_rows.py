"""Reads a CSV file of posts, and reports the rows that can't be used, with line numbers.

Hacker News files (`--source hn`) have dates in New York time and texts in HTML. Their titles may
begin with "Show HN" or "Ask HN". Dates in other files are in UTC, unless they have an offset.
"""

import csv
import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo

from django.core.exceptions import ValidationError

from forum.models import Post
from forum.operations.importing import group_names
from forum.operations.importing.columns import COLUMNS, GROUPS, TEXT, Header, choose
from forum.operations.importing.group_names import GroupName
from forum.operations.importing.hacker_news import to_markdown
from forum.text import links, titles, visible

OTHER_SEPARATORS = {";": "semicolons", "\t": "tabs"}
LONGEST_TEXT = Post._meta.get_field("body").max_length or 0
MAX_NAME = 50
"""How many characters an id or an author's name may have."""

HACKER_NEWS = "hn"
CLOCKS = {HACKER_NEWS: ZoneInfo("America/New_York")}
SHOW, ASK = "show", "ask"
PREFIX = re.compile(rf"({SHOW}|{ASK}) hn\b", re.IGNORECASE)

WHOLE_NUMBER = re.compile(r"[+-]?[0-9]{1,9}")
NOT_UTF8 = re.compile(r"[\ud800-\udfff]")
CONTROL = re.compile(r"[\0-\x08\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Matches control characters, including those that change the direction of text."""
WINDOWS = re.compile(r"[\x80-\x9f]")
"""Matches control characters that come from reading a Windows encoding as Latin-1.

In Windows encodings, their bytes mean characters such as the euro sign or curly quotes.
"""


class NotPosts(Exception):
    """The file isn't a CSV file of posts. The message is a sentence for the terminal."""


class _InvalidRow(Exception):
    """A row can't be used. The message gives the reason."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A row that was left out, and the reason."""

    line: int
    reason: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Row:
    """A post in the file, with its URL normalised."""

    line: int
    id: str
    title: str
    url: str
    points: int
    author: str
    posted_at: int
    """When the post was posted, in seconds since 1970."""
    prefix: str = ""
    """SHOW or ASK if the title began with "Show HN" or "Ask HN"; otherwise ""."""
    body: str = ""
    groups: tuple[GroupName, ...] = ()
    """The groups that the file names; empty if it names none."""

    @property
    def kind(self) -> Post.Kind:
        """Return the kind of the post."""
        if self.url:
            return Post.Kind.LINK
        asks = self.prefix == ASK or self.title.endswith("?")
        return Post.Kind.QUESTION if asks else Post.Kind.TEXT


def read_header(path: Path) -> Header:
    """Return the columns of the file.

    Raises NotPosts if the file isn't a CSV file of posts, and OSError if it can't be read.
    """
    encoding, errors = _encoding(path)
    with path.open(encoding=encoding, errors=errors, newline="") as file:
        return _header(path, csv.reader(file))


def read(path: Path, source: str) -> Iterator[Row | Problem]:
    """Yield the file's rows and problems, in the file's order.

    Raises NotPosts if the file isn't a CSV file of posts, and OSError if it can't be read.
    """
    encoding, errors = _encoding(path)
    with path.open(encoding=encoding, errors=errors, newline="") as file:
        reader = csv.reader(file)
        header = _header(path, reader)
        while True:
            line = reader.line_num + 1
            try:
                fields = next(reader)
                if fields:
                    yield _row(line, _values(header, fields), source)
            except StopIteration:
                return
            except (_InvalidRow, csv.Error) as error:
                yield Problem(line, str(error) + _extent(line, reader.line_num))


def repair_encoding(text: str) -> str:
    """Repair text that was encoded twice: return "Pokémon" for "PokÃ©mon".

    Other text is returned unchanged.
    """
    if text.isascii():
        return text
    try:
        decoded = text.encode("latin-1").decode()
    except UnicodeError:
        return text
    return WINDOWS.sub(
        lambda match: match[0].encode("latin-1").decode("cp1252", "replace"), decoded
    )


def _encoding(path: Path) -> tuple[str, str]:
    """Return the encoding of a file, and the error handler for bytes that are invalid in it.

    Recognises UTF-16, which spreadsheets write, by a byte order mark or by zero bytes.
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
    """Return the end of an error message, for a row that covers several lines of the file.

    It names the row's last line, and asks whether a quotation mark is missing. Returns "" for a row
    on a single line.
    """
    return f", and ends on line {last}: is a quote left open?" if last > first else ""


def _header(path: Path, reader: Iterator[list[str]]) -> Header:
    try:
        written = next(reader)
    except StopIteration:
        raise NotPosts(f"{path} is empty.") from None
    except csv.Error:
        written = []
    header = [name.strip().lower() for name in written]
    missing = [name for name in COLUMNS if name not in header]
    if not missing:
        return choose(written)
    line = ",".join(header)
    for separator, called in OTHER_SEPARATORS.items():
        if len({name.strip(' "') for name in line.split(separator)}.intersection(COLUMNS)) > 1:
            raise NotPosts(
                f"{path} has {called} between its columns. Save the file again as CSV, with commas"
                " between the columns."
            )
    raise NotPosts(
        f"{path} is not a file of posts. Its first line must name the columns "
        f"{', '.join(COLUMNS)}, but these are missing: {', '.join(missing)}."
    )


def _values(header: Header, fields: list[str]) -> Mapping[str, str]:
    if len(fields) != header.size:
        raise _InvalidRow(f"it has {len(fields)} columns, but the header has {header.size}")
    used = header.used.items()
    values = {name: repair_encoding(fields[number].strip()) for name, number in used}
    for name, value in values.items():
        if NOT_UTF8.search(value):
            raise _InvalidRow(f"its {name} is not in UTF-8")
        if "\0" in value if name == TEXT else CONTROL.search(value):
            raise _InvalidRow(f"its {name} contains a control character")
    for name in ("id", "author"):
        if not 1 <= len(values[name]) <= MAX_NAME:
            raise _InvalidRow(f"its {name} must have 1 to {MAX_NAME} characters")
    return values


def _row(line: int, values: Mapping[str, str], source: str) -> Row:
    title = _title(values["title"])
    prefix = PREFIX.match(title) if source == HACKER_NEWS else None
    return Row(
        line=line,
        id=values["id"],
        title=title,
        url=_url(values["url"]),
        points=_points(values["points"]),
        author=values["author"],
        posted_at=_time(values["created_at"], CLOCKS.get(source, UTC)),
        prefix=prefix[1].lower() if prefix else "",
        body=_body(values.get(TEXT, ""), source),
        groups=_groups(values.get(GROUPS, "")),
    )


def _title(text: str) -> str:
    title = titles.fold(text)
    if not titles.SHORTEST <= len(title) <= titles.LONGEST:
        raise _InvalidRow(
            f"its title has {len(title)} characters, not {titles.SHORTEST} to {titles.LONGEST}"
        )
    seen = visible.count(title)
    if seen < titles.SHORTEST:
        raise _InvalidRow(f"its title has {seen} visible characters, and needs {titles.SHORTEST}")
    return title


def _body(text: str, source: str) -> str:
    body = text.replace("\r\n", "\n").replace("\r", "\n")
    if source == HACKER_NEWS:
        body = to_markdown(body).strip("\n")
    if not visible.count(body):
        return ""
    if len(body) > LONGEST_TEXT:
        raise _InvalidRow(f"its text has {len(body):,} characters, more than {LONGEST_TEXT:,}")
    return body


def _groups(text: str) -> tuple[GroupName, ...]:
    groups = group_names.split(text)
    for group in groups:
        if not group.slug:
            raise _InvalidRow(
                f'its group "{group.title}" has no Latin letters or digits for a short name'
            )
    return groups


def _url(text: str) -> str:
    try:
        return links.normalise(text) if text else ""
    except ValidationError as error:
        raise _InvalidRow(f"its url can't be used: {' '.join(error.messages)}") from error


def _points(text: str) -> int:
    if not WHOLE_NUMBER.fullmatch(text):
        raise _InvalidRow("its points are not a whole number")
    return int(text)


def _time(text: str, clock: tzinfo) -> int:
    try:
        moment = datetime.fromisoformat(text)
        seconds = int((moment if moment.tzinfo else moment.replace(tzinfo=clock)).timestamp())
    except (ValueError, OverflowError):
        seconds = -1
    if seconds < 0:
        raise _InvalidRow("its created_at is not a date and time since 1970")
    return seconds
