"""ETags of responses, and conditions that are checked before a write: If-Match, If-None-Match.

The ETag of a post or comment begins with the fingerprint of its text. A write compares only that
part, so votes and comments of others don't get in its way.
"""

from hashlib import sha256
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils.cache import get_conditional_response
from django.utils.http import parse_etags
from django.utils.translation import gettext as _
from ninja.errors import HttpError

from forum.actions import edit_conflicts
from forum.models import Comment, Post
from forum.queries.merged_posts import surviving
from forum.web.methods import READING

LONGEST_ID = 15
"""The most digits of an id that SQL can look up."""


def check(request: HttpRequest, path: dict[str, Any]) -> None:
    """Raise HttpError (412) if a condition of a write isn't met.

    `path` contains the values from the address, such as the id of a post.
    """
    required, refused = (request.headers.get(name) for name in ("If-Match", "If-None-Match"))
    if request.method in READING or (required is None and refused is None):
        return
    text = _text(path)
    current = edit_conflicts.fingerprint(text) if text else None
    if required is not None and not _matches(parse_etags(required), current):
        raise HttpError(412, _("This was changed meanwhile, so nothing was done."))
    if refused is not None and _matches(parse_etags(refused.replace("W/", "")), current):
        raise HttpError(412, _("This is unchanged, so nothing was done."))
    request.fingerprint = current  # type: ignore[attr-defined]


def seen(request: HttpRequest, text: Post | Comment) -> str:
    """Return the fingerprint that an edit requires: the one that was checked, or the current."""
    checked: str | None = getattr(request, "fingerprint", None)
    return checked or edit_conflicts.fingerprint(text)


def shows(request: HttpRequest, fingerprint: str) -> None:
    """Note that the response is a post or comment with this fingerprint."""
    request.fingerprint = fingerprint  # type: ignore[attr-defined]
    request.shows_text = True  # type: ignore[attr-defined]


def mark(request: HttpRequest, response: HttpResponse) -> HttpResponse | None:
    """Add an ETag to a response. Return a response without content if a condition says so."""
    is_text, reads = hasattr(request, "shows_text"), request.method in READING
    if response.status_code not in {200, 202} or not (reads or is_text):
        return None
    begin = f"{request.fingerprint}." if is_text else ""  # type: ignore[attr-defined]
    response["ETag"] = f'"{begin}{sha256(response.content).hexdigest()[:32]}"'
    if not reads:
        return None
    known = get_conditional_response(request, response["ETag"], None, response)
    return known if isinstance(known, HttpResponse) and known is not response else None


def _matches(tags: list[str], current: str | None) -> bool:
    if current is None:
        return False
    return "*" in tags or any(tag.strip('"').partition(".")[0] == current for tag in tags)


def _text(path: dict[str, Any]) -> Post | Comment | None:
    """Return the post or comment that an address is about; None for other addresses."""
    ids = {name: value for name, value in path.items() if len(str(value)) <= LONGEST_ID}
    if "comment_id" in ids:
        return Comment.objects.filter(pk=ids["comment_id"]).first()
    post = Post.objects.filter(pk=ids["post_id"]).first() if "post_id" in ids else None
    return surviving(post) if post else None
