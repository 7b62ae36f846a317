"""Tags, structured data and images, which chat apps and search engines read from a page."""

import json
import re
from datetime import timedelta
from html import unescape
from io import BytesIO
from typing import Any

import pytest
from django.utils import timezone
from PIL import Image

from forum.actions import posts as post_actions
from forum.models import OutboxItem, Post, PreviewImage, User
from forum.moderation.actions import removals
from forum.previews import services
from forum.previews.card import PreviewCard
from forum.previews.drawing import draw
from forum.previews.images import draw_image
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
    assert "immutable" not in reader().get(first)["Cache-Control"]


def test_old_post_gets_image_when_a_page_asks_for_it(ada: User) -> None:
    written = post(ada, "Paper")
    Post.objects.update(created_at=timezone.now() - timedelta(days=9))
    services.draw_new()
    assert not PreviewImage.objects.exists()
    path = image_path(written)
    site = reader().get("/preview.png").content
    for _attempt in range(2):
        answer = reader().get(path)
        assert answer.content == site
        assert answer["Cache-Control"] == "public, max-age=60"
    assert OutboxItem.objects.filter(kind="preview").count() == 1
    outbox.repeat(in_background=True)
    assert "immutable" in reader().get(path)["Cache-Control"]


def test_wrong_address_of_an_image_lets_the_worker_draw_nothing(ada: User) -> None:
    written = post(ada)
    assert reader().get(f"/preview/{written.pk}/0000000000000000.png").status_code == 200
    assert not OutboxItem.objects.filter(kind="preview").exists()
    assert reader().get(f"/preview/{written.pk + 1}/0000000000000000.png").status_code == 404


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
    assert tag(own, "og:image") == f"{SITE}/preview.png"
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
