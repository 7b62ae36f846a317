"""Template tags for threads."""

from django import template
from django.utils.translation import gettext as _

from forum.queries.threads import ThreadPage
from forum.templatetags.listings import Choice
from forum.web import thread_pages
from voting.types.comments import Sort

register = template.Library()


@register.simple_tag
def sorts(thread: ThreadPage, base: str) -> list[Choice]:
    """Return the links to a thread's sort orders."""
    labels = {
        Sort.BEST: _("Best"),
        Sort.TOP: _("Top"),
        Sort.NEW: _("New"),
        Sort.OLD: _("Old"),
        Sort.CONTROVERSIAL: _("Controversial"),
    }
    return [
        Choice(label, f"{thread_pages.address(base, sort)}#comments", sort is thread.sort)
        for sort, label in labels.items()
    ]


@register.simple_tag
def more_address(thread: ThreadPage, base: str) -> str:
    """Return the URL of the next page of a thread."""
    return f"{thread_pages.address(base, thread.sort, thread.selection.last)}#comments"


@register.simple_tag
def start_address(thread: ThreadPage, base: str) -> str:
    """Return the URL of a thread's first page, in the current sort order."""
    return f"{thread_pages.address(base, thread.sort)}#comments"
