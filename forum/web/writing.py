"""The steps of a form that all pages for writing a post or comment share."""

from abc import ABC, abstractmethod
from functools import partial
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse, QueryDict
from django.utils.translation import gettext_lazy

from forum.actions.drafts import DraftTarget
from forum.errors import AlreadySent, EditConflict
from forum.models import Comment, Post
from forum.web import drafts, error_responses, saved_drafts
from forum.web.forms.fields import EDIT_CONFLICT
from forum.web.previews import throttle_long_text
from forum.web.problems import NOT_SAVED, problem_above_form
from forum.web.saved_drafts import FormDrafts

SAVED = 303
"""The status of a response after a form was accepted."""
CHANGED_ELSEWHERE = gettext_lazy("Saved as another draft, since this one was changed elsewhere")


class Writing(ABC):
    """One request to a page with a form for a text.

    Shows the form, with a draft if there is one; shows a preview; or saves the text. If the text
    isn't saved, shows the form again, filled in, with the reason.
    """

    def __init__(self, request: HttpRequest) -> None:
        self.request = request
        self.drafts = FormDrafts(saved_drafts.sent_field(request))

    def respond(self) -> HttpResponse:
        """Return the page, or a redirect after saving."""
        if self.request.method != "POST":
            return self.start()
        if saved_drafts.SAVE in self.request.POST:
            return self._save_draft()
        if "preview" in self.request.POST:
            self._keep_preview()
            return self.preview()
        throttle_long_text(self.request, self.request.POST.get("body", ""))
        form = self.form(self.initial(), self.request.POST)
        if not self.is_valid(form):
            return self.page(form, status=422)
        return self._save(form)

    def start(self) -> HttpResponse:
        """Return the page as people first see it: filled in from a draft, or with an offer to."""
        self.drafts = FormDrafts(waiting=drafts.find(self.request))
        if self.target and not self.drafts.waiting:
            self.drafts = saved_drafts.of_form(self.request, self.target)
        return self.page(self.form(self.initial() | self.drafts.initial))

    @property
    def target(self) -> DraftTarget | None:
        """The form for which drafts are saved; None for forms without drafts, such as edits."""
        return None

    def _save_draft(self) -> HttpResponse:
        """Save the form as a draft. Return the form's new hidden field, for JavaScript.

        A second line says if the text became another draft.
        """
        before = saved_drafts.sent_field(self.request)
        field = saved_drafts.save(self.request, self.target) if self.target else ""
        drafts.remove(self.request)
        is_other = before.partition(" ")[0] not in {"", field.partition(" ")[0]}
        said = f"\n{CHANGED_ELSEWHERE}" if is_other else ""
        return HttpResponse(field + said, content_type="text/plain; charset=utf-8")

    def _keep_preview(self) -> None:
        """Save a draft of a text that is previewed. JavaScript saves drafts without previews."""
        if self.target and error_responses.FRAGMENT not in self.request.headers:
            self.drafts = FormDrafts(saved_drafts.save_if_allowed(self.request, self.target))
            drafts.remove(self.request)

    def _save(self, form: forms.Form) -> HttpResponse:
        try:
            response = self.save(form)
        except EditConflict:
            return self._conflict()
        except NOT_SAVED as error:
            page, address = partial(self.page, form), ""
            if isinstance(error, AlreadySent):
                address = self.address(error.saved)
                self._forget_draft()
            return problem_above_form(self.request, error, page, address)
        if response.status_code == SAVED:
            self._forget_draft()
        return response

    def _forget_draft(self) -> None:
        if self.target:
            saved_drafts.forget_sent(self.request, self.target)

    def _conflict(self) -> HttpResponse:
        """Show the form again, with the current text above it. Sending it again saves the text."""
        self.reload()
        initial, sent = self.initial(), self.request.POST.copy()
        sent["seen"] = initial["seen"]
        form = self.form(initial, sent)
        form.add_error(None, EDIT_CONFLICT)
        return self.page(form, status=409, conflict=True)

    def initial(self) -> dict[str, Any]:
        """Return the values of the form's fields before the person changes them."""
        return {}

    def is_valid(self, form: Any) -> bool:
        """Return whether a sent form can be saved."""
        return bool(form.is_valid())

    def reload(self) -> None:
        """Read the text again from SQL after an edit conflict. New texts have no conflicts."""
        raise NotImplementedError

    def address(self, saved: Post | Comment) -> str:
        """Return the URL to which people go after saving."""
        return saved.get_absolute_url()

    @abstractmethod
    def form(self, initial: dict[str, Any], sent: QueryDict | None = None) -> Any:
        """Return the form, with what the person sent if it was sent."""

    @abstractmethod
    def preview(self) -> HttpResponse:
        """Return the page with the form and a preview of the text."""

    @abstractmethod
    def save(self, form: Any) -> HttpResponse:
        """Save the text and redirect to it. May raise EditConflict and the errors in NOT_SAVED."""

    @abstractmethod
    def page(self, form: Any, *, status: int = 200, **context: Any) -> HttpResponse:
        """Return the page with the form. `context["conflict"]` is True after an edit conflict."""
