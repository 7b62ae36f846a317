"""The inbox of a token's owner."""

from django.http import HttpRequest
from ninja import Router

from forum.actions import unread
from forum.api import schemas, serializers
from forum.api.auth import Scope
from forum.api.bodies import Read
from forum.api.operations import needs, next_page
from forum.api.parameters import Before
from forum.identity.viewers import member
from forum.queries import inbox

router = Router(tags=["Inbox"])


@router.get("/inbox", **needs(Scope.READ, schemas.Inbox))
def read_inbox(request: HttpRequest, before: Before = None) -> schemas.Inbox:
    """Return a page of the inbox."""
    page = inbox.page(member(request).pk, before=before)
    return schemas.Inbox(
        items=[serializers.inbox_item(item) for item in page.items],
        next=next_page(request, before=page.before) if page.before else None,
    )


@router.post("/inbox/read", **needs(Scope.WRITE, schemas.Done))
def mark_read(request: HttpRequest, body: Read) -> schemas.Done:
    """Mark an item of the inbox, or all items, as read."""
    if body.item is None:
        unread.mark_all(member(request).pk)
    else:
        unread.mark_item(member(request).pk, body.item)
    return schemas.Done()
