"""Checks passwords at log-in, in the same time whether or not the account exists."""

from typing import Any

from django.contrib.auth.backends import ModelBackend
from django.http import HttpRequest

from forum.models import User
from forum.queries.email_addresses import owner
from forum.queries.people import find_login


class LoginBackend(ModelBackend):
    """Finds people by user name or email address, and computes one password hash in each case.

    Also returns people whose accounts are disabled: the accounts library shows them the reason, and
    Django ignores their sessions.
    """

    def authenticate(
        self,
        request: HttpRequest | None,
        username: str | None = None,
        password: str | None = None,
        **more: Any,
    ) -> User | None:
        """Return the person with this login and password, or None.

        `username` may be an email address. The library's log-in form passes the login as both, its
        page that asks for the password again passes the person's name and address.
        """
        login = username or more.get("email")
        if not login or not password:
            return None
        person = owner(login) if "@" in login else find_login(login)
        if person is None:
            User().set_password(password)
            return None
        return person if person.check_password(password) else None
