"""A post's own page."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from forum import refusals, rows
from forum.models import Post
from forum.queries.posts import thread
from forum.rows import Place
from forum.viewers import viewer


@require_safe
def post(request: HttpRequest, post_id: int, slug: str = "") -> HttpResponse:
    """Show a post. Any other address of it leads to the one with its present title."""
    found = get_object_or_404(Post.objects.select_related("author"), pk=post_id)
    if found.deleted_at:
        return refusals.refuse(request, 410, _("This post was deleted."))
    if slug != found.slug:
        return redirect(found)
    person = viewer(request)
    shown = thread(found, person.id if person else None)
    article = rows.article(
        shown.row,
        request.get_full_path(),
        member=person is not None,
        resting=shown.standing is None,
        place=Place.POST,
    )
    context = {
        "post": found,
        "thread": shown,
        "article": article,
        "resting": shown.resting,
        "own": person is not None and person.id == found.author_id,
    }
    return render(request, "post.html", context)
