"""Renders the marks beside the names of staff and moderators."""

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from forum.queries.role_marks import RoleMark

TAG = ' <span class="tag role">{}</span>'


def render(mark: RoleMark) -> SafeString:
    """Return the HTML of a mark; "" without one."""
    if mark.is_staff:
        return format_html(TAG, _("staff"))
    if not mark.group:
        return SafeString("")
    if not mark.more:
        return format_html(TAG, _("moderator of /g/%(group)s") % {"group": mark.group})
    many = mark.more + 1
    text = ngettext("moderator of %(many)s group", "moderator of %(many)s groups", many)
    return format_html(TAG, text % {"many": many})
