"""Saves the owners' texts, the site's tagline and its logo.

The process that saves a change shows it at once, other processes within two seconds.
"""

from django.db import transaction

from forum.models import SiteIdentity, SiteText
from forum.queries import logos
from forum.queries.owner_texts import written
from forum.text import markup


@transaction.atomic
def save_text(text: SiteText) -> None:
    """Save a page's text, and the HTML rendered from it."""
    text.body_html = markup.render(text.body)
    text.save()
    transaction.on_commit(written.forget)


@transaction.atomic
def delete_text(text: SiteText) -> None:
    """Delete a page's text in one language. After its last text, the page no longer exists."""
    text.delete()
    transaction.on_commit(written.forget)


@transaction.atomic
def save_identity(*, tagline: str, logo: bytes | None) -> SiteIdentity:
    """Save the tagline and the logo.

    If `logo` is None, the present logo stays; empty bytes remove the logo. Raises ValidationError
    if the file is not allowed as a logo.
    """
    if logo:
        logos.check(logo)
    saved, _created = SiteIdentity.objects.get_or_create(pk=SiteIdentity.ONLY)
    saved.tagline = tagline
    if logo is not None:
        saved.logo = logo
    saved.save()
    transaction.on_commit(written.forget)
    return saved
