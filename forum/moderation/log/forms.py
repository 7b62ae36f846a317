"""The form that filters the log."""

from typing import Any
from urllib.parse import urlencode

from django import forms
from django.utils.text import capfirst
from django.utils.translation import gettext_lazy as _

from forum.models import ModAction
from forum.moderation.log.queries import LogFilter
from forum.queries.groups import directory
from forum.web.forms.people import PersonField

ALL = ("", _("All"))


class LogForm(forms.Form):
    """Asks which actions the log should list."""

    group = forms.ChoiceField(label=_("Group"), required=False)
    kind = forms.ChoiceField(label=_("Action"), required=False)
    moderator = PersonField(label=_("Moderator"), required=False)
    person = PersonField(label=_("Person concerned"), required=False)

    def __init__(self, data: Any, *, names_moderators: bool) -> None:
        super().__init__(data)
        topics = directory.topics().values()
        groups, kinds = self.fields["group"], self.fields["kind"]
        groups.choices = [ALL, *((one.slug, one.title) for one in topics)]  # type: ignore[attr-defined]
        kinds.choices = [ALL, *((k, capfirst(label)) for k, label in ModAction.Kind.choices)]  # type: ignore[attr-defined]
        if not names_moderators:
            del self.fields["moderator"]

    @property
    def query(self) -> str:
        """The query string of the URL with this filter, or "" if nothing is filtered."""
        chosen = {name: self.data[name] for name in self.fields if self.data.get(name)}
        return f"?{urlencode(chosen)}" if chosen else ""

    def wanted(self) -> LogFilter:
        """Return the filter that the reader chose."""
        chosen = self.cleaned_data
        topic = directory.find(chosen["group"]) if chosen["group"] else None
        moderator, person = chosen.get("moderator"), chosen["person"]
        return LogFilter(
            group_id=topic.id if topic else None,
            kind=chosen["kind"],
            by_id=moderator.pk if moderator else None,
            person_id=person.pk if person else None,
        )
