"""Lets staff send a message to several people in the admin; each gets it in a conversation."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from forum.actions import staff_log
from forum.identity.viewers import member
from forum.models import User
from forum.moderation.conversations import services

MOST = 100
"""The most people that one message may go to. Messages aren't meant for announcements."""


class MessageForm(forms.Form):
    """The text of a message."""

    text = forms.CharField(label=_("Message"), max_length=4_000, widget=forms.Textarea)


@admin.action(description=_("Send a message"), permissions=["change"])
def send_message(
    people_admin: "admin.ModelAdmin[Any]", request: HttpRequest, people: QuerySet[User]
) -> HttpResponse | None:
    """Show a form for a message. After it is submitted, send the message to the chosen people."""
    by = member(request)
    chosen = list(people.exclude(pk=by.pk).order_by("username")[: MOST + 1])
    if len(chosen) > MOST:
        people_admin.message_user(request, _("Choose at most 100 people."), messages.ERROR)
        return None
    form = MessageForm(request.POST if "text" in request.POST else None)
    if not form.is_valid():
        context = {
            **people_admin.admin_site.each_context(request),
            "title": _("Send a message"),
            "form": form,
            "action": "send_message",
            "button": _("Send"),
            "people": chosen,
            "checkbox": ACTION_CHECKBOX_NAME,
            "opts": people_admin.model._meta,
        }
        return TemplateResponse(request, "admin/send_message.html", context)
    for person in chosen:
        services.write_to_person(person, None, by=by, body=form.cleaned_data["text"])
    staff_log.changed(by, chosen, gettext("Sent a message."))
    sentence = ngettext(
        "Message sent to %(number)s person.", "Message sent to %(number)s people.", len(chosen)
    )
    people_admin.message_user(request, sentence % {"number": len(chosen)}, messages.SUCCESS)
    return None
