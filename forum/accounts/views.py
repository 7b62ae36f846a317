"""Log-in and sign-up behind the site's own spam windows, and log-out: the library's pages."""

from typing import Any
from urllib.parse import urlsplit

from allauth.account import views as account_views
from allauth.account.mixins import NextRedirectMixin
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.urls import Resolver404, resolve, reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from forum.accounts.forms import LoginForm, SignupForm
from forum.identity.viewers import guest_subject
from forum.web import error_responses, pending_actions
from forum.web.form_errors import throttled_form
from forum.web.methods import is_page

OPEN_TO_GUESTS = {
    *("front", "listing", "groups", "group", "group_listing", "comments", "leaders", "about"),
    *("post", "post_comments", "post_history", "comment", "comment_history"),
    *("profile", "profile_comments", "profile_follows", "profile_fans", "account_login"),
    *("language", "unsubscribe", "post_short", "combine", "post_out"),
    *("account_signup", "account_reset_password"),
}
"""Names of pages that need no log-in, where one may stay who logs out."""


def _name(address: str | None) -> str | None:
    """Return the name of the page at an address of the site; None where there is none."""
    try:
        found = resolve(urlsplit(address or "").path)
    except Resolver404:
        return None
    return found.url_name if is_page(found.func) else None


def _is_closed(address: str | None) -> bool:
    """Say whether log-in is what keeps a guest from the page at an address of the site."""
    name = _name(address)
    return name is not None and name not in OPEN_TO_GUESTS


class Entrance(NextRedirectMixin):
    """The log-in or sign-up page, which may say what leads there: a page, a vote, a follow."""

    def get_context_data(self, **more: Any) -> dict[str, Any]:
        context: dict[str, Any] = super().get_context_data(**more)
        pending = pending_actions.carried(self.request)
        return context | {"closed": _is_closed(self.get_next_url()), "pending": pending}


class LoginView(Entrance, account_views.LoginView):
    """Every attempt counts. One that comes too fast is not even compared with a password."""

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """The script that is led here only asks where to; messages wait for who then reads them."""
        if error_responses.FRAGMENT in request.headers:
            return HttpResponse()
        page: HttpResponse = super().get(request, *args, **kwargs)
        return page

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        form_error = throttled_form(guest_subject(request), "login")
        if form_error is None:
            answer: HttpResponse = super().post(request, *args, **kwargs)
            return answer
        typed = LoginForm(request=request, initial={"login": request.POST.get("login", "")})
        return form_error.mark(
            self.render_to_response(self.get_context_data(form=typed, form_error=form_error))
        )


class SignupView(Entrance, account_views.SignupView):
    """Only what would make a new person counts: who mistypes may try again."""

    def form_valid(self, form: SignupForm) -> HttpResponse:
        form_error = throttled_form(guest_subject(self.request), "signup")
        if form_error is None:
            answer: HttpResponse = super().form_valid(form)
            if self.request.user.is_authenticated:
                _greet(self.request)
                _to_the_top(answer)
            return answer
        form.add_error(None, form_error.sentence)
        return form_error.mark(self.form_invalid(form))


def _to_the_top(answer: HttpResponse) -> None:
    """Let a redirect lead to where messages are, not to a place below them."""
    if "Location" in answer:
        answer["Location"] = answer["Location"].partition("#")[0]


def _greet(request: HttpRequest) -> None:
    """Put the welcome before what the steps of signing up have said already."""
    said = list(messages.get_messages(request))
    messages.success(request, _welcome(request.user.get_username()))
    for message in said:
        messages.add_message(request, message.level, message.message, message.extra_tags)


def _welcome(name: str) -> SafeString:
    """Greet a new person, and say where to begin."""
    sentence = _(
        "Welcome, {name}. Your votes count from now on. Follow groups that you like:"
        ' <a href="{groups}">See all groups</a>'
    )
    return format_html(sentence, name=name, groups=reverse("groups"))


FORGOTTEN = '"cache", "storage"'
"""What a browser forgets of the site at log-out: pages, and drafts of unsent texts."""


class LogoutView(account_views.LogoutView):
    """Leads back to the page one was on, or to the front page where that asks for log-in."""

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        answer: HttpResponse = super().post(request, *args, **kwargs)
        answer.headers["Clear-Site-Data"] = FORGOTTEN
        return answer

    def get_redirect_url(self) -> str:
        address = str(super().get_redirect_url())
        return address if _name(address) in OPEN_TO_GUESTS else reverse("front")


login, signup, logout = LoginView.as_view(), SignupView.as_view(), LogoutView.as_view()
