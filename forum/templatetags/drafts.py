"""A template filter for links to drafts."""

from django import template

from forum.web import saved_drafts

register = template.Library()

register.filter("draft_url", saved_drafts.draft_url)
