"""Renders the marks beside the names of staff and moderators."""

from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from forum.queries import role_marks
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


def beside_name(html: str, name: str) -> str:
    """Return the HTML of a post's head with the mark of its author after the name."""
    mark = render(role_marks.of_name(name))
    if not mark:
        return html
    link = f'href="{reverse("profile", args=[name])}">{name}</a>'
    return html.replace(link, f"{link}{mark}", 1)
