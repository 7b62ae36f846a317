"""The account pages of django-allauth, with the site's rate limits and messages."""

from typing import Any
from urllib.parse import urlsplit

from allauth.account import views as account_views
from allauth.account.adapter import get_adapter
from allauth.account.forms import AddEmailForm
from allauth.account.mixins import NextRedirectMixin
from allauth.account.models import EmailAddress
from allauth.core.exceptions import ReauthenticationRequired
from allauth.mfa.totp import views as app_views
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import Resolver404, resolve, reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from forum.accounts.adapter import INVITATION, invitation_code
from forum.accounts.forms import ActivateAppForm, LoginForm, SignupForm
from forum.accounts.provider_again import is_due
from forum.accounts.second_factors import NewFactorPage
from forum.actions.policy import policy
from forum.config.openid import openid_providers
from forum.errors import MailboxUsed, MailDomainFull
from forum.identity import sessions
from forum.identity.viewers import guest_subject
from forum.models import SitePolicy
from forum.moderation.joining import limits
from forum.web import error_responses, pending_actions
from forum.web.methods import READING, is_page
from forum.web.problems import Problem, problem_of, throttling_problem
from forum.web.redirects import redirect_303
from voting.errors import Throttled

OPEN_TO_GUESTS = {
    *("front", "listing", "groups", "group", "group_listing", "comments", "leaders", "about"),
    *("post", "post_comments", "post_history", "comment", "comment_history"),
    *("profile", "profile_comments", "profile_follows", "profile_fans", "account_login"),
    *("language", "unsubscribe", "post_short", "combine", "post_out"),
    *("account_signup", "account_reset_password", "invitation_tree", "profile_invited"),
    "group_moderators",
}
"""Names of pages that guests may see. A person who logs out on such a page stays there."""


def _name(address: str | None) -> str | None:
    """Return the view name of a URL of the site, or None if the URL leads to no page."""
    try:
        found = resolve(urlsplit(address or "").path)
    except Resolver404:
        return None
    return found.url_name if is_page(found.func) else None


def _is_closed(address: str | None) -> bool:
    """Return whether the page at a URL of the site requires a log-in."""
    name = _name(address)
    return name is not None and name not in OPEN_TO_GUESTS


class EntrancePage(NextRedirectMixin):
    """A log-in or sign-up page that says which page, vote or follow made the log-in necessary."""

    def get_context_data(self, **more: Any) -> dict[str, Any]:
        context: dict[str, Any] = super().get_context_data(**more)
        pending = pending_actions.carried(self.request)
        return context | {"closed": _is_closed(self.get_next_url()), "pending": pending}


class LoginView(EntrancePage, account_views.LoginView):
    """Log-in page. Limits the rate of attempts; above the limit, no password is checked."""

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Show the log-in page, or return an empty response to a request by the site's JavaScript.

        If the site redirects its JavaScript here, the JavaScript opens this page in the browser.
        """
        if error_responses.FRAGMENT in request.headers:
            return HttpResponse()
        page: HttpResponse = super().get(request, *args, **kwargs)
        return page

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        problem = throttling_problem(request, guest_subject(request), "login")
        if problem is None:
            answer: HttpResponse = super().post(request, *args, **kwargs)
            return answer
        typed = LoginForm(request=request, initial={"login": request.POST.get("login", "")})
        context = self.get_context_data(form=typed, problem=problem)
        return problem.mark(self.render_to_response(context))


HONEYPOT = "homepage"
"""A field of the sign-up page that people can't see. Only programs fill it in."""
HONEYPOT_SECONDS = 600
"""The waiting time, in seconds, in the error message for a program that filled in this field."""


def closed_page(request: HttpRequest) -> HttpResponse:
    """Show that sign-up is closed, or that a visitor needs a valid invitation."""
    code = invitation_code(request)
    by_invitation = policy.get().sign_up == SitePolicy.SignUp.INVITATION
    status = 200 if request.method in READING else 403
    context = {"by_invitation": by_invitation, "invitation": code}
    return render(request, "account/signup_closed.html", context, status=status)


class JoiningPage(EntrancePage):
    """A page with a form that makes an account.

    Only valid forms count towards rate limits, so people may correct mistakes.
    """

    def form_valid(self, form: SignupForm) -> HttpResponse:
        email = form.cleaned_data.get("email", "")
        problem = _sign_up_problem(self.request, email, self.confirmed_addresses())
        if problem is None:
            answer: HttpResponse = super().form_valid(form)
            if self.request.user.is_authenticated:
                _greet(self.request, is_applicant="answer" in form.cleaned_data)
                _to_the_top(answer)
            return answer
        form.add_error(None, problem.sentence)
        return problem.mark(self.form_invalid(form))

    def confirmed_addresses(self) -> list[str]:
        """Return the email addresses that the new account has confirmed from the start."""
        return []


