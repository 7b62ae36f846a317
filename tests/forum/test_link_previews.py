"""Tags, structured data and images, which chat apps and search engines read from a page."""

import json
import re
from datetime import timedelta
from html import unescape
from io import BytesIO
from itertools import repeat
from typing import Any

import pytest
from django.utils import timezone
from PIL import Image
from PIL.ImageChops import difference
from PIL.ImageFont import load_default

from forum.actions import posts as post_actions
from forum.models import OutboxItem, Post, PreviewImage, User
from forum.moderation.actions import removals
from forum.previews import missing, services
from forum.previews.card import PreviewCard
from forum.previews.directions import in_visual_order, levels
from forum.previews.drawing import draw
from forum.previews.fonts import Run
from forum.previews.images import card_of, draw_image
from forum.previews.missing import MissingPreviewsSync
from forum.store import outbox
from tests.forum.comments import add_comment, vote
from tests.forum.factories import groups, person, post, reader
from voting.types import Vote

pytestmark = pytest.mark.django_db(transaction=True)
SITE = "http://localhost:8000"
JSON_LD = re.compile(r'<script type="application/ld\+json">(.*?)</script>', re.DOTALL)


def page(address: str, user: User | None = None) -> str:
    return str(reader(user).get(address).content.decode())


def tag(html: str, name: str) -> str:
    """Return the content of the only meta tag whose `property` attribute is `name`."""
    (found,) = re.findall(f'<meta property="{name}" content="([^"]*)">', html)
    return unescape(found)


def structured(html: str) -> Any:
    (found,) = JSON_LD.findall(html)
    return json.loads(found)


def image_path(written: Post) -> str:
    return tag(page(written.get_absolute_url()), "og:image").removeprefix(SITE)


def test_post_has_tags_for_previews(ada: User) -> None:
    written = post(ada, "Paper & ink", body="Because *paper* lasts.")
    html = page(written.get_absolute_url())
    assert tag(html, "og:title") == "Paper & ink"
    assert tag(html, "og:description") == "Because paper lasts."
    assert tag(html, "og:type") == "article"
    assert tag(html, "og:url") == SITE + written.get_absolute_url()
    assert tag(html, "og:site_name") == "Rostra"
    assert tag(html, "og:locale") == "en_US"
    assert 'name="twitter:card" content="summary_large_image"' in html


def test_other_pages_have_tags_with_the_image_of_the_site(ada: User) -> None:
    post(ada)
    for address, kind, title in (
        ("/", "website", "Rostra"),
        ("/g/books/", "website", "Books: Hot"),
        ("/u/ada/", "profile", "ada"),
    ):
        html = page(address)
        assert tag(html, "og:type") == kind
        assert tag(html, "og:title") == title
        assert tag(html, "og:image") == f"{SITE}/preview.png"


def test_preview_follows_the_language_of_the_page(ada: User) -> None:
    html = reader(HTTP_ACCEPT_LANGUAGE="zh-hans").get("/").content.decode()
    assert tag(html, "og:locale") == "zh_CN"


def test_question_is_described_with_votes_and_accepted_answer(ada: User, bob: User) -> None:
    question = post(ada, "Which knot?", kind="question", body="For a *rope*.")
    answer, other = (add_comment(bob, question, text) for text in ("The bowline.", "Any."))
    vote(ada, answer, Vote.UP)
    reader(ada).post(f"/p/{question.pk}/accept", {"comment": answer.pk})
    found = structured(page(question.get_absolute_url()))
    assert (found["@context"], found["@type"]) == ("https://schema.org", "QAPage")
    entity = found["mainEntity"]
    assert (entity["@type"], entity["name"], entity["text"]) == (
        "Question",
        "Which knot?",
        "For a rope.",
    )
    assert entity["answerCount"] == 2
    assert entity["author"] == {"@type": "Person", "name": "ada", "url": f"{SITE}/u/ada/"}
    accepted = entity["acceptedAnswer"]
    assert (accepted["text"], accepted["upvoteCount"]) == ("The bowline.", 2)
    assert accepted["url"] == SITE + answer.get_absolute_url()
    assert [one["url"] for one in entity["suggestedAnswer"]] == [SITE + other.get_absolute_url()]


def test_discussion_is_described_with_its_visible_comments(ada: User, bob: User) -> None:
    link = post(ada, "Knots", kind="link", url="https://example.org/knots", body="")
    comment = add_comment(bob, link, "Neat.")
    removed = add_comment(bob, link, "Buy pills.")
    removals.remove(removed, by=person("root", is_superuser=True, is_staff=True), reason="spam")
    found = structured(page(link.get_absolute_url()))
    assert found["@type"] == "DiscussionForumPosting"
    assert found["headline"] == "Knots"
    assert found["commentCount"] == 1
    assert found["sharedContent"]["url"] == "https://example.org/knots"
    assert [(one["text"], one["author"]["name"]) for one in found["comment"]] == [("Neat.", "bob")]
    assert found["datePublished"] == link.created_at.isoformat(timespec="seconds")
    assert found["comment"][0]["url"] == SITE + comment.get_absolute_url()


