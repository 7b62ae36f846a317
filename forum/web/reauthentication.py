"""Asks people for their password, second factor or passkey again before a sensitive form."""

from collections.abc import Callable

from allauth.account.decorators import reauthentication_required
from django.http import HttpResponse

View = Callable[..., HttpResponse]


def reauthenticated_to_post(view: View) -> View:
    """Require that people who send a form confirmed their identity within the last minutes.

    Otherwise they do so first, and then the form is sent again with what they typed.
    """
    asking: View = reauthentication_required(view, allow_get=True)
    return asking


def reauthenticated(view: View) -> View:
    """Require that people confirmed their identity within the last minutes."""
    asking: View = reauthentication_required(view)
    return asking
