"""What a search finds. These tests run on SQLite and, in CI, on PostgreSQL."""
# ruff: noqa: RUF001

from collections.abc import Collection
from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone

from forum.actions import comments as comment_actions
from forum.actions import marks
from forum.actions import posts as post_actions
from forum.ledger.archiver import archive_rest
from forum.models import Block, Comment, Post, User
from forum.moderation.actions import removals
from forum.moderation.actions.undo import undo
from forum.queries.groups import directory
from forum.search.parser import parse
from forum.search.queries import MOST, Order, find
from forum.store.service import get_voting_service
from tests.forum.comments import add_comment
from tests.forum.factories import groups, person, post
from voting.types import Target, Vote

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.dialect]


def found(text: str, viewer: User | None = None, order: Order = Order.RELEVANCE) -> list[str]:
    """Return the titles of the posts, and the bodies of the comments, that a search finds."""
    query = parse(text, now=timezone.now(), member=viewer is not None)
    assert query.unknown == ()
    hits = find(query, viewer_id=viewer.pk if viewer else None, order=order).hits
    return [
        Comment.objects.get(pk=hit.comment_id).body
        if hit.comment_id
        else Post.objects.get(pk=hit.post_id).title
        for hit in hits
    ]


TITLES = (
    "Learning Go in a week",
    "Google opens a museum",
    "C# and C++ compared",
    "Why C is still here",
    "Deploying node.js behind nginx",
    "The .NET runtime (and Go), explained",
    "中文搜索引擎的设计",
    "搜索：从入门到放弃",
    "日本語の全文検索について",
    "がんばるかもめ",
    "البحث في النصوص العربيَّة",
    "Café culture in Zürich",
    "A 🚀 launch",
    "Ask @ada_l about engines",
    "100% of 5_000 people",
    'She said "never mind" twice',
)


@pytest.mark.parametrize(
    ("text", "titles"),
    [
        ("go", {"Learning Go in a week", "The .NET runtime (and Go), explained"}),
        ("go week", {"Learning Go in a week"}),
        ("goo", {"Google opens a museum"}),
        ("oogl", {"Google opens a museum"}),
        ("c#", {"C# and C++ compared"}),
        ("C++", {"C# and C++ compared"}),
        ("c", {"Why C is still here"}),
        (".net", {"The .NET runtime (and Go), explained"}),
        (".net go", {"The .NET runtime (and Go), explained"}),
        ("node.js", {"Deploying node.js behind nginx"}),
        ("js nginx", {"Deploying node.js behind nginx"}),
        ("中文", {"中文搜索引擎的设计"}),
        ("搜索", {"中文搜索引擎的设计", "搜索：从入门到放弃"}),
        ("搜", {"中文搜索引擎的设计", "搜索：从入门到放弃"}),
        ("搜索引擎 中", {"中文搜索引擎的设计"}),
        ("索搜", set()),
        ("検索", {"日本語の全文検索について"}),
        ("かも", {"がんばるかもめ"}),
        ("が", {"がんばるかもめ"}),
        ("العربية", {"البحث في النصوص العربيَّة"}),
        ("cafe", {"Café culture in Zürich"}),
        ("CAFÉ zurich", {"Café culture in Zürich"}),
        ("🚀", {"A 🚀 launch"}),
        ("🚀 launch", {"A 🚀 launch"}),
        ("@ada_l", {"Ask @ada_l about engines"}),
        ("100%", {"100% of 5_000 people"}),
        ("5_0", {"100% of 5_000 people"}),
        ("5x0", set()),
        ('"opens a"', {"Google opens a museum"}),
        ('"a opens"', set()),
        ('"never mind"', {'She said "never mind" twice'}),
        ("museum OR launch", {"Google opens a museum", "A 🚀 launch"}),
        ("opens museum OR launch", {"Google opens a museum"}),
        ("compared -c++", set()),
        ("c# -museum", {"C# and C++ compared"}),
        ("engines -go", {"Ask @ada_l about engines"}),
        ("wéék", {"Learning Go in a week"}),
        ("ｇｏ week", {"Learning Go in a week"}),
        ("quixotic", set()),
    ],
)
def test_words_find_posts(ada: User, text: str, titles: Collection[str]) -> None:
    for title in TITLES:
        post(ada, title=title)
    assert set(found(text)) == titles


