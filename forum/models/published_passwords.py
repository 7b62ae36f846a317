"""The log-ins of the demo content. Their passwords are published, so everybody knows them."""

from dataclasses import dataclass
from functools import lru_cache

from django.contrib.auth.hashers import check_password


@dataclass(frozen=True, slots=True)
class DemoLogin:
    """A user name of a demo person with its public password."""

    username: str
    password: str
    runs_the_site: bool = False
    moderates_the_site: bool = False
    is_new: bool = False
    """Whether the account is so new that some of its votes wait."""
    moderates: str = ""
    """The slug of the group that the person moderates; "" if there is none."""

    @property
    def origin(self) -> str:
        """Return the `User.origin` of the person, which stays the same if staff rename them."""
        return f"demo:{self.username}"

    @property
    def role(self) -> str:
        """Return a description of the person's role; "" for a member without a role."""
        if self.runs_the_site:
            return "a superuser (/admin/)"
        if self.moderates_the_site:
            return "a site moderator (/moderation)"
        if self.is_new:
            return "a new member, some of whose votes wait"
        return f"a moderator of /g/{self.moderates} (/moderation)" if self.moderates else ""


DEMO_LOGINS = (
    DemoLogin("ada", "rostra-demo-ada", runs_the_site=True),
    DemoLogin("kenji", "rostra-demo-kenji", moderates_the_site=True),
    DemoLogin("nadia", "rostra-demo-nadia", moderates="books"),
    DemoLogin("bram", "rostra-demo-bram"),
    DemoLogin("lucia", "rostra-demo-lucia"),
    DemoLogin("new_in_town", "rostra-demo-new_in_town", is_new=True),
)
PUBLISHED_PASSWORDS = frozenset(login.password for login in DEMO_LOGINS)


@lru_cache(maxsize=64)
def is_hash_of(password: str, password_hash: str) -> bool:
    """Return whether a stored hash is that of a published password.

    Remembers the answer for each hash, because Argon2 takes 100 MB and about 50 ms each time.
    """
    return check_password(password, password_hash)
