"""Makes URLs of posts safe to follow, and compares URLs to find links to the same page."""

import re
import unicodedata
from functools import lru_cache
from ipaddress import ip_address
from urllib.parse import SplitResult, urlsplit

from django.core.exceptions import ValidationError
from django.utils.encoding import iri_to_uri
from django.utils.translation import gettext_lazy as _
from url_normalize import url_normalize

from forum.text import same_page
from forum.text.same_page import Address

LONGEST = 2_000
"""Maximum number of characters in a URL, before and after it is converted to ASCII."""

RULES = same_page.load()

JOINERS = str.maketrans("", "", "\u200c\u200d")
"""Invisible characters that some Persian and Indian words contain."""
SCHEME = re.compile(r"([a-z][a-z0-9+.-]*):", re.IGNORECASE)
HOST_AND_PORT = re.compile(r"[^:/?#@]+:\d+(?:[/?#]|\Z)")
DOT = re.compile("[.\u3002\uff0e\uff61]")
"""The dots of a host name; browsers accept Chinese and Japanese full stops too."""
LABEL = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)")


def normalise(url: str) -> str:
    """Return a URL in ASCII, with its scheme and host in the usual spelling.

    Normalising a URL twice gives the same result. Raises ValidationError, with a message, if the
    URL is invalid or unsafe.
    """
    text = trim(url)
    _refuse_unreadable(text)
    try:
        parts = urlsplit(_with_scheme(text))
        address = _authority(parts) + _tail(parts)
    except ValueError as problem:
        raise ValidationError(_("This isn't a valid web address."), "invalid") from problem
    if len(address) > LONGEST:
        raise _too_long()
    return address


def trim(url: str) -> str:
    """Return a URL without spaces and invisible characters at its ends."""
    start, end = 0, len(url)
    while start < end and _is_unseen(url[start]):
        start += 1
    while start < end and _is_unseen(url[end - 1]):
        end -= 1
    return url[start:end]


def key(url: str) -> str:
    """Return the key by which URLs are compared: all URLs of a page have the same key.

    A key has at most `LONGEST` characters. It includes a fragment only if the fragment names a
    page, as `#!/story` and `#/story` do. Raises ValidationError if the URL is invalid.
    """
    parts = urlsplit(normalise(url))
    fragment = f"#{parts.fragment}" if parts.fragment.startswith(("!", "/")) else ""
    whole = urlsplit(str(url_normalize(parts._replace(netloc="x", fragment="").geturl())))
    host = parts.netloc.removesuffix(":80").removesuffix(":443")
    host = host.removeprefix("www.") if host.count(".") > 1 else host
    spaced = whole.query.replace("+", "%20")  # forms write a space as +, URLs as %20
    pairs = tuple(filter(None, spaced.split("&")))
    page = same_page.canonical(Address(host, whole.path.rstrip("/"), pairs), RULES)
    query = "?" + "&".join(sorted(page.parameters)) if page.parameters else ""
    return (page.host + page.path + query + fragment)[:LONGEST]


def _refuse_unreadable(text: str) -> None:
    if not text:
        raise ValidationError(_("Please enter a URL."), "required")
    if len(text) > LONGEST:
        raise _too_long()
    if any(unicodedata.category(one) in {"Cc", "Cf", "Cs"} for one in text.translate(JOINERS)):
        raise ValidationError(_("The URL contains invisible characters."), "invalid")


def _is_unseen(character: str) -> bool:
    return character.isspace() or unicodedata.category(character) in {"Cc", "Cf"}


def _too_long() -> ValidationError:
    return ValidationError(
        _("The URL can have at most %(most)s characters."), "long", {"most": LONGEST}
    )


def _with_scheme(text: str) -> str:
    """Add `https://` to a URL without a scheme, since people type `example.org/page`."""
    if text.startswith("//"):
        return f"https:{text}"
    scheme = SCHEME.match(text)
    if not scheme or HOST_AND_PORT.match(text):
        return f"https://{text}"
    if scheme[1].lower() not in {"http", "https"}:
        raise ValidationError(_("Only http and https URLs can be posted."), "scheme")
    return text


def _authority(parts: SplitResult) -> str:
    """Return the beginning of a URL, `https://host:port`, as browsers would write it.

    Raises ValidationError if the host is not allowed, and ValueError if the URL is invalid.
    """
    if "@" in parts.netloc:
        raise ValidationError(_("Remove the user name and password from the URL."), "userinfo")
    host = parts.hostname or ""
    if parts.netloc.startswith("["):
        host = f"[{ip_address(host).compressed}]"
    else:
        if not all(DOT.split(host)[:-1]):  # normalising would drop empty labels
            raise _odd_host()
        host = _host(host)
        _refuse_odd_host(host)
    default = {"http": 80, "https": 443}[parts.scheme]
    port = "" if parts.port in {None, default} else f":{parts.port}"
    return f"{parts.scheme}://{host}{port}"


@lru_cache(maxsize=1_024)
def _host(host: str) -> str:
    """Return a host name in ASCII. Cached, since people link to the same few sites."""
    return urlsplit(str(url_normalize(f"https://{host}/"))).netloc


def _refuse_odd_host(host: str) -> None:
    labels = host.split(".")
    if len(labels) < 2 or len(host) > 253 or not all(map(LABEL.fullmatch, labels)):
        raise _odd_host()
    if labels[-1].isdigit():
        ip_address(host)


def _odd_host() -> ValidationError:
    return ValidationError(_("The URL needs a full host name, such as example.org."), "host")


def _tail(parts: SplitResult) -> str:
    """Return the path, query and fragment of a URL in ASCII."""
    query = f"?{parts.query}" if parts.query else ""
    fragment = f"#{parts.fragment}" if parts.fragment else ""
    return str(iri_to_uri(f"{parts.path or '/'}{query}{fragment}"))
