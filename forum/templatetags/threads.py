"""Template tags of threads."""

from django import template
from django.utils.translation import gettext as _

from forum.queries.threads import ThreadPage
from forum.rendering import thread_pages
from forum.templatetags.listings import Choice
from voting.types.comments import Sort

register = template.Library()


@register.simple_tag
def sorts(thread: ThreadPage, base: str) -> list[Choice]:
    """Return links to the sorts of a thread."""
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
    """Return the address where a thread continues after this page."""
    return f"{thread_pages.address(base, thread.sort, thread.selection.last)}#comments"


@register.simple_tag
def start_address(thread: ThreadPage, base: str) -> str:
    """Return the address of the first page of a thread in the same sort."""
    return f"{thread_pages.address(base, thread.sort)}#comments"
