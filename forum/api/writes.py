"""Operations that change something, for programs with a token."""

from functools import partial
from typing import Any

from django.forms import BaseForm
from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.utils.datastructures import MultiValueDict

from forum import permissions
from forum.api import reads, schemas, serializers
from forum.api.auth import Scope, Token, owner
from forum.api.bodies import (
    EditedPost,
    Moderation,
    NewBan,
    NewComment,
    NewFlag,
    NewPost,
    Read,
    Switch,
    Text,
    Voted,
)
from forum.api.reads import (
    FAILURES,
    Before,
    Id,
    Name,
    find_comment,
    find_member,
    find_post,
    next_page,
)
from forum.api.responses import FormInvalid
from forum.content import comment_service, edit_conflicts, post_service, votes
from forum.forms import comments as comment_forms
from forum.forms.comments import CommentEditForm, CommentForm
from forum.forms.posts import EditForm, SubmitForm
from forum.identity.viewers import viewer_of
from forum.inbox import unread
from forum.models import Comment, Flag, Group, ModAction, Post
from forum.moderation.actions import sanctions, undo
from forum.moderation.flags import services as flags
from forum.moderation.flags.forms import FlagForm
from forum.moderation.people.forms import BanForm
from forum.moderation.texts import services as moderating
from forum.moderation.texts.forms import ActionForm
from forum.queries import inbox
from forum.queries.groups import directory
from forum.queries.posts import post_state
from forum.social import following, marks
from voting.types import Target, Vote

router = reads.router
"""The same router, because some operations have the same path as one that reads."""
REFUSALS = FAILURES | {
    400: {"description": "The body is not JSON.", **FAILURES[404]},
    401: {"description": "A token is needed.", **FAILURES[404]},
    403: {"description": "The token or its owner may not do this.", **FAILURES[404]},
    409: {"description": "It is too late, or somebody was quicker.", **FAILURES[404]},
}
post = partial(router.post, openapi_extra={"responses": REFUSALS})
get = partial(router.get, openapi_extra={"responses": REFUSALS})
VOTES = {"up": Vote.UP, "down": Vote.DOWN, "none": Vote.NONE}


@post(
    "/posts",
    auth=Token(Scope.WRITE),
    response=schemas.FullPost,
    operation_id="publish",
    tags=["Posts"],
)
def publish(request: HttpRequest, body: NewPost) -> schemas.FullPost:
    """Publish a post."""
    form = SubmitForm(_form_data(body.kind, body.title, body.link, body.text, body.groups))
    return _full(post_service.submit(author=owner(request), **_checked(form)))


@post(
    "/posts/{post_id}/edit",
    auth=Token(Scope.WRITE),
    response=schemas.FullPost,
    operation_id="edit_post",
    tags=["Posts"],
)
def edit_post(request: HttpRequest, post_id: Id, body: EditedPost) -> schemas.FullPost:
    """Change a post's title, text, groups or link, as its author or as a moderator."""
    person, found = owner(request), find_post(post_id)
    permissions.require_change(person, found)
    old = [group.slug for group in found.groups.all()]
    form = EditForm(
        _form_data(
            found.kind,
            found.title if body.title is None else body.title,
            found.url if body.link is None else body.link,
            found.body if body.text is None else body.text,
            old if body.groups is None else body.groups,
            reason=body.reason,
            seen=edit_conflicts.fingerprint(found),
        ),
        initial={"groups": old},
        kind=found.kind,
        correctable=permissions.may_correct_address(person, found),
        own=found.author_id == person.pk,
    )
    post_service.edit(found, by=person, **_checked(form))
    return _full(find_post(post_id))


@post(
    "/posts/{post_id}/delete",
    auth=Token(Scope.WRITE),
    response=schemas.Done,
    operation_id="delete_post",
    tags=["Posts"],
)
def delete_post(request: HttpRequest, post_id: Id) -> schemas.Done:
    """Delete an own post."""
    post_service.delete(find_post(post_id), by=owner(request))
    return schemas.Done()


@post(
    "/posts/{post_id}/vote",
    auth=Token(Scope.VOTE),
    response=schemas.Votes,
    operation_id="vote_on_post",
    tags=["Posts"],
)
def vote_on_post(request: HttpRequest, post_id: Id, body: Voted) -> schemas.Votes:
    """Vote on a post, or take a vote back."""
    return _vote(request, Target(post_id), body)


