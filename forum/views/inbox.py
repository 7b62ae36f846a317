"""The inbox: a person's notifications."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.middleware.csrf import get_token
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _

from forum.actions import unread
from forum.errors import Invalid
from forum.identity.viewers import viewer
from forum.identity.visitors import views
from forum.models import InboxItem
from forum.queries import inbox as items
from forum.web import addresses, inbox_html
from forum.web.addresses import is_number
from forum.web.login_required import login_required
from forum.web.methods import require_POST, require_safe
from forum.web.redirects import origin, redirect_303

ALL = "all"


@require_safe
@login_required
def inbox(request: HttpRequest) -> HttpResponse:
    """Show a page of inbox items, and correct the unread count in the header."""
    kind = request.GET.get("kind", "")
    if kind not in items.TABS:
        raise Http404("no such kind")
    user_id = _reader(request)
    counts = unread.recount(request, user_id)
    found = items.threads(user_id, kind, addresses.before(request.GET))
    csrf_token = get_token(request)
    context = {
        "page": found,
        "items": inbox_html.render(request, found.threads, csrf_token),
        "csrf_token": csrf_token,  # so that the page's other forms don't make another
        "kind": kind,
        "tabs": items.tabs(kind, counts),
        "unread_here": counts.get(kind, 0) if kind else sum(counts.values()),
        "nav": "inbox",
    }
    return render(request, "inbox.html", context)


@require_safe
@login_required
def item(request: HttpRequest, item_id: int) -> HttpResponse:
    """Redirect to the subject of an inbox item.

    The item is marked as read, unless the browser is only prefetching the page.
    """
    user_id = _reader(request)
    found = items.find(user_id, item_id)
    if found is None:
        raise Http404("no such item")
    if found.read_at is None and views(request):
        unread.mark_item(user_id, item_id)
    return redirect_303(_address(found))


@require_POST
@login_required
def read(request: HttpRequest) -> HttpResponse:
    """Mark inbox items as read.

    The form contains the id of one `item`, or a `kind` of items. The kind "all" marks every item.
    """
    user_id, kind = _reader(request), request.POST.get("kind", "")
    item_id, back = request.POST.get("item", ""), origin(request, reverse("inbox"))
    if is_number(item_id):
        unread.mark_item(user_id, int(item_id))
        back = f"{back}#item-{int(item_id)}"
    elif kind == ALL:
        unread.mark_all(user_id)
        messages.success(request, _("Everything was marked as read."))
    elif kind in InboxItem.Kind:
        unread.mark_kind(user_id, kind)
    else:
        raise Invalid(_('Missing field: send either "item" or "kind".'))
    return redirect_303(back)


def _reader(request: HttpRequest) -> int:
    person = viewer(request)
    return person.id if person else 0


def _address(found: InboxItem) -> str:
    if found.comment and not found.comment.deleted_at:
        return found.comment.get_absolute_url()
    if found.post:
        return found.post.get_absolute_url()
    if found.kind == InboxItem.Kind.FLAG:
        return reverse("flags")
    if found.conversation:
        return found.conversation.get_absolute_url()
    if found.kind == InboxItem.Kind.FOLLOWER:
        return found.actor.get_absolute_url()
    return f"{reverse('inbox')}?kind={found.kind}#item-{found.pk}"
