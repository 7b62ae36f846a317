"""Adds a button to a message that says what was done, to undo it."""

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from forum.text.sentences import sentence_space


def with_undo(sentence: str, address: str) -> SafeString:
    """Return a sentence with a button "Undo", which sends a form to the URL `address`."""
    button = format_html(
        '<button class="link" form="vote" formaction="{}">{}</button>', address, _("Undo")
    )
    return format_html("{}{}{}", sentence, sentence_space(), button)
