"""A guest's wish to vote, carried through log-in and cast afterwards.

An arrow that a guest sees leads to log-in and carries the wish in the address; the form there
repeats it in hidden fields (`partials/vote_wish.html`), so that nothing happens by a GET. The
account adapter calls `remember` when a name and password were right, and `grant` when the person
is in: between the two there may be a second factor or a confirmed e-mail. It calls `tell` where
the next page would not show the vote.
"""

from urllib.parse import quote, urlencode, urlsplit

from django.contrib import messages
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext as _

from forum.models import Post
from forum.pages import refusals
from forum.pages.addresses import is_number
from forum.store import voting
from voting.errors import StoreUnavailable, UnknownTarget, VotingClosed
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


def remember(request: HttpRequest, user_id: int) -> None:
    """Keep the wish of a log-in or sign-up form until that person is in, whoever comes first."""
    vote = request.POST.get("vote", "")
    post_id, comment_id = request.POST.get("post", ""), request.POST.get("comment") or "0"
    if vote in WORDS and is_number(post_id) and is_number(comment_id):
        request.session[SESSION_KEY] = (user_id, vote, int(post_id), int(comment_id))


def grant(request: HttpRequest, user_id: int) -> Target | None:
    """Cast the wish, if there is one, and return for what a vote is counted now. A vote that can't
    be cast never stands in the way of log-in: the next page says why. One round trip.
    """
    wisher, *wish = request.session.pop(SESSION_KEY, (None,))
    if wisher == user_id:
        vote, *place = wish
        target = Target(*place)
        try:
            if voting().cast_vote(user_id, target, WORDS[vote]).vote != Vote.NONE:
                return target
        except (VotingClosed, UnknownTarget, StoreUnavailable) as refusal:
            messages.warning(request, refusals.why_not_cast(refusal))
    return None


def shows(address: str, target: Target) -> bool:
    """Say whether an address leads to the very row or comment that was voted on."""
    place = f"comment-{target.comment_id}" if target.comment_id else f"post-{target.post_id}"
    return urlsplit(address).fragment == place


def tell(request: HttpRequest, target: Target) -> None:
    """Say that a vote is counted, with the way to what it was cast on, if that is still there."""
    post = Post.objects.only("title").filter(pk=target.post_id).first()
    if post:
        address = post.get_absolute_url()
        if target.comment_id:
            address = reverse("comment", args=[target.post_id, target.comment_id])
        link = format_html('<a href="{}">{}</a>', address, post.title)
        messages.success(request, format_html(_("Your vote is counted: {title}"), title=link))
