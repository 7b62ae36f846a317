"""The owners' texts, tagline and logo, cached in this process so that pages need no query."""

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256

from django.conf import settings
from django.utils.translation import get_language

from forum.models import SiteIdentity, SiteText
from forum.queries import logos
from forum.queries.process_cache import ProcessCache

HIGH = 28
"""Height of the logo in the header, in CSS pixels."""


@dataclass(frozen=True, slots=True)
class Identity:
    """The site's tagline and logo, and the names of the pages that owners have written."""

    tagline: str = ""
    logo: str = ""
    """The logo's file name, which changes when the logo changes; "" for no logo."""
    logo_width: int = 0
    """Width of the logo in pixels when its height is `logo_height`."""
    logo_height: int = HIGH
    pages: tuple[str, ...] = ()
    """The names of the pages that owners have written."""


@dataclass(frozen=True, slots=True)
class OwnerTexts:
    """All texts of the owners, with the tagline and the logo."""

    identity: Identity
    logo: bytes
    texts: Mapping[tuple[str, str], str]
    """The HTML of each text, by page and language."""

    def text(self, page: str) -> str:
        """Return a page's HTML, in the active language if possible; "" if the page has no text."""
        languages = (get_language() or "", "", settings.LANGUAGE_CODE)
        found = (self.texts.get((page, language)) for language in languages)
        others = (html for (name, _), html in self.texts.items() if name == page)
        return next(filter(None, found), "") or next(others, "")


def _read() -> OwnerTexts:
    """Read all texts, the tagline and the logo from SQL."""
    rows = SiteText.objects.values_list("page", "language", "body_html")
    texts = {(page, language): html for page, language, html in rows}
    saved = SiteIdentity.objects.first() or SiteIdentity()
    pages = tuple(sorted({page for page, _ in texts}))
    logo = bytes(saved.logo)
    if not logo:
        return OwnerTexts(Identity(tagline=saved.tagline, pages=pages), b"", texts)
    width, height = logos.size(logo)
    identity = Identity(
        tagline=saved.tagline,
        logo=sha256(logo).hexdigest()[:16],
        logo_width=max(1, round(width * HIGH / height)),
        pages=pages,
    )
    return OwnerTexts(identity, logo, texts)


written = ProcessCache(_read, OwnerTexts(Identity(), b"", {}))
"""The owners' texts, tagline and logo."""
