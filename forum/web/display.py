"""The look of pages in a browser: theme, contrast, text size, density, avatars and keys.

The choice is stored in a cookie and becomes the class of `<html>`. Nothing else on a page depends
on it, so cached parts of pages are shared.
"""

from functools import cache
from itertools import product
from typing import NamedTuple

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from forum.web.placeholders import named

COOKIE = f"{settings.HOST_COOKIE}display"
CHOICES = {
    "theme": ("system", "light", "dark"),
    "contrast": ("normal", "high"),
    "text": ("normal", "small", "large"),
    "density": ("comfortable", "compact"),
    "avatars": ("on", "off"),
    "keys": ("on", "off"),
}
"""The values of each choice, first the default. The others become classes, such as `theme-dark`."""


class Display(NamedTuple):
    """One value of each choice."""

    theme: str = "system"
    contrast: str = "normal"
    text: str = "normal"
    density: str = "comfortable"
    avatars: str = "on"
    keys: str = "on"


class Marks(NamedTuple):
    """The HTML that sets the look of a page."""

    attribute: SafeString
    """The class attribute of `<html>` with a space before it; "" for the defaults."""
    scheme: str
    """The content of `<meta name="color-scheme">`, which colours the window before the page."""
    bands: SafeString
    """The tags that give a phone's status bar the colour of the page's header."""


DEFAULT = Display()
BANDS = {"light": "#5c1a40", "dark": "#23121d"}
"""The colour of the header in each theme."""
BY_COOKIE = {".".join(values): Display(*values) for values in product(*CHOICES.values())}
"""All values that the cookie may have. There are 144."""
PLACEHOLDERS = Marks(*named(*Marks._fields).values())


def display_of(request: HttpRequest) -> Display:
    """Return the choices of a browser. A cookie with any other value counts as none."""
    return BY_COOKIE.get(request.COOKIES.get(COOKIE, ""), DEFAULT)


def marks_of(request: HttpRequest) -> Marks:
    """Return the HTML for the choices of a browser."""
    return _marks(display_of(request))


def store(response: HttpResponse, display: Display) -> None:
    """Set the cookie; remove the cookie if everything is the default."""
    if display == DEFAULT:
        response.delete_cookie(COOKIE)
        return
    response.set_cookie(
        COOKIE,
        ".".join(display),
        max_age=settings.LANGUAGE_COOKIE_AGE,
        secure=settings.LANGUAGE_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


@cache
def _marks(display: Display) -> Marks:
    chosen = (pair for pair in display._asdict().items() if pair[1] != CHOICES[pair[0]][0])
    classes = " ".join(f"{name}-{value}" for name, value in chosen)
    attribute = format_html(' class="{}"', classes) if classes else SafeString("")
    scheme = "light dark" if display.theme == "system" else display.theme
    return Marks(attribute, scheme, _bands(display.theme))


def _bands(theme: str) -> SafeString:
    """Return the tags with the header's colour: one, or one for each theme of the system."""
    if theme in BANDS:
        return format_html('<meta name="theme-color" content="{}">', BANDS[theme])
    return format_html_join(
        "\n",
        '<meta name="theme-color" content="{}" media="(prefers-color-scheme: {})">',
        ((colour, scheme) for scheme, colour in BANDS.items()),
    )
