"""Accepting an answer to a question, and undoing that."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _

from forum.actions import comments as comment_actions
from forum.errors import Invalid
from forum.identity.viewers import member
from forum.models import Comment, Post
from forum.web import thread_pages
from forum.web.addresses import is_number
from forum.web.login_required import login_required
from forum.web.methods import require_POST
from forum.web.redirects import redirect_303
from forum.web.thread_pages import about_post


@require_POST
@login_required
@about_post
def accept(request: HttpRequest, post: Post) -> HttpResponse:
    """Accept the answer whose id is in `comment`. If `comment` is empty, accept no answer."""
    if post.kind != Post.Kind.QUESTION:
        raise Http404("only questions have answers")
    answer_id = request.POST.get("comment")
    if answer_id is None:
        raise Invalid(
            _(
                'Missing field "comment": send the id of an answer,'
                " or an empty value to accept none."
            )
        )
    if answer_id and not is_number(answer_id):
        raise Http404("no such answer")
    answers = Comment.objects.filter(post=post, is_answer=True)
    answer = get_object_or_404(answers, pk=int(answer_id)) if answer_id else None
    comment_actions.accept(post, answer, by=member(request))
    accepted = _("Answer accepted. It now appears first.")
    sentence = accepted if answer else _("This question no longer has an accepted answer.")
    messages.success(request, sentence, extra_tags=thread_pages.TALK)
    return redirect_303(f"{post.get_absolute_url()}#comments")
