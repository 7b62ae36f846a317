"""Submitting a post: the form, its preview, and what happens when it is sent."""

from functools import partial
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.utils.text import Truncator
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from forum.actions import drafts, duplicate_links
from forum.actions import posts as post_actions
from forum.actions.drafts import DraftTarget, DraftText
from forum.actions.duplicate_links import DuplicateVote
from forum.actions.page_titles import TitleUnavailable
from forum.errors import Duplicate
from forum.identity.network import network_hash
from forum.identity.viewers import member, member_viewer, subject
from forum.models import Post
from forum.queries.groups import directory
from forum.queries.repeated_posts import is_waiting
from forum.search.services import similar_titles
from forum.store import outbox
from forum.store.post_cards import domain
from forum.store.post_sync import PostSync
from forum.text import links, titles
from forum.text.sentences import join_sentences
from forum.web import error_responses, saved_drafts, thread_pages
from forum.web.forms.groups import names
from forum.web.forms.posts import SubmitForm
from forum.web.login_required import login_required
from forum.web.methods import require_form, require_safe
from forum.web.previews import preview
from forum.web.redirects import redirect_303
from forum.web.writing import Writing

SHOWN = 200
"""Maximum number of characters of a URL in a message, because messages are stored in a cookie."""
BOOKMARKLET = (
    "javascript:location.href='%s?url='+encodeURIComponent(location.href)"
    "+'&title='+encodeURIComponent(document.title)"
)
"""A bookmark that opens the form with the URL and title of the page on which it is pressed."""
DUPLICATE = {
    DuplicateVote.COUNTED: gettext_lazy(
        "Someone has already posted this link, so we counted your post as an up vote."
    ),
    DuplicateVote.WAITING: gettext_lazy(
        "Someone has already posted this link. Your post was saved as an up vote."
    ),
    DuplicateVote.VOTED_BEFORE: gettext_lazy(
        "Someone has already posted this link. You had already voted on that post."
    ),
    DuplicateVote.CLOSED: gettext_lazy(
        "Someone has already posted this link. Voting on that post has closed."
    ),
    DuplicateVote.THROTTLED: gettext_lazy(
        "Someone has already posted this link. You're voting too fast, so no vote was counted."
    ),
    DuplicateVote.UNCOUNTED: gettext_lazy(
        "Someone has already posted this link. Voting is temporarily unavailable, so no vote was"
        " counted."
    ),
}


class NewPost(Writing):
    """A request to write a post."""

    def initial(self) -> dict[str, Any]:
        """Return the values for the form's fields, from the sent form or the query string.

        The parameters `group` and `groups` both name groups; the result has the groups of both.
        """
        request = self.request
        sent = request.POST if request.method == "POST" else request.GET
        written = SubmitForm(sent).typed
        if sent is request.GET and not (written["kind"] or written["url"]):
            written |= _shared(written["body"])
        written["kind"] = written["kind"] or Post.Kind.LINK
        written["groups"] = [*written["groups"], *sent.getlist("group")]
        return written

    @property
    def target(self) -> DraftTarget:
        return DraftTarget()

    def form(self, initial: dict[str, Any], sent: QueryDict | None = None) -> SubmitForm:
        return SubmitForm(sent) if sent is not None else SubmitForm(initial=initial)

    def preview(self) -> HttpResponse:
        """Return the page with a preview, and a warning if the link was posted before."""
        written = self.initial()
        url = _readable(written["url"]) if written["kind"] == Post.Kind.LINK else ""
        topics = [directory.find(slug) for slug in names(written["groups"])]
        rendered = preview(self.request, written["body"], written["title"])
        rendered = rendered._replace(domain=domain(url), groups=list(filter(None, topics)))
        duplicate, similar = duplicate_links.find(url), _similar(self.request)
        if duplicate in similar:
            similar.remove(duplicate)
        form = self.form(written)
        return self.page(form, preview=rendered, duplicate=duplicate, similar=similar)

    def fetch(self) -> HttpResponse:
        """Return the page with the title of the linked page filled in.

        JavaScript gets only the title, or the reason why there is none. A slow site makes this take
        seconds. Raises Throttled if the person does this too often.
        """
        written, failed = self.initial(), ""
        author = member(self.request)
        try:
            written["title"] = post_actions.suggest_title(author=author, url=written["url"])
        except TitleUnavailable:
            failed = _("The page's title couldn't be read. Please enter one yourself.")
        status = 422 if failed else 200
        if error_responses.FRAGMENT in self.request.headers:
            text = failed or written["title"]
            return HttpResponse(text, status=status, content_type="text/plain; charset=utf-8")
        return self.page(self.form(written), status=status, failed=failed)

    def save(self, form: SubmitForm) -> HttpResponse:
        """Publish the post and redirect to its page, or to the post that has the same link."""
        request, author = self.request, member(self.request)
        try:
            post = post_actions.submit(author=author, **form.cleaned_data)
        except Duplicate as duplicate:
            return _lead_to(request, duplicate.post, form.cleaned_data)
        if post.deleted_at:
            messages.info(request, _("Your post was saved. It waits for a moderator's approval."))
        elif author.watches_own:
            thread_pages.add_watching_message(request, post)
        if is_waiting(post):
            waiting = _("Your post was saved. It will appear in the lists in a moment.")
            messages.info(request, waiting)
        if form.left_out:
            messages.info(request, _left_out(form.left_out))
        return redirect_303(self.address(post))

    def page(self, form: SubmitForm, *, status: int = 200, **context: Any) -> HttpResponse:
        context |= {"form": form, "nav": "submit", "fetches": settings.FETCH_TITLES}
        context["drafts"] = self.drafts
        context["bookmarklet"] = BOOKMARKLET % f"{settings.SITE_URL}{reverse('submit')}"
        return render(self.request, "submit.html", context, status=status)


