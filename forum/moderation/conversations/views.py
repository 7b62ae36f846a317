"""The pages on which people and moderators read and write conversations."""

from functools import partial

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _

from forum.actions import unread
from forum.identity import permissions
from forum.identity.viewers import member, member_viewer, powers
from forum.identity.visitors import views
from forum.models import Conversation, Group
from forum.moderation.access import readers_of_queue
from forum.moderation.conversations import queries, services
from forum.moderation.conversations.forms import MessageForm
from forum.web import addresses, drafts
from forum.web.login_required import login_required
from forum.web.methods import require_form, require_POST, require_safe
from forum.web.previews import throttle_long_text
from forum.web.problems import NOT_SAVED, problem_above_form
from forum.web.redirects import redirect_303

State = Conversation.State


@require_safe
@login_required
def mine(request: HttpRequest) -> HttpResponse:
    """Show a person's own conversations with moderators."""
    before = addresses.before(request.GET)
    page = queries.of_person(member_viewer(request).id, before)
    return render(request, "moderation/conversations.html", {"page": page, "nav": "inbox"})


@require_form
@login_required
def conversation(request: HttpRequest, conversation_id: int) -> HttpResponse:
    """Show a conversation (GET), or save a reply by the person or a moderator (POST).

    When the person opens the page, the conversation's inbox items are marked as read.
    """
    found = _found(request, conversation_id)
    if request.method == "POST":
        throttle_long_text(request, request.POST.get("body", ""))
        form = MessageForm(request.POST)
        page = partial(_page, request, found, form)
        if not form.is_valid():
            return page(status=422)
        try:
            written = services.write(found, by=member(request), body=form.cleaned_data["body"])
        except NOT_SAVED as error:
            return problem_above_form(request, error, page)
        return redirect_303(f"{found.get_absolute_url()}#message-{written.pk}")
    if found.user_id == member_viewer(request).id and views(request):
        unread.mark_conversation(found.user_id, found.pk)
    return _page(request, found, MessageForm(initial=drafts.find(request)))


@require_form
@login_required
def write(request: HttpRequest) -> HttpResponse:
    """Show the form to write to moderators (GET), or send the message (POST).

    The message goes to the moderators of the group in the query string. Without a group, it goes to
    the site moderators. If the person already has a conversation with these moderators, GET
    redirects to the conversation.
    """
    group = _group(request)
    known = Conversation.objects.filter(user=member(request), group=group).first()
    if known and request.method != "POST":
        return redirect(known)
    sent = request.method == "POST"
    if sent:
        throttle_long_text(request, request.POST.get("body", ""))
    form = MessageForm(request.POST if sent else None, initial=drafts.find(request))
    page = partial(_write_page, request, group, form)
    if not form.is_valid():
        return page(status=422 if sent else 200)
    try:
        written = services.write_to_moderators(
            member(request), group, body=form.cleaned_data["body"]
        )
    except NOT_SAVED as error:
        return problem_above_form(request, error, page)
    messages.success(request, _("Your message was sent. The answer will be in your inbox."))
    return redirect_303(written.get_absolute_url())


@require_POST
@login_required
def close(request: HttpRequest, conversation_id: int) -> HttpResponse:
    """Close a conversation."""
    found = _found(request, conversation_id)
    services.close(found, by=member(request))
    messages.success(request, _("The conversation is closed. A new message opens it again."))
    return redirect_303(found.get_absolute_url())


@require_safe
@readers_of_queue
def for_moderators(request: HttpRequest) -> HttpResponse:
    """Show conversations to moderators. The query string can filter by state and by group."""
    allowed = powers(request)
    state = request.GET.get("state", State.OPEN)
    if state not in {"", *State}:
        raise Http404("no such state")
    group = _group(request)
    page = queries.of_moderators(allowed, state, group, addresses.before(request.GET))
    groups = Group.objects.order_by("title")
    if not allowed.reads_everything:
        groups = groups.filter(pk__in=allowed.group_ids)
    context = {
        "page": page,
        "state": state,
        "states": [*State.choices, ("", _("all"))],
        "group": group,
        "groups": groups,
        "waiting": queries.open_conversations(allowed),
        "nav": "queue",
    }
    return render(request, "moderation/conversations_queue.html", context)


def _found(request: HttpRequest, conversation_id: int) -> Conversation:
    """Return the conversation with this id.

    Raises Http404 if there is no such conversation, and Forbidden if the viewer may not read it.
    """
    conversations = Conversation.objects.select_related("user", "group")
    found = get_object_or_404(conversations, pk=conversation_id)
    permissions.require_conversation(member_viewer(request).id, powers(request), found)
    return found


def _group(request: HttpRequest) -> Group | None:
    """Return the group named in the query string, or None if no group is named.

    Raises Http404 if the group doesn't exist.
    """
    slug = request.GET.get("group", "")
    return get_object_or_404(Group, slug=slug) if slug else None


def _page(
    request: HttpRequest,
    found: Conversation,
    form: MessageForm,
    *,
    status: int = 200,
    **context: object,
) -> HttpResponse:
    person, allowed = member_viewer(request), powers(request)
    is_person = found.user_id == person.id
    context |= {
        "conversation": found,
        "page": queries.messages(found, person.id, addresses.before(request.GET), allowed),
        "form": form,
        "is_person": is_person,
        "may_write": is_person or allowed.moderates_in(found.group_id),
        "place": found.group.title if found.group else settings.SITE_NAME,
        "nav": "inbox" if is_person else "queue",
    }
    return render(request, "moderation/conversation.html", context, status=status)


def _write_page(
    request: HttpRequest,
    group: Group | None,
    form: MessageForm,
    *,
    status: int = 200,
    **context: object,
) -> HttpResponse:
    context |= {"group": group, "form": form, "nav": "inbox"}
    return render(request, "moderation/conversation_write.html", context, status=status)
