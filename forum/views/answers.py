"""Accepting an answer, another one, or none."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _

from forum import permissions
from forum.content import comment_service
from forum.content.post_service import Gone
from forum.identity.viewers import member
from forum.models import Comment, Post
from forum.rendering import thread_pages
from forum.rendering.thread_pages import about_post
from forum.web import error_responses
from forum.web.addresses import is_number
from forum.web.login_required import login_required
from forum.web.methods import require_POST
from forum.web.redirects import see


@require_POST
@login_required
@about_post
def accept(request: HttpRequest, post: Post) -> HttpResponse:
    """Accept the answer that `comment` names, or none where that is empty."""
    permissions.require_asker(member(request), post)
    if post.kind != Post.Kind.QUESTION:
        raise Http404("only questions have answers")
    wanted = request.POST.get("comment")
    if wanted is None:
        return error_responses.bad_request(
            request, _("Name an answer, or send an empty one for none.")
        )
    if wanted and not is_number(wanted):
        raise Http404("no such answer")
    answers = Comment.objects.filter(post=post, is_answer=True)
    answer = get_object_or_404(answers, pk=int(wanted)) if wanted else None
    try:
        comment_service.accept(post, answer)
    except Gone:
        if answer is None:
            return thread_pages.post_gone(request)
        return thread_pages.comment_gone(request, post)
    accepted = _("You accepted an answer. It stands first now.")
    said = accepted if answer else _("No answer is accepted any more.")
    messages.success(request, said, extra_tags=thread_pages.TALK)
    return see(f"{post.get_absolute_url()}#comments")