@pytest.mark.parametrize(
    "text",
    [
        *("heron?", "heron!", "blue, heron", "blue,heron", "heron;blue", "blue / heron"),
        *("blue—heron", "blue-heron", "(blue) [heron]", "heron…", "heron*", "_heron_", "+heron"),
        *("“blue heron”", "„blue heron“", "«blue heron»", "‘blue heron’", "(“blue heron”)!"),
        *("「blue heron」", "¿heron?", "blue، heron؟", "blue。heron", "blue → heron", "heron&blue"),
        *("author: ada heron", "author：ada heron", "Author : ada heron", "author:ada, heron"),
        *("author:'ada' heron", "author: ada: heron", "author﹕ada heron"),
        *("heron is:post.", "(egret OR heron)", "note：heron", "in: title heron"),
    ],
)
def test_marks_beside_words_and_between_them_are_no_parts_of_words(ada: User, text: str) -> None:
    post(ada, title="Note: a heron & blue heron")
    post(ada, title="Something else")
    assert found(text) == ["Note: a heron & blue heron"]


@pytest.mark.parametrize(
    ("title", "text"),
    [
        ("The “blue, heron”", '"blue heron"'),
        ("A blue-heron", '"blue heron"'),
        ("「蓝鹭」：一只鸟。", "蓝鹭"),
        ("「蓝鹭」：一只鸟。", "蓝鹭：一只"),
        ("中文（简体）", '"中文简体"'),
        ("नमस्ते। दुनिया", '"नमस्ते दुनिया"'),
        ("أين مالك؟", "مالك"),
        ("Don’t panic", "don't"),
        ("Don't panic", "don’t"),
        ("Written in C#/C++.", "c#"),
        ("Written in C#/C++.", "c++"),
        ("C++17, explained", "c++"),
        ("ASP.NET", ".net"),
        ("A (node.js) server", "node.js?"),
        ("Thanks (@ada_l)!", "@ada_l"),
        ("R&D", "r&d"),
        ("“Go”", "go"),
        ("Don´t panic", "don't"),
        ("A pond™ for the kids", '"pond for"'),
        ("A pond, for the kids", "pond™ kids´"),
    ],
)
def test_marks_in_texts_are_no_parts_of_words(ada: User, title: str, text: str) -> None:
    post(ada, title=title)
    post(ada, title="Blue, but no heron. A cargo network for the dad")
    assert found(text) == [title]


@pytest.mark.parametrize(
    ("title", "text"),
    [
        ("Łódź", "lodz"),
        ("Lodz", "Łódź"),
        ("Øresund", "oresund"),
        ("Đorđević", "dordevic"),
        ("Straße", "strasse"),
        ("Þingvellir, ğalıba", "thingvellir galiba"),
        ("ÆSIR œuvre", "aesir oeuvre"),
        ("Ħamrun", "hamrun"),
        ("İstanbul Diyarbakır", "istanbul diyarbakir"),
        ("Đà Nẵng", "da nang"),
        ("Қазақстан ғылымы", "казакстан"),
        ("Αθήνα", "αθηνα"),
    ],
)
def test_accents_do_not_matter(ada: User, title: str, text: str) -> None:
    post(ada, title=title)
    assert found(text) == [title]


@pytest.mark.parametrize("text", ["?", "* ::", "-", "“”"])
def test_a_search_of_nothing_but_marks_is_not_understood(text: str) -> None:
    query = parse(text, now=timezone.now(), member=True)
    assert not query.clauses
    assert query.unknown


def test_words_find_texts_links_and_comments(ada: User, bob: User) -> None:
    written = post(
        ada, title="On bread", body="Knead the **sour**dough [well](https://example.org)."
    )
    post(ada, title="A link", kind="link", url="https://bread.example.com/Rye?x=1")
    add_comment(bob, written, "My sourdough failed.")
    assert set(found("sourdough")) == {"On bread", "My sourdough failed."}
    assert found("https://bread.example.com/rye") == ["A link"]
    assert found("rye?x=1") == ["A link"]
    assert set(found("bread")) == {"On bread", "A link"}
    assert found("bread in:title") == ["On bread"]
    assert found("sourdough in:title") == []
    assert found("bread -in:title") == ["A link"]
    assert found("failed sourdough") == ["My sourdough failed."]


