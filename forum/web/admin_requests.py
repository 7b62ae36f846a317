"""What the admin answers to an address or form, made by hand, that asks for what can't be.

`forum.web.admin_site` sends every model's pages through here, the libraries' too.
"""

from typing import Any

from django import forms
from django.contrib.admin import ModelAdmin
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.views.autocomplete import AutocompleteJsonView
from django.contrib.admin.views.main import ERROR_FLAG, ChangeList
from django.core.exceptions import BadRequest, PermissionDenied, ValidationError
from django.db import DatabaseError, DataError
from django.db.models import ManyToManyField, Model, QuerySet
from django.db.models.fields.related import RelatedField
from django.http import HttpRequest, HttpResponse

UNASKABLE = (ArithmeticError, LookupError, ValueError, DatabaseError)
"""What Python and SQL say of a year 99999999, half a span, an open bracket or a zero byte."""


class ManyChoiceField(forms.ModelMultipleChoiceField):  # type: ignore[type-arg]
    """A choice of some things, which takes a number that nothing can have for a wrong one."""

    def clean(self, value: Any) -> Any:
        """Return the things that were chosen. Raises ValidationError."""
        try:
            return super().clean(value)
        except OverflowError as error:
            said, told = self.error_messages["invalid_choice"], {"value": ", ".join(value)}
            raise ValidationError(said, code="invalid_choice", params=told) from error


class ChoicesView(AutocompleteJsonView):
    """Offers what a field can be: the fields of others that point here are nobody's to choose."""

    def process_request(self, request: HttpRequest) -> tuple[str, ModelAdmin[Any], Any, str]:
        """Return what is asked for. Raises PermissionDenied, as Django does to other nonsense."""
        term, model_admin, field, to_field = super().process_request(request)
        if not isinstance(field, RelatedField):
            raise PermissionDenied
        return term, model_admin, field, to_field


class AnsweringAdmin(ModelAdmin):  # type: ignore[type-arg]
    """Answers where Django breaks: a list without the filter, no such thing, or 400."""

    def get_changelist_instance(self, request: HttpRequest) -> ChangeList:
        """Return a list. One that can't be asked for leads to the plain one, as Django has it; what
        that says of itself is true, also of a database that is away.
        """
        try:
            return super().get_changelist_instance(request)
        except UNASKABLE as error:
            if request.GET.keys() <= {ERROR_FLAG}:
                raise
            raise IncorrectLookupParameters(error) from error

    def get_object(
        self, request: HttpRequest, object_id: str, from_field: str | None = None
    ) -> Model | None:
        """Return a thing; None for what can be none's number or name."""
        try:
            return super().get_object(request, object_id, from_field or None)
        except (ArithmeticError, DataError):
            return None

    def formfield_for_manytomany(
        self, db_field: ManyToManyField[Any, Any], request: HttpRequest, **more: Any
    ) -> Any:
        """Return the field of a form for some other things, whatever is sent to it."""
        more["form_class"] = ManyChoiceField
        return super().formfield_for_manytomany(db_field, request, **more)

    def response_action(
        self, request: HttpRequest, queryset: QuerySet[Any], *args: Any, **more: Any
    ) -> HttpResponse | None:
        """Do what was chosen to what was chosen, where a list can show such a thing."""
        key = self.model._meta.pk
        try:
            for chosen in request.POST.getlist(ACTION_CHECKBOX_NAME):
                key.run_validators(key.to_python(chosen))
        except ValidationError as error:
            raise BadRequest("no such thing to choose") from error
        return super().response_action(request, queryset, *args, **more)
