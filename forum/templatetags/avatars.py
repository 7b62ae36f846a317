"""Template tags for the names of authors, and the patterns beside them."""

from django import template
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from forum.models.deleted_names import is_deleted, shown_name
from forum.web import avatars

register = template.Library()
register.simple_tag(avatars.draw, name="avatar")


register.filter("shown_name", shown_name)


@register.simple_tag
def author_link(name: str, css_class: str = "") -> SafeString:
    """Return the name of an author with a link to the profile; "[deleted]" for deleted accounts."""
    if is_deleted(name):
        return format_html('<span class="author">{}</span>', shown_name(name))
    return _link("profile", name, css_class)


@register.simple_tag
def record_link(name: str) -> SafeString:
    """Return the name of a person with a link to the record; "[deleted]" for deleted accounts."""
    return format_html("{}", shown_name(name)) if is_deleted(name) else _link("person_record", name)


def _link(view: str, name: str, css_class: str = "") -> SafeString:
    css = format_html(' class="{}"', css_class) if css_class else ""
    return format_html('<a{} href="{}">{}</a>', css, reverse(view, args=[name]), name)
