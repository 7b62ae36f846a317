"""Stores messages such as "Saved" in a cookie until the person's next page."""

from django.conf import settings
from django.contrib.messages.storage.cookie import CookieStorage

COOKIE = f"{settings.HOST_COOKIE}messages"


class MessageStorage(CookieStorage):
    """Django's storage of messages in a cookie, with our name for the cookie."""

    cookie_name = COOKIE