def test_authors_groups_and_hosts(ada: User, bob: User) -> None:
    books, maths = groups("books"), groups("maths")
    first = post(ada, title="First thing", groups=books)
    post(bob, title="Second thing", groups=maths)
    post(bob, kind="link", title="Third thing", url="https://www.example.com/a", groups=maths)
    post(bob, kind="link", title="Fourth thing", url="https://news.example.com/", groups=maths)
    add_comment(bob, first, "A thing to say")
    assert set(found("thing author:BOB")) == {
        *("Second thing", "Third thing", "Fourth thing", "A thing to say")
    }
    assert found("thing -author:bob") == ["First thing"]
    assert found("author:nobody") == []
    assert set(found("group:books")) == {"First thing", "A thing to say"}
    assert found("group:books is:post") == ["First thing"]
    assert set(found("group:books OR group:maths is:post thing")) == {
        *("First thing", "Second thing", "Third thing", "Fourth thing")
    }
    assert set(found("thing -group:maths")) == {"First thing", "A thing to say"}
    assert found("group:unknown") == []
    assert set(found("site:example.com")) == {"Third thing", "Fourth thing"}
    assert found("site:news.example.com") == ["Fourth thing"]
    assert set(found("is:post thing -site:example.com")) == {"First thing", "Second thing"}


def test_kinds(ada: User) -> None:
    post(ada, title="Zinc text")
    post(ada, title="Zinc link", kind="link", url="https://example.org/")
    open_one = post(ada, title="Open question", kind="question")
    done = post(ada, title="Answered question", kind="question")
    answer = add_comment(ada, done, "Because")
    Post.objects.filter(pk=done.pk).update(accepted=answer)
    add_comment(ada, open_one, "Zinc comment")
    assert found("is:text") == ["Zinc text"]
    assert found("is:link") == ["Zinc link"]
    assert set(found("is:question")) == {"Open question", "Answered question"}
    assert found("is:answered") == ["Answered question"]
    assert found("is:unanswered") == ["Open question"]
    assert found("zinc is:comment") == ["Zinc comment"]
    assert set(found("zinc -is:comment")) == {"Zinc text", "Zinc link"}
    assert set(found("is:link OR is:text")) == {"Zinc text", "Zinc link"}


def test_dates_points_and_comments(ada: User) -> None:
    old = post(ada, title="Old thing")
    new = post(ada, title="New thing")
    add_comment(ada, new, "One")
    add_comment(ada, new, "Two")
    long_ago = datetime(2020, 2, 29, 23, 59, 59, tzinfo=UTC)
    Post.objects.filter(pk=old.pk).update(created_at=long_ago, up=12, down=1)
    assert found("thing before:2020-03-01") == ["Old thing"]
    assert found("thing before:2020-02-29") == []
    assert found("thing after:2020-02-29") == ["New thing", "Old thing"][::-1]
    assert found("thing after:2020-03-01") == ["New thing"]
    assert found("thing after:7d") == ["New thing"]
    assert found("thing before:1y") == ["Old thing"]
    assert found("thing -before:1y") == ["New thing"]
    assert found("thing points:>10") == ["Old thing"]
    assert found("thing points:11") == ["Old thing"]
    assert found("thing points:>=12") == []
    assert found("thing points:<5") == ["New thing"]
    assert found("comments:>1") == ["New thing"]
    assert found("thing -comments:>=1") == ["Old thing"]


def test_own_things(ada: User, bob: User) -> None:
    hers, his = post(ada, title="Her thing"), post(bob, title="His thing")
    comment = add_comment(bob, hers, "His comment on a thing")
    marks.save(ada, his, on=True)
    for target in (Target(his.pk), Target(hers.pk, comment.pk)):
        get_voting_service().votes.cast(ada.pk, target, Vote.UP)
    archive_rest(get_voting_service().maintenance.generations.current())
    assert found("is:saved", ada) == ["His thing"]
    assert found("is:saved", bob) == []
    assert set(found("is:liked thing", ada)) == {"His thing", "His comment on a thing"}
    assert found("thing is:mine", ada) == ["Her thing"]
    assert set(found("thing -is:mine", ada)) == {"His thing", "His comment on a thing"}
    assert parse("is:mine", now=timezone.now(), member=False).unknown == ("is:mine",)


@pytest.mark.parametrize(
    "text",
    [
        "is:red",
        "points:many",
        "before:yesterday",
        "colour:red",
        "after:2026-13-01",
        "site:.",
        "in:body",
    ],
)
def test_unknown_operators_are_reported(text: str) -> None:
    query = parse(f"bread {text}", now=timezone.now(), member=True)
    assert query.unknown == (text,)
    assert len(query.clauses) == 1


