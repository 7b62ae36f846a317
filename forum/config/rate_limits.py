"""The default rate limits, which apply to everybody, including staff.

"1/5 2/60" allows a person one action in 5 seconds and two in 60 seconds. Environment variables can
replace these limits.
"""

from forum.config import environment
from voting.types.limits import Windows

EVERYBODY = {
    "comment": "1/5 2/60 4/300",
    "post": "1/10 5/600 50/86400",
    "edit": "5/30 20/300 200/86400",
    "vote": "20/10 60/60 1000/3600",
    "follow": "5/10 20/60 200/3600",
    "flag": "10/3600 30/86400",
    "preview": "10/30 200/3600",
    "title": "10/60 100/3600",
    "signup": "10/600 50/86400",
    "login": "20/60 200/3600",
    "draft": "20/60 400/3600",
    "api": "60/60 1000/3600",
    "search": "20/30 60/300 300/3600",
    "similar": "30/30 100/300 500/3600",
    "complete": "30/10 100/60 1000/3600",
}
"""Rate limits by action.

Sign-ups, log-ins, and guests' drafts and searches are counted per network, all other actions per
person. The browser saves a draft at each pause in typing.
"""
NEWCOMERS = {
    "comment": "1/10 2/90 4/600 40/86400",
    "post": "1/20 3/600 10/86400",
    "edit": "3/30 10/300 40/86400",
    "vote": "10/10 30/60 200/3600",
    "follow": "3/10 10/60 30/3600",
    "flag": "2/3600 5/86400",
    "preview": "10/30 60/3600",
    "title": "5/60 30/3600",
    "search": "20/30 60/300 300/3600",
    "api": "60/60 1000/3600",
    "similar": "30/30 100/300 500/3600",
    "complete": "30/10 100/60 1000/3600",
    "draft": "20/60 400/3600",
}
"""Rate limits by action for accounts younger than NEW_PERSON."""
CONFIRMATION_MINUTES = 3
"""How long an address gets no other email with a link to confirm it."""
ACCOUNTS = {
    "login": "",
    "signup": "",
    "reset_password": "20/m/ip,100/d/ip,3/15m/key",
    "manage_email": "10/m/user,30/d/user",
    "confirm_email": f"1/{CONFIRMATION_MINUTES}m/key",
}
"""Rate limits of django-allauth: per IP address (`ip`), person (`user`) or email address (`key`).

They protect strangers' mailboxes, because anybody can enter any email address. Log-in and sign-up
are empty, because `EVERYBODY` limits them.
"""


def everybody() -> dict[str, Windows]:
    """Return each action's rate limits. Variables such as `LIMIT_COMMENT` replace the defaults."""
    return {
        name: environment.windows(f"LIMIT_{name.upper()}", EVERYBODY[name]) for name in EVERYBODY
    }


def newcomers() -> dict[str, Windows]:
    """Return the rate limits of new accounts, by action.

    Environment variables such as `LIMIT_NEW_COMMENT` replace the defaults.
    """
    return {
        name: environment.windows(f"LIMIT_NEW_{name.upper()}", NEWCOMERS[name])
        for name in NEWCOMERS
    }
