"""How often people may do things unless the environment says otherwise.

Each is "hits/seconds", several with a space between; nobody is without limits.
"""

from forum.config import environment
from voting.types.limits import Windows

EVERYBODY = {
    "comment": "1/5 2/60 4/300",
    "post": "1/10 5/600 50/86400",
    "edit": "5/30 20/300 200/86400",
    "vote": "20/10 60/60 1000/3600",
    "follow": "5/10 20/60 200/3600",
    "preview": "10/30 200/3600",
    "title": "10/60 100/3600",
    "signup": "10/600 50/86400",
    "login": "20/60 200/3600",
    "draft": "10/60 60/3600",
}
"""Sign-ups, log-ins and what is kept for a log-in (`draft`) are counted by address, the others by
person.
"""
NEWCOMERS = {
    "comment": "1/10 2/90 4/600 40/86400",
    "post": "1/20 3/600 10/86400",
    "edit": "3/30 10/300 40/86400",
    "vote": "10/10 30/60 200/3600",
    "follow": "3/10 10/60 30/3600",
    "preview": "10/30 60/3600",
    "title": "5/60 30/3600",
}
"""For people whose account is younger than NEW_PERSON."""
ACCOUNTS = {
    "login": "",
    "signup": "",
    "reset_password": "20/m/ip,100/d/ip,3/15m/key",
    "manage_email": "10/m/user,30/d/user",
}
"""What the accounts library counts by network address, by person, and by the address that a mail
goes to, spelt as it has that. Two are empty, being counted above. The others send mail to whoever
is named: strangers' letter boxes are not to be filled from here.
"""


def everybody() -> dict[str, Windows]:
    """Return the windows by action; `LIMIT_COMMENT` and so on replace the usual ones."""
    return {
        name: environment.windows(f"LIMIT_{name.upper()}", EVERYBODY[name]) for name in EVERYBODY
    }


def newcomers() -> dict[str, Windows]:
    """Return the windows of new people; `LIMIT_NEW_COMMENT` and so on replace the usual ones."""
    return {
        name: environment.windows(f"LIMIT_NEW_{name.upper()}", NEWCOMERS[name])
        for name in NEWCOMERS
    }