@require_form
@login_required
def submit(request: HttpRequest) -> HttpResponse:
    """Show the form to submit a post (GET), or publish the post (POST).

    The query string or a draft fills in the form. A POST can also show a preview, fill in the
    linked page's title, or save a draft.
    """
    writing = NewPost(request)
    return writing.fetch() if "fetch" in request.POST else writing.respond()


@require_safe
@login_required
def known(request: HttpRequest) -> HttpResponse:
    """Return HTML for the form: posts with a similar title, or the post with the same link.

    The query string contains `title` or `url`, which the person has typed into the form.
    """
    if "title" in request.GET:
        return render(request, "partials/similar_titles.html", {"similar": _similar(request)})
    post = duplicate_links.find(_readable(request.GET.get("url", "")))
    return render(request, "partials/duplicate_link.html", {"duplicate": post})


def _similar(request: HttpRequest) -> list[Post]:
    """Return posts with a title similar to the one in the form."""
    title = (request.POST or request.GET).get("title", "")[: titles.LONGEST]
    return similar_titles(title, by=member_viewer(request), subject=subject(request))


def _shared(text: str) -> dict[str, str]:
    """Return the URL and the text of a text that a phone shares with the site.

    Most apps share the URL of a page at the end of the text. Without one, all of it is text.
    """
    *before, last = text.rsplit(maxsplit=1) or [""]
    is_url = last.startswith(("https://", "http://"))
    return {"url": last, "body": "".join(before)} if is_url else {"body": text}


def _readable(url: str) -> str:
    """Return a URL in its usual spelling; "" if it can't be posted."""
    try:
        return links.normalise(url)
    except ValidationError:
        return ""


def _lead_to(request: HttpRequest, post: Post, data: dict[str, Any]) -> HttpResponse:
    """Redirect to the post that already has the submitted link.

    If the person also submitted a text, the comment box on that post's page contains the title and
    the text. Otherwise, a message on that page shows the title.
    """
    if is_waiting(post):  # nobody can vote on a new post before it is in Redis
        outbox.add(PostSync(post.pk))
    sentences = [_duplicate_sentence(request, post)]
    address = post.get_absolute_url()
    title = data["title"] if data["title"] != post.title else ""
    if data["body"]:
        text = "\n\n".join(filter(None, (title, data["body"])))
        key, target = drafts.new_key(), DraftTarget(post)
        drafts.store(author=member(request), key=key, target=target, text=DraftText(body=text))
        address = saved_drafts.filled_in(address, key)
        sentences.append(_("Your text is in the comment box. You can send it as a comment."))
    elif title:
        sentences.append(_("Your title was “%(title)s”.") % {"title": title})
    messages.info(request, join_sentences(*sentences))
    return redirect_303(address)


def _duplicate_sentence(request: HttpRequest, post: Post) -> str:
    """Vote up the post that already has the submitted link; return a message about the vote."""
    author = member_viewer(request)
    vote = duplicate_links.vote_for(post, author, network=partial(network_hash, request))
    if vote is DuplicateVote.VOTED_BEFORE and post.author_id == author.id:
        return _("You have already posted this link. Here is your post.")
    return str(DUPLICATE[vote])


def _left_out(url: str) -> str:
    """Return the message about a URL that was ignored because the post isn't a link."""
    sentence = _("Only link posts have a URL, so “%(address)s” was left out.")
    return sentence % {"address": Truncator(url).chars(SHOWN)}
