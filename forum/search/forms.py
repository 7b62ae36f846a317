"""The search box, and the form that saves a search."""

from django import forms
from django.utils.translation import gettext_lazy as _

from forum.models import SavedSearch
from forum.search.parser import LONGEST
from forum.search.queries import Order


class SearchForm(forms.Form):
    """Asks what to search for, and in which order to show the results."""

    q = forms.CharField(label=_("Search"), max_length=LONGEST, required=False)
    o = forms.ChoiceField(choices=[(order.value, order.value) for order in Order], required=False)


class SaveSearchForm(forms.ModelForm):  # type: ignore[type-arg]
    """A search, and the name under which to save it."""

    class Meta:
        model = SavedSearch
        fields = ("name", "text")
        widgets = {"text": forms.HiddenInput}
