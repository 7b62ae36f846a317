"""The admin page on which staff mail a person a link to reset the password.

Staff never see the link. They can't set a password either, since they could then log in as others.
"""

from allauth.account.forms import ResetPasswordForm
from django.conf import settings
from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.translation import gettext as _

from forum.actions import credentials, staff_log
from forum.identity import sessions
from forum.identity.viewers import member
from forum.models import User
from forum.queries.email_addresses import confirmed_address


def reset_link_page(request: HttpRequest, person: User) -> HttpResponse:
    """Ask whether to send the link (GET), or send it (POST).

    If the person has no confirmed address, the page says how to set a password on the server. If
    providers are the only way in, a password is of no use, and the page says so.
    """
    address = confirmed_address(person)
    if request.method == "POST" and address and not settings.OIDC_ONLY:
        _send(request, person, address)
        messages.success(request, _("The link was sent to %(name)s.") % {"name": person.username})
        return HttpResponseRedirect(reverse("admin:forum_user_change", args=[person.pk]))
    context = {
        **admin.site.each_context(request),
        "title": _("Reset the password of %(name)s") % {"name": person.username},
        "person": person,
        "has_address": bool(address),
        "providers_only": settings.OIDC_ONLY,
        "opts": User._meta,
    }
    return TemplateResponse(request, "admin/reset_link.html", context)


def _send(request: HttpRequest, person: User, address: str) -> None:
    """Send the link. End sessions, and revoke tokens and feeds: they may be somebody else's."""
    form = ResetPasswordForm({"email": address})
    form.full_clean()
    form.users = [person]
    form.save(request)
    credentials.revoke_all(person)
    sessions.end_all(person, request)
    staff_log.changed(member(request), [person], _("Sent a link to reset the password."))
