"""A guest's wish to follow a person or a group, carried through log-in as a vote is.

The address of log-in names whom (`follow=u/ada`) or which group (`follow=g/books`), and the form
there repeats it in a hidden field. As with votes (`forum.web.pending_votes`), anybody can make such
an address, so the person is asked on a page of its own once they are in.
"""

from dataclasses import dataclass
from urllib.parse import quote, urlencode

from django.http import HttpRequest
from django.urls import reverse

from forum.models import Group, User
from forum.queries.people import find_person

SESSION_KEY = "follow_wish"
PERSON, GROUP = "u/", "g/"
"""What the two kinds begin with, as their pages' addresses do."""
LONGEST = 200
"""Characters that a name and its kind have at most."""


@dataclass(frozen=True, slots=True)
class FollowWish:
    """A person or group that somebody wants to follow."""

    followed: User | Group

    @property
    def name(self) -> str:
        return self.followed.username if isinstance(self.followed, User) else self.followed.title


def of(followed: User | Group) -> str:
    """Return how an address or form names what is to be followed."""
    if isinstance(followed, User):
        return f"{PERSON}{followed.username}"
    return f"{GROUP}{followed.slug}"


def login_address(followed: User | Group, next_url: str) -> str:
    """Return the address of log-in that carries a wish and then leads to `next_url`."""
    fields = {"next": next_url, "follow": of(followed)}
    return f"{reverse('account_login')}?{urlencode(fields, quote_via=quote, safe='/')}"


def carried(request: HttpRequest) -> FollowWish | None:
    """Return the wish in the address of log-in or sign-up, unless what it names is gone.

    One query at most.
    """
    return _find(request.GET.get("follow", ""))


def remember(request: HttpRequest, user_id: int) -> None:
    """Keep the wish of a log-in or sign-up form until that person is in, whoever comes first."""
    wish = request.POST.get("follow", "")
    if wish and len(wish) <= LONGEST:
        request.session[SESSION_KEY] = (user_id, wish)


def question(request: HttpRequest, user_id: int, back: str) -> str:
    """Return the address that asks a person about their wish and then leads to `back`, or `back`
    itself if they have none.
    """
    wisher, _wish = request.session.get(SESSION_KEY, (None, ""))
    if wisher != user_id:
        return back
    return f"{reverse('follow_confirm')}?{urlencode({'next': back}, quote_via=quote, safe='/')}"


def waiting(request: HttpRequest, user_id: int) -> FollowWish | None:
    """Return the wish that a person is to be asked about; None if it is to follow themselves.

    One query at most.
    """
    wisher, text = request.session.get(SESSION_KEY, (None, ""))
    wish = _find(text) if wisher == user_id else None
    oneself = wish and isinstance(wish.followed, User) and wish.followed.pk == user_id
    return None if oneself else wish


def forget(request: HttpRequest) -> None:
    """Forget the wish, whoever's it is."""
    request.session.pop(SESSION_KEY, None)


def _find(text: str) -> FollowWish | None:
    kind, name = text[: len(PERSON)], text[len(PERSON) :]
    if not name or not name.isprintable() or len(text) > LONGEST:
        return None
    followed: User | Group | None = None
    if kind == PERSON:
        followed = find_person(name)
    elif kind == GROUP:
        followed = Group.objects.filter(slug=name).first()
    return FollowWish(followed) if followed else None