@pytest.mark.parametrize("text", ["10:30", "std::vector", "https://example.org/", "a:"])
def test_words_with_colons_are_no_operators(text: str) -> None:
    query = parse(text, now=timezone.now(), member=False)
    assert query.unknown == ()
    assert query.words[0].text == text


def test_every_order_has_the_same_results(ada: User) -> None:
    for number in range(3):
        one = post(ada, title=f"Thing {number}", body="thing" * number)
        Post.objects.filter(pk=one.pk).update(
            up=10 - number, created_at=timezone.now() - timedelta(days=number)
        )
    assert found("thing", order=Order.DATE) == ["Thing 0", "Thing 1", "Thing 2"]
    assert found("thing", order=Order.POINTS) == ["Thing 0", "Thing 1", "Thing 2"]
    assert set(found("thing", order=Order.RELEVANCE)) == {"Thing 0", "Thing 1", "Thing 2"}


def test_words_in_titles_and_beginnings_of_words_come_first(ada: User) -> None:
    post(ada, title="Art")
    post(ada, title="Martial")
    post(ada, title="Paintings", body="All about art.")
    post(ada, title="Fishing", body="Smart ways to fish.")
    assert found("art") == ["Art", "Martial", "Paintings", "Fishing"]


def test_edits_are_found_at_once(ada: User) -> None:
    written = post(ada, title="Before", body="alpha")
    comment = add_comment(ada, written, "gamma")
    post_actions.change(written, by=ada, title="After", body="beta", groups=groups("books"))
    comment_actions.edit(comment, by=ada, body="delta")
    assert found("before") == found("alpha") == found("gamma") == []
    assert found("after") == found("beta") == ["After"]
    assert found("delta") == ["delta"]
    directory.forget()
    assert set(found("group:books")) == {"After", "delta"}


def test_deleted_and_removed_texts_are_not_found(ada: User, bob: User) -> None:
    written = post(ada, title="A thing")
    comment = add_comment(bob, written, "Another thing")
    comment_actions.delete(comment, by=bob)
    assert found("thing") == ["A thing"]
    moderator = person("mod", is_superuser=True, is_staff=True)
    action = removals.remove(written, by=moderator, reason="Spam")
    assert found("thing", ada) == []
    undo(action, by=moderator)
    assert found("thing") == ["A thing"]
    post_actions.delete(written, by=ada)
    assert found("thing", ada) == []


def test_comments_of_removed_posts_are_not_found(ada: User, bob: User) -> None:
    written = post(ada, title="A thing")
    add_comment(bob, written, "Another thing")
    post_actions.delete(written, by=ada)
    assert found("thing") == []


def test_blocked_people_are_not_found(ada: User, bob: User) -> None:
    written = post(bob, title="A thing")
    add_comment(bob, written, "Another thing")
    Block.objects.create(user=ada, blocked=bob, at=timezone.now())
    assert found("thing", ada) == []
    assert len(found("thing", bob)) == 2


def test_hostile_words_are_only_words(ada: User) -> None:
    post(ada, title="""Quotes ' and " and % and * and NEAR(a b)""")
    for text in ("NEAR(a", "b)", "' OR 1=1 --", 'x" OR "y', "NOT", "^a"):
        found(text)
    assert len(found("NEAR(a b)")) == 1


def test_parts_of_a_word_in_other_places_are_not_the_word(ada: User) -> None:
    post(ada, title="An abc and a def")
    assert found("abcdef") == []
    assert found("abc def") == ["An abc and a def"]


def test_common_word_finds_the_newest_and_rare_word_the_oldest(ada: User) -> None:
    written = post(ada, "Numbers")
    texts = [" zebra and horse ", *[" donkey and horse "] * 6_000]
    now = timezone.now()
    Comment.objects.bulk_create(
        Comment(post=written, author=ada, body=str(number), search_text=text, created_at=now)
        for number, text in enumerate(texts)
    )
    assert found("zebra") == ["0"]
    assert found("horse", order=Order.DATE) == [str(number) for number in range(6_000, 5_500, -1)]
    horses = find(parse("horse -cow", now=now, member=False), viewer_id=None, order=Order.DATE)
    assert len(horses.hits) == MOST
    assert horses.bounded