def test_title_with_markup_stays_text(ada: User) -> None:
    title = '</script><script>alert("&amp;")</script>'
    html = page(post(ada, title, body="Text.").get_absolute_url())
    assert structured(html)["headline"] == title
    assert tag(html, "og:title") == title
    assert "<script>" not in html


def test_members_get_no_structured_data(ada: User) -> None:
    assert not JSON_LD.findall(page(post(ada).get_absolute_url(), ada))


def test_worker_draws_image_of_new_post_and_page_links_to_it(ada: User) -> None:
    written = post(ada, "Paper lasts")
    services.draw_new()
    answer = reader().get(image_path(written))
    assert answer["Content-Type"] == "image/png"
    assert "immutable" in answer["Cache-Control"]
    assert Image.open(BytesIO(answer.content)).size == (1_200, 630)


def test_image_changes_with_title_and_groups_but_not_with_comments(ada: User, bob: User) -> None:
    written = post(ada, "Paper")
    services.draw_new()
    first = image_path(written)
    add_comment(bob, written)
    services.draw_new()
    assert image_path(written) == first
    assert "immutable" in reader().get(first)["Cache-Control"]
    post_actions.change(written, title="Ink", body="Text.", groups=groups("maths"))
    assert image_path(written) != first
    services.draw_new()
    assert "immutable" in reader().get(image_path(written))["Cache-Control"]
    assert reader().get(first).status_code == 404


def assert_not_drawn_yet(path: str) -> None:
    answer = reader().get(path)
    assert (answer.status_code, answer.content) == (404, b"")
    assert answer["Retry-After"] == "5"
    assert "no-store" in answer["Cache-Control"]


def test_old_post_gets_image_when_a_page_asks_for_it(ada: User) -> None:
    written = post(ada, "Paper")
    Post.objects.update(created_at=timezone.now() - timedelta(days=9))
    services.draw_new()
    assert not PreviewImage.objects.exists()
    path = image_path(written)
    for _attempt in range(2):
        assert_not_drawn_yet(path)
    assert OutboxItem.objects.filter(kind="preview").count() == 1
    outbox.repeat(in_background=True)
    assert "immutable" in reader().get(path)["Cache-Control"]


def test_old_title_is_never_sent_for_a_new_one(ada: User) -> None:
    written = post(ada, "Paper")
    services.draw_new()
    post_actions.change(written, title="Ink", body="Text.", groups=groups("books"))
    path = image_path(written)
    assert_not_drawn_yet(path)
    outbox.repeat(in_background=True)
    assert "immutable" in reader().get(path)["Cache-Control"]


def test_image_with_older_points_is_sent_until_the_worker_has_drawn_a_new_one(ada: User) -> None:
    written = post(ada, "Paper")
    services.draw_new()
    first = reader().get(image_path(written))
    Post.objects.update(up=10)
    popular = card_of(Post.objects.get())
    path = f"/preview/{written.pk}/{popular.digest}.png"
    answer = reader().get(path)
    assert answer.content == first.content
    assert answer["Cache-Control"] == "public, max-age=60"
    outbox.repeat(in_background=True)
    assert reader().get(path).content != first.content
    assert "immutable" in reader().get(path)["Cache-Control"]


def test_wrong_address_of_an_image_lets_the_worker_draw_nothing(ada: User) -> None:
    written = post(ada)
    answer = reader().get(f"/preview/{written.pk}/0000000000000000.png")
    assert answer.status_code == 404
    assert "Retry-After" not in answer
    assert not OutboxItem.objects.filter(kind="preview").exists()
    assert reader().get(f"/preview/{written.pk + 1}/0000000000000000.png").status_code == 404


