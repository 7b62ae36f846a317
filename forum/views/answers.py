"""Accepting an answer, another one, or none."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _

from forum import permissions
from forum.content import commenting
from forum.content.publishing import Gone
from forum.methods import require_POST
from forum.models import Comment, Post
from forum.pages import refusals, thread_pages
from forum.pages.addresses import is_number
from forum.pages.returning import or_log_in, see
from forum.pages.thread_pages import about_post


@require_POST
@or_log_in
@about_post
def accept(request: HttpRequest, post: Post) -> HttpResponse:
    """Accept the answer that `comment` names, or none where that is empty."""
    permissions.require_asker(request.user, post)
    if post.kind != Post.Kind.QUESTION:
        raise Http404("only questions have answers")
    wanted = request.POST.get("comment")
    if wanted is None:
        return refusals.bad_request(request, _("Name an answer, or send an empty one for none."))
    if wanted and not is_number(wanted):
        raise Http404("no such answer")
    answers = Comment.objects.filter(post=post, is_answer=True)
    answer = get_object_or_404(answers, pk=int(wanted)) if wanted else None
    try:
        commenting.accept(post, answer)
    except Gone:
        if answer is None:
            return thread_pages.post_gone(request)
        return thread_pages.comment_gone(request, post)
    accepted = _("You accepted an answer. It stands first now.")
    said = accepted if answer else _("No answer is accepted any more.")
    messages.success(request, said, extra_tags=thread_pages.TALK)
    return see(f"{post.get_absolute_url()}#comments")
