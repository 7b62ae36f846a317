"""`import_posts` reads texts and groups, and names each column that it can't use."""

from pathlib import Path
from typing import Any

import pytest

from forum.models import Group, GroupAlias, Post
from forum.operations.importing.columns import choose
from forum.operations.importing.group_names import split
from forum.queries.groups import directory
from tests.forum.factories import groups, reader
from tests.forum.test_import import import_posts

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.dialect]

HEADER = "id,title,url,points,author,created_at"
ROW = "1,On rye bread,,7,ada,2016-09-06T06:01:00"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "posts.csv"


def slugs() -> list[str]:
    return sorted(Post.objects.get().groups.values_list("slug", flat=True))


@pytest.mark.parametrize("name", ["body", "text", "selftext", "Post text", "content"])
def test_texts_are_read_as_markdown(path: Path, name: str, capsys: Any) -> None:
    path.write_text(f'{HEADER},{name}\n{ROW},"Knead it *well*.\r\n\r\nThen wait."\n')
    import_posts(path)
    written = Post.objects.get()
    assert written.body == "Knead it *well*.\n\nThen wait."
    assert "<em>well</em>" in reader().get(written.get_absolute_url()).content.decode()
    assert "On rye bread" in reader().get("/search?q=knead").content.decode()
    output = capsys.readouterr()
    assert f'Texts are read from the column "{name}".' in output.out
    assert "imported" not in output.out.partition("\n")[0]


HTML = (
    'It&#x27;s <i>new</i>.<p>See <a href=""https:&#x2F;&#x2F;example.org&#x2F;a"" rel=""nofollow"">'
    "https:&#x2F;&#x2F;exam...</a><p><pre><code>a &lt; b\n</code></pre>"
)


def test_html_of_hacker_news_becomes_markdown_and_others_stay_as_written(path: Path) -> None:
    path.write_text(f'{HEADER},text\n{ROW},"{HTML}"\n')
    import_posts(path)
    body = Post.objects.get().body
    assert "It's *new*.\n\nSee <https://example.org/a>\n\n" in body
    assert body.endswith("```\na < b\n```")
    path.write_text(f"{HEADER},text\n{ROW},a &amp; b\n")
    import_posts(path, "--source", "lobsters")
    assert Post.objects.latest("pk").body == "a &amp; b"


@pytest.mark.parametrize("name", ["group", "groups", "subreddit", "Category", "tags"])
def test_groups_are_read_and_missing_ones_are_made(path: Path, name: str) -> None:
    groups("books")
    path.write_text(f'{HEADER},{name}\n{ROW},"Books, Home baking"\n')
    import_posts(path)
    assert slugs() == ["books", "home-baking"]
    assert Group.objects.get(slug="home-baking").title == "Home baking"
    assert Group.objects.count() == 2


def test_post_without_a_group_in_the_file_gets_the_usual_one(path: Path) -> None:
    path.write_text(f"{HEADER},subreddit\n{ROW},\n")
    import_posts(path)
    assert slugs() == ["texts"]


def test_former_name_of_a_group_leads_to_the_group(path: Path) -> None:
    (books,) = groups("books")
    GroupAlias.objects.create(slug="novels", group=books)
    directory.forget()
    path.write_text(f'{HEADER},groups\n{ROW},"novels, books"\n')
    import_posts(path)
    assert slugs() == ["books"]
    assert Group.objects.count() == 1


def test_post_gets_only_as_many_groups_as_a_post_can_have(path: Path, capsys: Any) -> None:
    path.write_text(f'{HEADER},tags\n{ROW},"a1, b2, c3, d4"\n')
    import_posts(path)
    assert slugs() == ["a1", "b2", "c3"]
    assert "1 post has more than 3 groups in the file and got the first 3." in (
        capsys.readouterr().out
    )


@pytest.mark.parametrize(
    ("column", "value", "reason"),
    [
        ("body", "x" * 40_001, "its text has 40,001 characters, more than 40,000"),
        ("body", "a\0b", "its text contains a control character"),
        ("groups", "编程", 'its group "编程" has no Latin letters or digits for a short name'),
    ],
)
def test_text_or_group_that_can_not_be_used_is_reported_with_its_line(
    path: Path, capsys: Any, column: str, value: str, reason: str
) -> None:
    path.write_text(f"{HEADER},{column}\n{ROW},{value}\n2{ROW[1:]},fine\n", encoding="utf-8")
    import_posts(path)
    assert capsys.readouterr().err == f"line 2: {reason}\n"
    assert Post.objects.get().origin == "hn:2"


def test_each_column_that_can_not_be_used_is_named(path: Path, capsys: Any) -> None:
    path.write_text(f"{HEADER},Num comments,flair,,title,body,text,tags,group\n{ROW},3,x,,,,,,\n")
    import_posts(path)
    *sentences, _summary = capsys.readouterr().out.splitlines()
    assert sentences == [
        'Texts are read from the column "body".',
        'Groups are read from the column "group".',
        "The column \"Num comments\" can't be used, so it isn't imported.",
        "The column \"flair\" can't be used, so it isn't imported.",
        "Column 9 isn't imported, because it has no name.",
        'Column 10 isn\'t imported, because another is named "title", too.',
        'The column "text" isn\'t imported, because texts are read from "body".',
        'The column "tags" isn\'t imported, because groups are read from "group".',
    ]
    assert Post.objects.get().title == "On rye bread", "the first of two columns counts"


def test_nothing_is_said_about_a_file_with_the_usual_columns() -> None:
    assert choose(HEADER.split(",")).sentences == ()


@pytest.mark.parametrize(
    ("text", "slugs"),
    [
        ("r/Python", ["python"]),
        ("#rust;#C++", ["rust", "cplusplus"]),
        ("#home baking #C# /r/rye", ["home-baking", "csharp", "rye"]),
        ('["Ask HN", "books"]', ["ask-hn", "books"]),
        ("Café & Küche|C#", ["cafe-and-kuche", "csharp"]),
        ("books,Books, ,", ["books"]),
        ("x" * 60, ["x" * 40]),
        ("", []),
    ],
)
def test_names_of_groups_become_short_names(text: str, slugs: list[str]) -> None:
    assert [name.slug for name in split(text)] == slugs


def test_title_of_a_group_has_no_slash_around_it() -> None:
    assert [name.title for name in split("/r/books/")] == ["books"]