class SignupView(JoiningPage, account_views.SignupView):
    """Sign-up page."""

    def closed(self) -> HttpResponse:
        return closed_page(self.request)

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Show the form. Remember an invitation for visitors who sign up with a provider."""
        if openid_providers() and invitation_code(request):
            request.session[INVITATION] = invitation_code(request)
        page: HttpResponse = super().get(request, *args, **kwargs)
        return page

    def get_context_data(self, **more: Any) -> dict[str, Any]:
        return super().get_context_data(**more) | {"honeypot": HONEYPOT}


def _sign_up_problem(request: HttpRequest, email: str, confirmed: list[str]) -> Problem | None:
    """Count a sign-up towards its rate limits. Return the reason to refuse it, or None.

    Programs that fill in the invisible field get the same error as people who exceed a limit.
    """
    try:
        if request.POST.get(HONEYPOT):
            raise Throttled(HONEYPOT_SECONDS)
        limits.count_sign_up(guest_subject(request), email)
        for address in confirmed:
            limits.count_confirmed(address)
    except (MailboxUsed, MailDomainFull, Throttled) as error:
        return problem_of(request, error)
    return None


def _to_the_top(answer: HttpResponse) -> None:
    """Make a redirect lead to the top of the page, where messages are shown."""
    if "Location" in answer:
        answer["Location"] = answer["Location"].partition("#")[0]


def _greet(request: HttpRequest, *, is_applicant: bool) -> None:
    """Show a welcome message above the messages that the sign-up has added."""
    before, name = list(messages.get_messages(request)), request.user.get_username()
    messages.success(request, _received(name) if is_applicant else _welcome(name))
    for message in before:
        messages.add_message(request, message.level, message.message, message.extra_tags)


def _received(name: str) -> str:
    sentence = _(
        "Welcome, %(name)s. Moderators will read your application. Until they accept it, you can"
        " only read. Their decision will be in your inbox."
    )
    return sentence % {"name": name}


def _welcome(name: str) -> SafeString:
    sentence = _(
        "Welcome, {name}. Your votes now count. Follow groups you like:"
        ' <a href="{groups}">See all groups</a>'
    )
    return format_html(sentence, name=name, groups=reverse("groups"))


class SetPasswordView(account_views.PasswordSetView):
    """Sets the first password of an account that was made with a provider.

    People log in at the provider again before. A password that is sent too late is thrown away,
    because it mustn't be stored until they have done so.
    """

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if is_due(request):
            raise ReauthenticationRequired
        page: HttpResponse = super().get(request, *args, **kwargs)
        return page

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if is_due(request):
            return redirect_303(request.path)
        answer: HttpResponse = super().post(request, *args, **kwargs)
        return answer


FORGOTTEN = '"cache", "storage"'
"""The data that browsers delete at log-out: cached pages, and the URLs of posts just hidden."""


class LogoutView(account_views.LogoutView):
    """Log out and return to the same page, or to the front page if that page requires a log-in."""

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        answer: HttpResponse = super().post(request, *args, **kwargs)
        answer.headers["Clear-Site-Data"] = FORGOTTEN
        return answer

    def get_redirect_url(self) -> str:
        address = str(super().get_redirect_url())
        return address if _name(address) in OPEN_TO_GUESTS else reverse("front")


CHOOSING = {"action_send", "action_primary", "action_remove"}
"""Names of the buttons that act on the email address that is selected in the form."""


class AddressesView(account_views.EmailView):
    """Page of the person's email addresses. If an action isn't possible, a message says why.

    If the person removes or replaces a confirmed address, the site sends an email to that address.
    """

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        chosen = None if CHOOSING.isdisjoint(request.POST) else _chosen(request)
        problem = _problem(request, chosen)
        if problem:
            messages.warning(request, problem)
            return redirect("account_email")
        answer: HttpResponse = super().post(request, *args, **kwargs)
        if chosen and chosen.verified and not EmailAddress.objects.filter(pk=chosen.pk).exists():
            get_adapter(request).notify_removed(request.user, chosen.email)
        if "action_send" in request.POST and not self._did_send_verification_email:
            messages.warning(
                request,
                _(
                    "We sent an email to this address less than three minutes ago. Check your spam"
                    " folder. If the email doesn't arrive, ask for another one in a few minutes."
                ),
            )
        return answer

    def form_valid(self, form: AddEmailForm) -> HttpResponse:
        answer: HttpResponse = super().form_valid(form)
        added = {"added_email": form.cleaned_data["email"]}
        adapter = get_adapter(self.request)
        adapter.send_notification_mail("account/email/email_added", self.request.user, added)
        return answer


def _chosen(request: HttpRequest) -> EmailAddress | None:
    """Return the email address that the person selected in the form, or None.

    PostgreSQL raises an error for some unprintable text, so such text isn't looked up.
    """
    given = request.POST.get("email", "")
    own = EmailAddress.objects.filter(user_id=request.user.pk)
    return own.filter(email__iexact=given).first() if given.isprintable() else None


def _problem(request: HttpRequest, chosen: EmailAddress | None) -> str:
    """Return why a button can't act on the selected email address; "" if the button can."""
    if CHOOSING.isdisjoint(request.POST):
        return ""
    if chosen is None:
        return _("Choose one of your email addresses first.")
    if "action_send" in request.POST and chosen.verified:
        return _("%(email)s is already confirmed.") % {"email": chosen.email}
    if "action_primary" in request.POST and not chosen.verified:
        return _("Confirm this email address first. After that, your email can go to this address.")
    return ""


class ActivateView(NewFactorPage, app_views.ActivateTOTPView):
    """Turns on two-factor authentication and ends the person's other sessions.

    Those sessions may belong to somebody who logged in with a stolen password.
    """

    def form_valid(self, form: ActivateAppForm) -> HttpResponse:
        answer: HttpResponse = super().form_valid(form)
        sessions.end_others(self.request)
        return answer


login, signup, logout = LoginView.as_view(), SignupView.as_view(), LogoutView.as_view()
set_password = SetPasswordView.as_view()
addresses, activate_app = AddressesView.as_view(), ActivateView.as_view()
