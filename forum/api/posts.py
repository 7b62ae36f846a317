"""Posts: reading, publishing, editing, deleting and saving them."""

from dataclasses import replace

from django.http import HttpRequest
from django.utils.datastructures import MultiValueDict
from django.utils.translation import gettext as _
from ninja import Router
from ninja.errors import HttpError
from ninja.responses import Status

from forum.actions import edit_conflicts, marks
from forum.actions import posts as post_actions
from forum.api import conditions, schemas, serializers
from forum.api.auth import Scope, require_scope
from forum.api.bodies import EditedPost, NewPost, Switch
from forum.api.lookups import find_post, find_readable_post
from forum.api.operations import READS, checked, needs, saved
from forum.api.parameters import Id
from forum.identity import permissions
from forum.identity.viewers import member, viewer_id
from forum.models import Post
from forum.queries.merged_posts import is_saved_by_merge
from forum.queries.posts import post_state
from forum.web.forms.posts import EditForm, SubmitForm
from forum.web.thread_pages import find_surviving

router = Router(tags=["Posts"])


@router.get("/posts/{post_id}", response=schemas.FullPost, openapi_extra=READS)
def post(request: HttpRequest, post_id: Id) -> schemas.FullPost:
    """Return a post. A merged post's id returns the post that it was merged into.

    A token that may read also returns its owner's posts that moderators withhold.
    """
    return _full(request, find_readable_post(request, post_id))


@router.get("/posts/{post_id}/standing", response=schemas.Standing, openapi_extra=READS)
def standing(request: HttpRequest, post_id: Id) -> schemas.Standing:
    """Return a post's rank in the order `hot`, and the values that explain the rank."""
    return serializers.standing(post_state(find_post(post_id), None))


@router.post("/posts", **needs(Scope.WRITE, {(200, 202): schemas.FullPost}))
def publish(request: HttpRequest, body: NewPost) -> Status[schemas.FullPost]:
    """Publish a post. The status is 202 if it waits for a moderator's approval."""
    form = SubmitForm(_form_data(body.kind, body.title, body.link, body.text, body.groups))
    if body.link and body.kind != "link":
        form.add_error("url", _("Only link posts have a URL."))
    return saved(_full(request, post_actions.submit(author=member(request), **checked(form))))


@router.post(
    "/posts/{post_id}/edit",
    **needs((Scope.WRITE, Scope.MODERATE), {(200, 202): schemas.FullPost}),
)
def edit_post(request: HttpRequest, post_id: Id, body: EditedPost) -> Status[schemas.FullPost]:
    """Change a post's title, text, groups or link, as its author or as a moderator.

    A token changes its owner's posts with the scope `write`, others' with the scope `moderate`.
    The status is 202 if the post is now hidden until a moderator decides.
    """
    person, found = member(request), find_post(post_id)
    permissions.require_change(person, found)
    require_scope(request, Scope.WRITE if found.author_id == person.pk else Scope.MODERATE)
    old = [group.slug for group in found.groups.all()]
    form = EditForm(
        _form_data(
            found.kind,
            found.title if body.title is None else body.title,
            found.url if body.link is None else body.link,
            found.body if body.text is None else body.text,
            old if body.groups is None else body.groups,
            reason=body.reason,
            seen=conditions.seen(request, found),
        ),
        initial={"groups": old},
        kind=found.kind,
        correctable=permissions.may_correct_address(person, found),
        own=found.author_id == person.pk,
    )
    if "url" not in form.fields and body.link not in {None, found.url}:
        late = _("URLs can only be corrected within an hour of posting.")
        is_link = found.kind == Post.Kind.LINK
        raise HttpError(422, f"link: {late if is_link else _('Only link posts have a URL.')}")
    post_actions.edit(found, by=person, **checked(form))
    return saved(_full(request, found))


@router.post("/posts/{post_id}/delete", **needs(Scope.WRITE, schemas.Done))
def delete_post(request: HttpRequest, post_id: Id) -> schemas.Done:
    """Delete a post that you wrote."""
    post_actions.delete(find_post(post_id), by=member(request))
    return schemas.Done()


@router.post("/posts/{post_id}/save", **needs(Scope.WRITE, schemas.Done))
def save_post(request: HttpRequest, post_id: Id, body: Switch) -> schemas.Done:
    """Save a post for later, or remove it from the saved posts."""
    marks.save(member(request), find_surviving(post_id), body.on)
    return schemas.Done()


def _form_data(
    kind: str, title: str, url: str, body: str, groups: list[str], **more: str
) -> MultiValueDict[str, str]:
    """Return a post as the data of the form that publishes or edits posts."""
    single = {"kind": kind, "title": title, "url": url, "body": body} | more
    return MultiValueDict({name: [value] for name, value in single.items()} | {"groups": groups})


def _full(request: HttpRequest, found: Post) -> schemas.FullPost:
    reader = viewer_id(request)
    state = post_state(found, reader)
    if reader and not state.row.saved and is_saved_by_merge(found, reader):
        state = replace(state, row=replace(state.row, saved=True))
    conditions.shows(request, edit_conflicts.fingerprint(found, state.row.groups))
    return serializers.full_post(found, state)
