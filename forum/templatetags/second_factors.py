"""Why a second factor can't be turned on yet, known before a form is shown."""

from django import template

from forum.queries.email_addresses import owes_confirmation

register = template.Library()
register.filter(owes_confirmation)
