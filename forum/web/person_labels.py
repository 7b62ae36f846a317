"""Shows a viewer's labels of people beside their names.

Cached HTML is shared between viewers, so the labels are added to the finished HTML of a page.
"""

import re

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from forum.identity.viewers import Viewer

NAME = re.compile(r'<a (?:class="author" )?href="/u/([^/"]+)/">\1</a>')
"""A link with a person's name. Links in people's texts differ, since they have a `rel`."""


def beside_names(html: str, person: Viewer | None) -> str:
    """Return HTML with the viewer's labels after the names of people who have one."""
    if person is None or not person.labels:
        return html
    labels = person.labels
    return NAME.sub(lambda name: name[0] + label_of(name[1], labels), html)


def label_of(name: str, labels: dict[str, str]) -> SafeString:
    """Return the HTML of the viewer's label of a person; "" without one."""
    label = labels.get(name)
    if not label:
        return SafeString("")
    tag = ' <span class="tag person-label" title="{}" dir="auto">{}</span>'
    return format_html(tag, _("Your label: only you see it"), label)
