"""The forms to write and edit a comment, an answer or a reply."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from forum.models import Comment, Post
from forum.web.forms.fields import BodyField, SeenField

LONGEST = Comment._meta.get_field("body").max_length or 0
REPLY_BOX = "reply"
"""The HTML id of the form's text field. Links can lead straight to the field."""
REMARK_BOX = "remark"
"""The HTML id of the text field for a comment on a question. The answer field has another id."""
COMMENT, ANSWER, REPLY = _("Your comment"), _("Your answer"), _("Your reply")


class CommentForm(forms.Form):
    """The form for a new comment. `label` says whether it is a comment, an answer or a reply."""

    body = BodyField(max_length=LONGEST, rows=5, required=True)

    def __init__(self, *args: Any, label: str, box: str = REPLY_BOX, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        body = self.fields["body"]
        body.label, body.widget.attrs["id"] = label, box


class RemarkForm(CommentForm):
    """The small form for a comment on a question."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, label=str(COMMENT), box=REMARK_BOX, **kwargs)
        self.fields["body"].widget.attrs["rows"] = 2


class CommentEditForm(CommentForm):
    """The form to edit a comment."""

    seen = SeenField()


def label_of(post: Post, parent: Comment | None = None, *, on_question: bool = False) -> str:
    """Return the label of the form for a comment on a post, or for a reply to a comment."""
    if parent is None:
        answer = post.kind == Post.Kind.QUESTION and not on_question
        return str(ANSWER if answer else COMMENT)
    return str(COMMENT if parent.is_answer else REPLY)
