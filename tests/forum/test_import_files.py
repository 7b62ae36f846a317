"""`import_posts` reads files from spreadsheets, and gives a reason when it refuses a file."""

from pathlib import Path

import pytest
from django.core.management.base import CommandError

from forum.models import Post
from tests.forum.test_import import HEADER, import_posts

pytestmark = pytest.mark.django_db

ROW = "1,Café 北京,https://example.org/1,1,0,ada,2016-09-06T06:01:00\n"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-8-sig"])
def test_a_file_that_a_spreadsheet_wrote_in_unicode_is_read(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "posts.csv"
    path.write_text(HEADER + ROW, encoding=encoding)
    import_posts(path)
    assert Post.objects.get().title == "Café 北京"


def test_a_utf16_file_with_tabs_is_refused_because_of_the_tabs(tmp_path: Path) -> None:
    path = tmp_path / "posts.csv"
    path.write_text(HEADER.replace(",", "\t"), encoding="utf-16")
    with pytest.raises(CommandError, match="has tabs between its columns"):
        import_posts(path)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "is empty"),
        (b"name,price\ntea,3\n", "missing: id"),
        (HEADER.replace(",author", "").encode(), "missing: author"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "not a file of posts"),
    ],
)
def test_file_of_another_kind_is_refused(tmp_path: Path, content: bytes, reason: str) -> None:
    path = tmp_path / "other.csv"
    path.write_bytes(content)
    with pytest.raises(CommandError, match=reason):
        import_posts(path)


def test_a_missing_file_or_a_directory_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="No such file"):
        import_posts(tmp_path / "nowhere.csv")
    with pytest.raises(CommandError, match="directory"):
        import_posts(tmp_path)


@pytest.mark.parametrize(("separator", "called"), [(";", "semicolons"), ("\t", "tabs")])
@pytest.mark.parametrize("quote", ["", '"'])
def test_file_with_another_separator_is_refused_with_the_reason(
    tmp_path: Path, separator: str, called: str, quote: str
) -> None:
    path = tmp_path / "posts.csv"
    names = [f"{quote}{name}{quote}" for name in HEADER.strip().split(",")]
    path.write_text(separator.join(names) + "\n")
    with pytest.raises(
        CommandError, match=rf"has {called} between its columns\. Save the file again"
    ):
        import_posts(path)