@post(
    "/posts/{post_id}/save",
    auth=Token(Scope.WRITE),
    response=schemas.Done,
    operation_id="save_post",
    tags=["Posts"],
)
def save_post(request: HttpRequest, post_id: Id, body: Switch) -> schemas.Done:
    """Save a post for later, or remove it from the saved posts."""
    marks.save(owner(request), get_object_or_404(Post, pk=post_id), body.on)
    return schemas.Done()


@post(
    "/posts/{post_id}/comments",
    auth=Token(Scope.WRITE),
    response=schemas.Comment,
    operation_id="write_comment",
    tags=["Comments"],
)
def write_comment(request: HttpRequest, post_id: Id, body: NewComment) -> schemas.Comment:
    """Comment on a post, answer a question, or reply to a comment."""
    found = find_post(post_id)
    parent = get_object_or_404(found.comments, pk=body.parent) if body.parent else None
    label = comment_forms.label_of(found, parent, on_question=body.on_question)
    text = _checked(CommentForm({"body": body.text}, label=label))["body"]
    written = comment_service.submit(
        author=owner(request), post=found, parent=parent, body=text, on_question=body.on_question
    )
    return find_comment(written.pk)


@post(
    "/comments/{comment_id}/edit",
    auth=Token(Scope.WRITE),
    response=schemas.Comment,
    operation_id="edit_comment",
    tags=["Comments"],
)
def edit_comment(request: HttpRequest, comment_id: Id, body: Text) -> schemas.Comment:
    """Change an own comment."""
    found = _comment(comment_id)
    label = comment_forms.label_of(found.post, found.parent)
    form = CommentEditForm(
        {"body": body.text, "seen": edit_conflicts.fingerprint(found)}, label=label
    )
    comment_service.edit(found, by=owner(request), **_checked(form))
    return find_comment(comment_id)


@post(
    "/comments/{comment_id}/delete",
    auth=Token(Scope.WRITE),
    response=schemas.Done,
    operation_id="delete_comment",
    tags=["Comments"],
)
def delete_comment(request: HttpRequest, comment_id: Id) -> schemas.Done:
    """Delete an own comment."""
    comment_service.delete(_comment(comment_id), owner(request))
    return schemas.Done()


@post(
    "/comments/{comment_id}/vote",
    auth=Token(Scope.VOTE),
    response=schemas.Votes,
    operation_id="vote_on_comment",
    tags=["Comments"],
)
def vote_on_comment(request: HttpRequest, comment_id: Id, body: Voted) -> schemas.Votes:
    """Vote on a comment, or take a vote back."""
    return _vote(request, Target(_comment(comment_id).post_id, comment_id), body)


@post(
    "/people/{username}/follow",
    auth=Token(Scope.WRITE),
    response=schemas.Done,
    operation_id="follow_person",
    tags=["People"],
)
def follow_person(request: HttpRequest, username: Name, body: Switch) -> schemas.Done:
    """Follow a person, or stop following them."""
    following.follow(owner(request), find_member(username), on=body.on)
    return schemas.Done()


@post(
    "/groups/{slug}/follow",
    auth=Token(Scope.WRITE),
    response=schemas.Done,
    operation_id="follow_group",
    tags=["Groups"],
)
def follow_group(request: HttpRequest, slug: Name, body: Switch) -> schemas.Done:
    """Follow a group, or stop following it."""
    group = get_object_or_404(Group, slug=directory.current(slug))
    following.follow(owner(request), group, on=body.on)
    return schemas.Done()


@post(
    "/posts/{post_id}/flag",
    auth=Token(Scope.WRITE),
    response=schemas.Done,
    operation_id="flag_post",
    tags=["Moderation"],
)
def flag_post(request: HttpRequest, post_id: Id, body: NewFlag) -> schemas.Done:
    """Flag a post for the moderators."""
    return _flag(request, find_post(post_id), body)


@post(
    "/comments/{comment_id}/flag",
    auth=Token(Scope.WRITE),
    response=schemas.Done,
    operation_id="flag_comment",
    tags=["Moderation"],
)
def flag_comment(request: HttpRequest, comment_id: Id, body: NewFlag) -> schemas.Done:
    """Flag a comment for the moderators."""
    return _flag(request, _comment(comment_id), body)


@get("/inbox", auth=Token(Scope.READ), response=schemas.Inbox, operation_id="inbox", tags=["Inbox"])
def read_inbox(request: HttpRequest, before: Before = None) -> schemas.Inbox:
    """Return a page of the inbox."""
    page = inbox.page(owner(request).pk, before=before)
    return schemas.Inbox(
        items=[serializers.inbox_item(item) for item in page.items],
        next=next_page(request, before=page.before) if page.before else None,
    )


