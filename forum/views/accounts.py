"""Log-in and sign-up: the accounts library's pages behind the site's own spam windows."""

from typing import Any

from allauth.account import views as account_views
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from forum.forms.accounts import LoginForm, SignupForm
from forum.visiting import pacing


class LoginView(account_views.LoginView):
    """Every attempt counts. One that comes too fast is not even compared with a password."""

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        held = pacing.held(request, "login")
        if held is None:
            answer: HttpResponse = super().post(request, *args, **kwargs)
            return answer
        typed = LoginForm(request=request, initial={"login": request.POST.get("login", "")})
        return held.mark(self.render_to_response(self.get_context_data(form=typed, held=held)))


class SignupView(account_views.SignupView):
    """Only what would make a new person counts: who mistypes may try again."""

    def form_valid(self, form: SignupForm) -> HttpResponse:
        held = pacing.held(self.request, "signup")
        if held is None:
            answer: HttpResponse = super().form_valid(form)
            if self.request.user.is_authenticated:
                messages.success(self.request, _welcome(self.request.user.get_username()))
            return answer
        form.add_error(None, held.sentence)
        return held.mark(self.form_invalid(form))


def _welcome(name: str) -> SafeString:
    """Greet a new person, and say where to begin."""
    return format_html(
        '{} <a href="{}">{}</a>',
        _("Welcome, %(name)s. Your votes count from now on. Follow groups that you like:")
        % {"name": name},
        reverse("groups"),
        _("See all groups"),
    )


login, signup = LoginView.as_view(), SignupView.as_view()
