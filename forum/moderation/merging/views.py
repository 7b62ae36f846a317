"""The page to merge a duplicate post into another."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext as _

from forum.config.hidden_scores import is_hidden
from forum.errors import Forbidden, Gone, Invalid
from forum.identity import roles
from forum.identity.viewers import member
from forum.models import ModAction, Post
from forum.moderation.actions import merges
from forum.moderation.merging.forms import MergeForm
from forum.moderation.results import add_result
from forum.queries.merged_posts import surviving
from forum.text.sentences import join_sentences
from forum.web.login_required import login_required
from forum.web.methods import require_form
from forum.web.redirects import redirect_303
from forum.web.thread_pages import redirect_from_merged


@require_form
@login_required
def merge(request: HttpRequest, post_id: int) -> HttpResponse:
    """Show the form to merge a post (GET), or merge the post into another post (POST).

    If the person pressed the preview button, POST shows both posts for comparison instead.
    Redirects if the post itself was merged already.
    """
    posts = Post.objects.select_related("author").prefetch_related("groups")
    post = get_object_or_404(posts, pk=post_id)
    if (other := surviving(post)) != post:
        return redirect_from_merged(request, post, other.get_absolute_url())
    roles.require_whole_post(member(request), post)
    if post.deleted_at:
        raise Gone(post)
    if request.method != "POST":
        return _page(request, post, MergeForm())
    form = MergeForm(request.POST)
    if not form.is_valid():
        return _page(request, post, form, status=422)
    into: Post = form.cleaned_data["into"]
    if "preview" in request.POST:
        return _page(request, post, form, into)
    try:
        action = merges.merge(post, into, by=member(request), reason=form.cleaned_data["reason"])
    except (Forbidden, Invalid) as error:
        form.add_error("into", str(error))
        return _page(request, post, form, status=422)
    _announce(request, post, action)
    return redirect_303(into.get_absolute_url())


def _page(
    request: HttpRequest, post: Post, form: MergeForm, into: Post | None = None, status: int = 200
) -> HttpResponse:
    titles = _("This post will disappear"), _("This post will stay")
    both = zip((post, into), titles, strict=True) if into else ()
    shown = [(one, fate, is_hidden(one.posted_at)) for one, fate in both]
    context = {"post": post, "form": form, "shown": shown}
    return render(request, "moderation/merge.html", context, status=status)


def _announce(request: HttpRequest, post: Post, action: ModAction) -> None:
    """Add a message for the next page: the post is being merged. The message has an undo button."""
    sentence = _("“%(title)s” is being merged into this post.") % {"title": post.title}
    soon = _("The comments and votes of the other post will appear here within seconds.")
    add_result(request, join_sentences(sentence, soon), action)
