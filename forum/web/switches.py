"""What the switches in forms say."""

from django.http import HttpRequest

WORDS = {"1": True, "0": False, "on": True, "off": False}


def read(request: HttpRequest, name: str = "on") -> bool | None:
    """Return what a switch is to be; None where the form says neither."""
    return WORDS.get(request.POST.get(name, ""))
