"""A template filter: whether a person has an unconfirmed email address.

Two-factor authentication can't be turned on then.
"""

from django import template

from forum.queries.email_addresses import has_unconfirmed_email

register = template.Library()
register.filter(has_unconfirmed_email)
