"""A template tag for the space between two sentences."""

from django import template

from forum.text.sentences import sentence_space

register = template.Library()
register.simple_tag(sentence_space)
