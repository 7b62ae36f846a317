"""Comments: reading, writing, editing and deleting them."""

from django.http import Http404, HttpRequest
from django.utils.translation import gettext as _
from ninja import Router
from ninja.errors import HttpError
from ninja.responses import Status

from forum.actions import comments as comment_actions
from forum.actions import edit_conflicts
from forum.api import conditions, schemas, serializers
from forum.api.auth import Scope, require_scope
from forum.api.bodies import Acceptance, EditedComment, NewComment
from forum.api.lookups import find_comment, find_person, find_post, reads_comment
from forum.api.operations import READS, checked, needs, next_page, saved
from forum.api.parameters import Before, Id, Name
from forum.errors import Gone
from forum.identity import roles
from forum.identity.viewers import member, viewer, viewer_id
from forum.models import Comment, Post
from forum.queries import newest
from forum.queries.newest import FlatPage
from forum.web.forms import comments as comment_forms
from forum.web.forms.comments import CommentEditForm, CommentForm
from forum.web.muting import without_muted_comments

router = Router(tags=["Comments"])


@router.get("/posts/{post_id}/comments", response=schemas.Comments, openapi_extra=READS)
def comments_of_post(request: HttpRequest, post_id: Id, before: Before = None) -> schemas.Comments:
    """Return a page of a post's comments, newest first."""
    return _page(request, newest.of_post(find_post(post_id), before))


@router.get("/comments", response=schemas.Comments, openapi_extra=READS)
def comments(request: HttpRequest, before: Before = None) -> schemas.Comments:
    """Return a page of the newest comments of the site."""
    flat = newest.of_site(before, viewer_id(request))
    return _page(request, without_muted_comments(flat, viewer(request)))


@router.get("/comments/{comment_id}", response=schemas.Comment, openapi_extra=READS)
def comment(request: HttpRequest, comment_id: Id) -> schemas.Comment:
    """Return a comment.

    A token that may read also returns its owner's comments that moderators withhold. Of a deleted
    comment that has replies, returns its place in the thread, without its text and author.
    """
    found = find_comment(comment_id)
    if found.post.deleted_at:
        raise Gone(found.post)
    if reads_comment(request, found):
        return _full(request, found)
    if newest.of_branch(found.post, found.pk).comments:
        return serializers.placeholder(found)
    raise Gone(found)


@router.get("/people/{username}/comments", response=schemas.Comments, openapi_extra=READS)
def comments_of_person(
    request: HttpRequest, username: Name, before: Before = None
) -> schemas.Comments:
    """Return a page of a person's comments, newest first."""
    return _page(request, newest.of_person(find_person(username), before))


@router.post("/posts/{post_id}/comments", **needs(Scope.WRITE, {(200, 202): schemas.Comment}))
def write_comment(request: HttpRequest, post_id: Id, body: NewComment) -> Status[schemas.Comment]:
    """Comment on a post, answer a question, or reply to a comment.

    The status is 202 if the comment waits for a moderator's approval.
    """
    person, found = member(request), find_post(post_id)
    if found.locked and roles.powers_of(person).moderates_some(roles.governing_ids(found)):
        require_scope(request, Scope.MODERATE)
    if body.on_question and found.kind != Post.Kind.QUESTION:
        raise HttpError(422, f"on_question: {_('This post is not a question.')}")
    parent = found.comments.filter(pk=body.parent).first() if body.parent else None
    if body.parent and parent is None:
        raise HttpError(404, f"parent: {_('This post has no such comment.')}")
    label = comment_forms.label_of(found, parent, on_question=body.on_question)
    text = checked(CommentForm({"body": body.text}, label=label))["body"]
    written = comment_actions.submit(
        author=person, post=found, parent=parent, body=text, on_question=body.on_question
    )
    return saved(_full(request, written))


@router.post("/comments/{comment_id}/edit", **needs(Scope.WRITE, {(200, 202): schemas.Comment}))
def edit_comment(
    request: HttpRequest, comment_id: Id, body: EditedComment
) -> Status[schemas.Comment]:
    """Change a comment that you wrote.

    The status is 202 if the comment is now hidden until a moderator decides.
    """
    found = find_comment(comment_id)
    label = comment_forms.label_of(found.post, found.parent)
    form = CommentEditForm(
        {"body": body.text, "seen": conditions.seen(request, found)}, label=label
    )
    comment_actions.edit(found, by=member(request), **checked(form))
    return saved(_full(request, found))


@router.post("/comments/{comment_id}/delete", **needs(Scope.WRITE, schemas.Done))
def delete_comment(request: HttpRequest, comment_id: Id) -> schemas.Done:
    """Delete a comment that you wrote."""
    comment_actions.delete(find_comment(comment_id), member(request))
    return schemas.Done()


@router.post("/posts/{post_id}/accept", **needs(Scope.WRITE, schemas.Done))
def accept_answer(request: HttpRequest, post_id: Id, body: Acceptance) -> schemas.Done:
    """Accept an answer to a question that you asked, or accept none."""
    found = find_post(post_id)
    if found.kind != Post.Kind.QUESTION:
        raise Http404("only questions have answers")
    answer = found.comments.filter(is_answer=True, pk=body.comment or 0).first()
    if body.comment and answer is None:
        raise HttpError(404, f"comment: {_('This question has no such answer.')}")
    comment_actions.accept(found, answer, by=member(request))
    return schemas.Done()


def _page(request: HttpRequest, flat: FlatPage) -> schemas.Comments:
    found = _voted(request, flat).comments
    texts = Comment.objects.only("body", "is_answer", "withheld").in_bulk([one.id for one in found])
    return schemas.Comments(
        items=[
            serializers.comment(texts[one.id], one, viewer_id(request))
            for one in found
            if one.id in texts
        ],
        next=next_page(request, before=flat.older) if flat.older else None,
    )


def _full(request: HttpRequest, row: Comment) -> schemas.Comment:
    """Return a comment with its votes. The response gets the ETag of its text."""
    (found,) = _voted(request, newest.of_comment(row)).comments
    conditions.shows(request, edit_conflicts.fingerprint(row))
    return serializers.comment(row, found, viewer_id(request))


def _voted(request: HttpRequest, flat: FlatPage) -> FlatPage:
    """Add the tallies and the viewer's votes to a page of comments."""
    asking = viewer_id(request)
    return newest.with_tallies(flat, newest.tallies_of(flat, asking).tallies, asking)
