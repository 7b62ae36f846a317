"""The form that writes a comment, an answer or a reply."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from forum.forms.fields import BodyField, SeenField
from forum.models import Comment, Post

LONGEST = Comment._meta.get_field("body").max_length or 0
REPLY_BOX = "reply"
"""Whoever follows a link that ends so may write at once."""
COMMENT, ANSWER, REPLY = _("Your comment"), _("Your answer"), _("Your reply")


class CommentForm(forms.Form):
    """What a comment says; `label` names what is written."""

    body = BodyField(
        max_length=LONGEST,
        rows=5,
        required=True,
        help_text=_(
            "Markdown: *emphasis*, **strong**, > quote, `code`. @name lets that person know."
        ),
    )

    def __init__(self, *args: Any, label: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        body = self.fields["body"]
        body.label, body.widget.attrs["id"] = label, REPLY_BOX


class CommentEditForm(CommentForm):
    """What a comment is to say instead."""

    seen = SeenField()


def label_of(post: Post, parent: Comment | None = None) -> str:
    """Return what something written under a post, or below a comment of it, is called."""
    question = post.kind == Post.Kind.QUESTION
    if parent is None:
        return str(ANSWER if question else COMMENT)
    return str(COMMENT if question and parent.parent_id is None else REPLY)