def test_worker_draws_missing_images_from_the_newest_to_the_oldest(
    ada: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(missing, "BATCH", 2)
    written = [post(ada, f"Post {number}") for number in range(5)]
    Post.objects.update(created_at=timezone.now() - timedelta(days=900))
    outbox.write(MissingPreviewsSync())
    outbox.repeat(in_background=True)
    assert set(PreviewImage.objects.values_list("pk", flat=True)) == {one.pk for one in written[3:]}
    while outbox.repeat(in_background=True):
        pass
    assert PreviewImage.objects.count() == 5
    assert not OutboxItem.objects.filter(kind=MissingPreviewsSync.kind).exists()


def test_no_more_missing_images_are_drawn_than_are_kept(
    ada: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(missing, "BATCH", 2)
    monkeypatch.setattr(missing, "MOST", 3)
    for number in range(6):
        post(ada, f"Post {number}")
    outbox.write(MissingPreviewsSync())
    while outbox.repeat(in_background=True):
        pass
    assert PreviewImage.objects.count() == 4


def test_votes_change_the_image_only_at_round_numbers() -> None:
    digests = [PreviewCard.of("Paper", ["books"], points).digest for points in range(-3, 21)]
    assert len(set(digests)) == 4, "below 5, from 5, from 10 and from 20"


def test_removed_post_has_neither_image_nor_words_in_its_page(ada: User) -> None:
    written = post(ada, "Secret title", body="Secret text.")
    services.draw_new()
    path = image_path(written)
    removals.remove(written, by=person("root", is_superuser=True, is_staff=True), reason="spam")
    assert reader().get(path).status_code == 404
    gone = page(written.get_absolute_url())
    assert "Secret text" not in gone
    assert "og:" not in gone
    own = page(written.get_absolute_url(), ada)
    assert 'name="robots" content="noindex"' in own
    assert "og:" not in own
    services.forget_old()
    assert not PreviewImage.objects.exists()


def test_only_the_newest_images_are_kept(ada: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "MOST", 2)
    written = [post(ada, f"Post {number}") for number in range(3)]
    for one in written:
        draw_image(one)
    services.forget_old()
    kept = set(PreviewImage.objects.values_list("pk", flat=True))
    assert kept == {one.pk for one in written[1:]}


@pytest.mark.parametrize(
    "title",
    ["为什么用纸。" * 33, "Donaudampfschifffahrt" * 9, "لماذا ما زلت", "🎉👩‍💻", "\uffff"],
    ids=["Chinese", "one long word", "Arabic", "emoji", "no character"],
)
def test_any_title_can_be_drawn(title: str) -> None:
    image = draw(PreviewCard.of(title, ["books"], 12))
    assert Image.open(BytesIO(image)).size == (1_200, 630)
    assert len(image) < 40_000


TAMIL, TIBETAN, MONGOLIAN = (
    "\u0ba8\u0bc2\u0bb2\u0bcd",
    "\u0f51\u0f7a\u0f56\u0f0b",
    "\u1828\u1823\u182e",
)
"""Words in scripts that none of the fonts has."""


@pytest.mark.parametrize(
    ("title", "drawn"),
    [
        (f"Reading {TAMIL} books", "Reading books"),
        (f"{TIBETAN}, {MONGOLIAN}: (2026)", "(2026)"),
        (f"{TAMIL}!", ""),
        ("\u0bc2 Paper \U0001f469\u200d\U0001f4bb\ufe0f", "Paper"),
        ("Pa\u0f7aper\u0bc2", "Paper"),
        ("Paper \u2013 ink", "Paper \u2013 ink"),
    ],
    ids=["Tamil", "Tibetan and Mongolian", "punctuation", "emoji", "foreign marks", "dash"],
)
def test_letters_and_marks_without_a_font_are_left_out(title: str, drawn: str) -> None:
    assert draw(PreviewCard.of(title, [], 0)) == draw(PreviewCard.of(drawn, [], 0))


@pytest.mark.parametrize(
    ("line", "right", "seen"),
    [
        ("GitHub \u05d0\u05d1", True, "\u05d1\u05d0 GitHub"),
        ("GitHub \u05d0\u05d1", False, "GitHub \u05d1\u05d0"),
        ("\u05d0\u05d1 C (D E) \u05d2", True, "\u05d2 C (D E) \u05d1\u05d0"),
        ("A (\u05d0\u05d1) 12", False, "A (\u05d1\u05d0) 12"),
        ("\u05d0\u05d1 1,234.5 $7", True, "$7 1,234.5 \u05d1\u05d0"),
        ("\u0643\u0644 3.5%", True, "%3.5 \u0644\u0643"),
        ("\u05d0\u05d1 - \u05d2?", False, "\u05d2 - \u05d1\u05d0?"),
    ],
)
def test_line_is_written_in_the_direction_of_the_title(line: str, right: bool, seen: str) -> None:
    font = load_default()
    runs = [Run(*pair) for pair in zip(line, repeat(font), levels(line, right=right), strict=False)]
    assert "".join(run.text for run in in_visual_order(runs)) == seen


def test_title_from_right_to_left_begins_at_the_right_in_each_line() -> None:
    title = "\u05dc\u05de\u05d4 \u05d0\u05e0\u05d9 " * 4 + "GitHub Actions " * 4
    image = Image.open(BytesIO(draw(PreviewCard.of(title, [], 0)))).convert("L")
    lines = [image.crop((0, top, 1_200, top + 90)) for top in (85, 165, 245)]
    for line in lines:
        box = line.point(lambda value: 255 if value < 128 else 0).getbbox()
        assert box
        assert box[2] > 1_100


def test_first_word_of_a_title_from_right_to_left_is_at_the_right() -> None:
    hebrew = "\u05dc\u05de\u05d4"
    titles = f"{hebrew} GitHub", hebrew
    pictures = [
        Image.open(BytesIO(draw(PreviewCard.of(one, [], 0)))).convert("L") for one in titles
    ]
    right_end = [picture.crop((1_020, 80, 1_120, 180)) for picture in pictures]
    different = difference(*right_end).point(lambda value: value > 128 and 255)
    assert sum(different.histogram()[128:]) < 100, "of 10,000 pixels"