@post(
    "/inbox/read",
    auth=Token(Scope.WRITE),
    response=schemas.Done,
    operation_id="mark_read",
    tags=["Inbox"],
)
def mark_read(request: HttpRequest, body: Read) -> schemas.Done:
    """Mark an item of the inbox, or all items, as read."""
    if body.item is None:
        unread.mark_all(owner(request).pk)
    else:
        unread.mark_item(owner(request).pk, body.item)
    return schemas.Done()


@post(
    "/posts/{post_id}/moderate",
    auth=Token(Scope.MODERATE),
    response=schemas.Done,
    operation_id="moderate_post",
    tags=["Moderation"],
)
def moderate_post(request: HttpRequest, post_id: Id, body: Moderation) -> schemas.Done:
    """Remove, restore, lock or approve a post, and so on."""
    return _moderate(request, get_object_or_404(Post, pk=post_id), body)


@post(
    "/comments/{comment_id}/moderate",
    auth=Token(Scope.MODERATE),
    response=schemas.Done,
    operation_id="moderate_comment",
    tags=["Moderation"],
)
def moderate_comment(request: HttpRequest, comment_id: Id, body: Moderation) -> schemas.Done:
    """Remove, restore or approve a comment, and so on."""
    return _moderate(request, _comment(comment_id), body)


@post(
    "/people/{username}/ban",
    auth=Token(Scope.MODERATE),
    response=schemas.Done,
    operation_id="ban",
    tags=["Moderation"],
)
def ban(request: HttpRequest, username: Name, body: NewBan) -> schemas.Done:
    """Ban a person from a group or from the site."""
    powers = permissions.powers_of(owner(request))
    permissions.require_moderating(powers)
    sent = {"place": body.group, "days": body.days, "reason": body.reason}
    form = BanForm(sent | {"permanent": body.days is None}, powers=powers)
    reason = _checked(form)["reason"]
    sanctions.ban(
        find_member(username), form.group(), by=owner(request), reason=reason, until=form.until()
    )
    return schemas.Done()


@post(
    "/modlog/{action_id}/undo",
    auth=Token(Scope.MODERATE),
    response=schemas.Done,
    operation_id="undo",
    tags=["Moderation"],
)
def undo_action(request: HttpRequest, action_id: Id) -> schemas.Done:
    """Undo a moderation action."""
    undo.undo(get_object_or_404(ModAction, pk=action_id), by=owner(request))
    return schemas.Done()


def _vote(request: HttpRequest, target: Target, body: Voted) -> schemas.Votes:
    ballot = votes.cast(viewer_of(owner(request)), target, VOTES[body.vote])
    return schemas.Votes(
        vote=int(ballot.vote), points=ballot.points, up=ballot.up, down=ballot.down
    )


def _flag(request: HttpRequest, target: Post | Comment, body: NewFlag) -> schemas.Done:
    sent = {"kind": body.kind, "words": body.words, "to_admins": body.to_admins}
    checked = _checked(FlagForm(sent, in_groups=True))
    kind = Flag.Kind(checked.pop("kind"))
    flags.flag(target, by=owner(request), kind=kind, **checked)
    return schemas.Done()


def _moderate(request: HttpRequest, text: Post | Comment, body: Moderation) -> schemas.Done:
    person, thread = owner(request), text.post if isinstance(text, Comment) else text
    powers = permissions.require_moderator(person, thread)
    actions = [(name, name) for name in moderating.available(text, powers, person.pk)]
    sent = {"action": body.action, "reason": body.reason, "is_private": body.is_private}
    checked = _checked(ActionForm(actions, sent, initial={}))
    name = checked.pop("action")
    moderating.act(text, name, by=person, **checked)
    return schemas.Done()


def _form_data(
    kind: str, title: str, url: str, body: str, groups: list[str], **more: str
) -> MultiValueDict[str, str]:
    """Return the data of a form that publishes or edits a post."""
    single = {"kind": kind, "title": title, "url": url, "body": body} | more
    return MultiValueDict({name: [value] for name, value in single.items()} | {"groups": groups})


def _checked(form: BaseForm) -> dict[str, Any]:
    """Return the checked data of a form. Raises FormInvalid."""
    if not form.is_valid():
        raise FormInvalid(form)
    return dict(form.cleaned_data)


def _full(found: Post) -> schemas.FullPost:
    return serializers.full_post(found, post_state(found, None))


def _comment(comment_id: int) -> Comment:
    return get_object_or_404(Comment.objects.select_related("post", "parent"), pk=comment_id)
