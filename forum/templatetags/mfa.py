"""A template filter that returns whether a person has an unconfirmed email address.

With an unconfirmed address, two-factor authentication can't be turned on.
"""

from django import template

from forum.queries.email_addresses import has_unconfirmed_email

register = template.Library()
register.filter(has_unconfirmed_email)
