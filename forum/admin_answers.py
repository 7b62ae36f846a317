"""What the admin answers to an address or form, made by hand, that asks for what can't be.

It stands beside `forum.admin_site`, which has every model's pages pass here, the libraries' too.
"""

from typing import Any

from django.contrib.admin import ModelAdmin
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.views.main import ERROR_FLAG, ChangeList
from django.core.exceptions import BadRequest, ValidationError
from django.db import DatabaseError, DataError
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse

UNASKABLE = (ArithmeticError, LookupError, ValueError, DatabaseError)
"""What Python and SQL say of a year 99999999, half a span, an open bracket or a zero byte."""


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
