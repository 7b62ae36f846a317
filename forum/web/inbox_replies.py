"""Handles replies to comments that people send from their inbox."""

from django.contrib import messages
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext as _

from forum.actions import unread
from forum.identity.viewers import member
from forum.models import Comment
from forum.text.sentences import sentence_space
from forum.web.addresses import is_number
from forum.web.redirects import origin


def back_to_item(request: HttpRequest, written: Comment) -> str:
    """Mark an inbox item as read after a reply from the inbox, and return the item's URL.

    Adds a message with a link to the reply. Returns "" if the reply was not sent from the inbox.
    """
    item = request.POST.get("item", "")
    if not is_number(item):
        return ""
    unread.mark_item(member(request).pk, int(item))
    link = format_html(
        '<a href="{}">{}</a>', written.get_absolute_url(), _("See your reply in the thread")
    )
    messages.success(
        request, format_html("{}{}{}", _("Your reply was sent."), sentence_space(), link)
    )
    return f"{origin(request, reverse('inbox'))}#item-{int(item)}"
