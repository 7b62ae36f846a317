"""A guest's wish to vote, carried through log-in and cast afterwards.

An arrow that a guest sees leads to log-in and carries the wish in the address; the form there
repeats it in hidden fields (`partials/vote_wish.html`), so that nothing happens by a GET. The
account adapter calls `remember` when a name and password were right, and `grant` when the person
is in: between the two there may be a second factor or a confirmed e-mail.
"""

from contextlib import suppress
from urllib.parse import quote, urlencode

from django.http import HttpRequest
from django.urls import reverse

from forum.store import voting
from voting.errors import VotingError
from voting.types import Target, Vote

WORDS = {"up": Vote.UP, "down": Vote.DOWN, "none": Vote.NONE}
"""What forms say, and the votes that it stands for."""
SESSION_KEY = "vote_wish"


def login_address(vote: str, target: Target, next_url: str) -> str:
    """Return the address of log-in that carries a wish and then leads to `next_url`."""
    fields = {"next": next_url, "vote": vote, "post": target.post_id}
    if target.comment_id:
        fields["comment"] = target.comment_id
    return f"{reverse('account_login')}?{urlencode(fields, quote_via=quote, safe='/')}"


def remember(request: HttpRequest) -> None:
    """Keep the wish of a log-in or sign-up form until the person is in."""
    vote = request.POST.get("vote", "")
    post_id, comment_id = request.POST.get("post", ""), request.POST.get("comment") or "0"
    if vote in WORDS and _is_number(post_id) and _is_number(comment_id):
        request.session[SESSION_KEY] = (vote, int(post_id), int(comment_id))


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 11


def grant(request: HttpRequest, user_id: int) -> None:
    """Cast the wish, if there is one. A vote that can't be cast never stands in the way of log-in:
    the post itself then says that voting has closed. One round trip.
    """
    wish = request.session.pop(SESSION_KEY, None)
    if wish:
        vote, *target = wish
        with suppress(VotingError):
            voting().cast_vote(user_id, Target(*target), WORDS[vote])
