"""After an upgrade, operators run commands that recompute stored HTML and URL keys."""

from io import StringIO

import pytest
from django.core.management import call_command

from forum.errors import Duplicate
from forum.models import Comment, OutboxItem, Post, User
from forum.store import post_sync
from forum.store.service import get_voting_service
from tests.forum.comments import add_comment
from tests.forum.factories import person, post, reader

pytestmark = [pytest.mark.django_db, pytest.mark.dialect]
LONG, SHORT = "https://www.youtube.com/watch?v=aBC123Def45", "https://youtu.be/aBC123Def45"


def run(command: str) -> str:
    """Run a `manage.py` command, and return what the command prints."""
    output = StringIO()
    call_command(command, stdout=output)
    return output.getvalue().strip()


def test_an_older_post_is_recognised_by_a_new_rule_once_keys_are_recomputed(ada: User) -> None:
    old = post(ada, kind="link", url=SHORT)
    untouched = post(ada, kind="link", url="https://example.org/")
    post(ada)
    Post.objects.filter(pk=old.pk).update(url_key="youtu.be/aBC123Def45")
    assert run("recompute_addresses") == "Checked 2 URLs, changed 1."
    assert run("recompute_addresses") == "Checked 2 URLs, changed 0."
    with pytest.raises(Duplicate) as known:
        post(person("bob"), kind="link", url=LONG)
    assert known.value.post == old
    untouched.refresh_from_db()
    assert untouched.url_key == "example.org"


def test_stored_html_follows_the_present_markup_in_posts_and_newest_comments(ada: User) -> None:
    written = post(ada, body="See www.example.org, @ada.")
    comment = add_comment(ada, written, "See www.example.org, @ada.")
    fresh = written.body_html
    Post.objects.update(body_html="<p>old</p>")
    Comment.objects.update(body_html="<p>old</p>")
    assert run("render_texts") == "Checked 2 texts, changed 2."
    assert run("render_texts") == "Checked 2 texts, changed 0."
    written.refresh_from_db()
    comment.refresh_from_db()
    assert written.body_html == comment.body_html == fresh
    assert OutboxItem.objects.latest("pk").details["comment_id"] == comment.pk
    post_sync.deliver([written.pk])
    get_voting_service().maintenance.generations.current()
    page = reader().get("/comments").content.decode()
    assert '<a href="https://www.example.org"' in page
