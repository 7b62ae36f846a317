"""People automatically watch threads that they write in, unless a preference turns this off."""

import pytest
from django.test import Client

from forum.models import Post, User, Watch
from tests.forum.comments import add_comment
from tests.forum.factories import groups, person, post, reader

pytestmark = pytest.mark.django_db(transaction=True)
SENTENCE = "You now watch this thread: new comments appear in your inbox."


def send(window: Client, on: Post, body: str = "So it is.") -> str:
    """Send a comment with the form, and return the HTML of the next page."""
    response = window.post(f"/p/{on.pk}/comment", {"body": body}, follow=True)
    assert response.status_code == 200
    return response.content.decode()


def test_first_comment_in_a_thread_says_that_it_is_now_watched(bob: User, written: Post) -> None:
    window = reader(bob)
    html = send(window, written)
    assert SENTENCE in html
    button = f'formaction="/p/{written.pk}/watch" name="on" value="0">Stop watching</button>'
    assert button in html
    assert SENTENCE not in window.get(written.get_absolute_url()).content.decode(), "shown once"
    Watch.objects.filter(user=bob).update(on=False)
    assert SENTENCE not in send(window, written, "And so on."), "stopping to watch is respected"
    assert not Watch.objects.get(user=bob).on


def test_new_post_says_that_its_thread_is_watched(bob: User) -> None:
    groups("books")
    form = {"kind": "text", "title": "A title", "body": "Words.", "groups": ["books"]}
    html = reader(bob).post("/submit", form, follow=True).content.decode()
    assert SENTENCE in html
    assert Watch.objects.filter(user=bob, on=True).exists()


def test_with_auto_watching_off_people_watch_only_what_they_choose(
    bob: User, written: Post
) -> None:
    window = reader(bob)
    preferences = {"told": ["reply"], "digest": "none", "keeps_history": "on"}
    window.post("/preferences", preferences)
    bob.refresh_from_db()
    assert not bob.watches_own
    assert SENTENCE not in send(window, written)
    post(bob)
    assert not Watch.objects.filter(user=bob).exists()
    window.post(f"/p/{written.pk}/watch", {"on": "1"})
    assert Watch.objects.get(user=bob).post == written
    add_comment(person("carol"), written)


def test_preferences_offer_auto_watching_and_it_is_on_by_default(bob: User) -> None:
    html = reader(bob).get("/preferences").content.decode()
    assert "Watch threads I write in" in html
    assert bob.watches_own
