"""Log-in and sign-up: the library's forms in the site's words."""

from typing import Any

from allauth.account import forms as account_forms
from django.utils.translation import gettext_lazy as _

from forum.forms import usernames


class LoginForm(account_forms.LoginForm):
    """Log in by name or e-mail."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        login = self.fields["login"]
        login.label = _("User name or email")
        login.widget.attrs |= {
            "autocomplete": "username",
            "autocapitalize": "none",
            "spellcheck": "false",
        }
        self.fields["remember"].label = _("Stay logged in on this device")
        self.fields["remember"].initial = True
        _drop_placeholders(self)


class SignupForm(account_forms.SignupForm):
    """A name, one password, and an e-mail address where the site asks for it."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        name = self.fields["username"]
        name.label = _("User name")
        name.help_text = _("Everybody sees it, and it can't be changed later.")
        name.widget.attrs |= {
            "maxlength": usernames.LONGEST,
            "autocapitalize": "none",
            "spellcheck": "false",
        }
        self.fields["email"].help_text = _(
            "For a forgotten password and for mail that you ask for. Nobody sees it."
        )
        _drop_placeholders(self)


def _drop_placeholders(form: account_forms.LoginForm | account_forms.SignupForm) -> None:
    """Labels say it already, and stay when one types."""
    for field in form.fields.values():
        field.widget.attrs.pop("placeholder", None)
