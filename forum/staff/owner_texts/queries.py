"""Texts of owners, cached in this process, so that pages need no query for them."""

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256

from django.conf import settings
from django.utils.translation import get_language

from forum.models import SiteIdentity, SiteText
from forum.queries.process_cache import Remembered
from forum.staff.owner_texts import logos

HIGH = 28
"""Pixels (of CSS) that the logo is high in the header."""


@dataclass(frozen=True, slots=True)
class Identity:
    """What the header, the footer and the front page show of the site."""

    tagline: str = ""
    logo: str = ""
    """The name of the logo in its address, which changes with the logo; "" for none."""
    logo_width: int = 0
    """Width in pixels at a height of `logo_height`."""
    logo_height: int = HIGH
    pages: tuple[str, ...] = ()
    """The pages that owners wrote."""


@dataclass(frozen=True, slots=True)
class OwnerTexts:
    """All that owners wrote."""

    identity: Identity
    logo: bytes
    texts: Mapping[tuple[str, str], str]
    """HTML by page and language."""

    def text(self, page: str) -> str:
        """Return a page's HTML in the active language, or in another; "" for an unwritten page."""
        wanted = (get_language() or "", "", settings.LANGUAGE_CODE)
        found = (self.texts.get((page, language)) for language in wanted)
        others = (html for (name, _), html in self.texts.items() if name == page)
        return next(filter(None, found), "") or next(others, "")


def _read() -> OwnerTexts:
    """Two queries."""
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


written = Remembered(_read, OwnerTexts(Identity(), b"", {}))
"""The texts of owners. At most two queries every two seconds."""
