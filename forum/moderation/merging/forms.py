"""The form to merge a post into another."""

import re
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from forum.models import Post
from forum.queries.merged_posts import surviving
from forum.web.forms.reasons import ReasonField

ADDRESS = re.compile(r"(?:\S*/p/)?([0-9]{1,18})(?:[/?#]\S*)?", re.ASCII)
"""Matches the number of a post, or the URL of a post on this site."""


class PostField(forms.CharField):
    """A form field for the URL or the number of a post that readers can see.

    A merged post stands for the post that it was merged into.
    """

    def clean(self, value: Any) -> Post:
        found = ADDRESS.fullmatch(str(super().clean(value)))
        named = Post.objects.filter(pk=int(found[1])).first() if found else None
        posts = Post.objects.visible().select_related("author").prefetch_related("groups")
        post = posts.filter(pk=surviving(named).pk).first() if named else None
        if post is None:
            raise ValidationError(_("There is no such post."), "unknown")
        return post


class MergeForm(forms.Form):
    """Asks for the post to merge into, and for the reason."""

    into = PostField(
        label=_("Merge into"),
        max_length=2_000,
        help_text=_("The URL or number of the post to keep."),
    )
    reason = ReasonField(initial=_("Duplicate"))
    use_required_attribute = False
