"""The steps of a form that all pages for writing a post or comment share."""

from abc import ABC, abstractmethod
from functools import partial
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse, QueryDict

from forum.errors import AlreadySent, EditConflict
from forum.models import Comment, Post
from forum.web import drafts
from forum.web.forms.fields import EDIT_CONFLICT
from forum.web.previews import throttle_long_text
from forum.web.problems import NOT_SAVED, problem_above_form


class Writing(ABC):
    """One request to a page with a form for a text.

    Shows the form, with a draft if there is one; shows a preview; or saves the text. If the text
    isn't saved, shows the form again, filled in, with the reason.
    """

    def __init__(self, request: HttpRequest) -> None:
        self.request = request

    def respond(self) -> HttpResponse:
        """Return the page, or a redirect after saving."""
        if self.request.method != "POST":
            return self.start()
        if "preview" in self.request.POST:
            return self.preview()
        throttle_long_text(self.request, self.request.POST.get("body", ""))
        form = self.form(self.initial(), self.request.POST)
        if not self.is_valid(form):
            return self.page(form, status=422)
        return self._save(form)

    def start(self) -> HttpResponse:
        """Return the page as people first see it."""
        return self.page(self.form(self.initial() | drafts.find(self.request)))

    def _save(self, form: forms.Form) -> HttpResponse:
        try:
            return self.save(form)
        except EditConflict:
            return self._conflict()
        except NOT_SAVED as error:
            page = partial(self.page, form)
            address = self.address(error.saved) if isinstance(error, AlreadySent) else ""
            return problem_above_form(self.request, error, page, address)

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
