"""The pages on which moderators act on a post or comment."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import gettext as _

from forum.actions.sentences import why_text_is_withheld
from forum.actions.visibility import Content
from forum.identity import roles
from forum.identity.viewers import member, powers
from forum.models import Comment, Post
from forum.moderation.results import add_done, add_result
from forum.moderation.texts import services
from forum.moderation.texts.forms import ActionForm
from forum.queries.merged_posts import surviving
from forum.web import drafts
from forum.web.login_required import login_required
from forum.web.methods import require_form
from forum.web.redirects import redirect_303
from forum.web.thread_pages import find_comment, redirect_from_merged


@require_form
@login_required
def moderate_post(request: HttpRequest, post_id: int) -> HttpResponse:
    """Show the possible actions on a post (GET), or do one of them (POST).

    Redirects from a merged post. Nothing is done, since the moderator hasn't seen the other post.
    """
    posts = Post.objects.select_related("author", "withheld_by__group", "withheld_by__by")
    post = get_object_or_404(posts, pk=post_id)
    if (other := surviving(post)) != post:
        return redirect_from_merged(request, post, reverse("moderate_post", args=[other.pk]))
    return _page(request, post, post)


@require_form
@login_required
def moderate_comment(request: HttpRequest, post_id: int, comment_id: int) -> HttpResponse:
    """Show the possible actions on a comment (GET), or do one of them (POST)."""
    comments = Comment.objects.select_related(
        "author", "post", "withheld_by__group", "withheld_by__by"
    )
    comment = find_comment(comments, post_id, comment_id)
    return _page(request, comment.post, comment)


def _page(request: HttpRequest, post: Post, text: Content) -> HttpResponse:
    own = powers(request)
    services.require_acting(text, own)
    governing = roles.governing_ids(post)
    names = services.available(text, own, member(request).pk)
    actions = [(name, str(services.CHOICES[name].label)) for name in names]
    sent = request.POST if request.method == "POST" else None
    form = ActionForm(actions, sent, initial=drafts.find(request))
    if form.is_valid():
        chosen = form.cleaned_data
        choice = services.CHOICES[chosen["action"]]
        action = choice.act(
            text,
            by=member(request),
            reason=chosen["reason"],
            is_private=chosen["is_private"],
        )
        if action:
            add_done(request, action)
        else:
            add_result(request, _("Done: %(action)s.") % {"action": choice.label})
        return redirect_303(request.get_full_path())
    context = {
        "post": post,
        "text": text,
        "form": form,
        "why_withheld": why_text_is_withheld(text),
        "can_edit": isinstance(text, Post)
        and not text.deleted_at
        and own.moderates_some(governing),
        "can_merge": own.moderates_all(governing),
    }
    status = 422 if form.is_bound else 200
    return render(request, "moderation/text.html", context, status=status)
