"""Whether two-factor authentication can be turned on."""

from django import template

from forum.queries.email_addresses import has_unconfirmed_email

register = template.Library()
register.filter(has_unconfirmed_email)
