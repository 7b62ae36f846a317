"""A template filter that returns whether a person has an unconfirmed email address.

People with an unconfirmed address can't turn on two-factor authentication.
"""

from django import template

from forum.queries.email_addresses import has_unconfirmed_email

register = template.Library()
register.filter(has_unconfirmed_email)
