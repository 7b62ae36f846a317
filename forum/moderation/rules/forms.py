"""The form to create or change a rule."""

from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from forum.errors import Invalid
from forum.models import Rule
from forum.moderation.rules import services
from forum.text import terms

FIELDS = (
    *("name", "about", "younger_than_days", "karma_below", "domains", "words"),
    *("flags_at_least", "effect", "message"),
)


class RuleForm(forms.ModelForm):  # type: ignore[type-arg]
    """Asks for a rule's conditions and effect."""

    class Meta:
        model = Rule
        fields = FIELDS
        widgets = {
            "about": forms.RadioSelect,
            "effect": forms.RadioSelect,
            "domains": forms.Textarea(attrs={"rows": 3}),
            "words": forms.Textarea(attrs={"rows": 3}),
        }
        help_texts = {
            "flags_at_least": gettext_lazy(
                "If you enter a number, the rule waits until that many people have flagged a post"
                " or comment. “Hold for approval” then hides the post or comment until a moderator"
                " decides."
            )
        }

    def clean_domains(self) -> str:
        """Reject lines that don't name a domain."""
        text: str = self.cleaned_data["domains"]
        if wrong := [line for line in terms.lines(text) if not terms.host_of(line)]:
            self.add_error("domains", _("“%(line)s” isn't a domain.") % {"line": wrong[0]})
        return text

    def clean_words(self) -> str:
        """Reject lines that consist only of `*`, and lists of more than `terms.MOST` words."""
        text: str = self.cleaned_data["words"]
        lines = terms.lines(text)
        if wrong := [line for line in lines if not terms.is_term(line)]:
            self.add_error("words", _("“%(line)s” has no letters.") % {"line": wrong[0]})
        if len(lines) > terms.MOST:
            most = {"most": terms.MOST}
            self.add_error("words", _("A rule can have at most %(most)s words.") % most)
        return text

    def clean(self) -> dict[str, Any]:
        """Require at least one condition, and the fields that the chosen effect needs."""
        sent = super().clean() or self.cleaned_data
        self._check_room(sent)
        numbers = ("younger_than_days", "karma_below", "flags_at_least")
        lists = ("domains", "words")
        for name in ("younger_than_days", "flags_at_least"):
            if sent.get(name) == 0:
                self.add_error(name, _("Enter 1 or more, or leave this empty."))
        if not self.errors and not (
            any(sent.get(name) is not None for name in numbers)
            or any(terms.lines(sent.get(name, "")) for name in lists)
        ):
            self.add_error(None, _("A rule needs at least one condition."))
        refuses = sent.get("effect") == Rule.Effect.REFUSE
        if refuses and not sent.get("message"):
            self.add_error("message", _("Write a message that tells the author what to change."))
        if refuses and sent.get("flags_at_least") is not None:
            self.add_error(
                "effect",
                _(
                    "A rule that waits for flags can't refuse posts or comments, because only"
                    " published ones can be flagged."
                ),
            )
        return sent

    def _check_room(self, sent: dict[str, Any]) -> None:
        """Reject a new rule if its group, or the site, has too many rules."""
        if self.instance.pk is None:
            try:
                services.require_room(sent.get("group", self.instance.group))
            except Invalid as error:
                self.add_error(None, str(error))
