"""Lists whose actions take only what can be chosen in them."""

from typing import Any

from django.contrib import admin
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.core.exceptions import BadRequest, ValidationError
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse


class ChoosingAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """Answers 400 where a form made by hand chooses what no list shows; Django breaks there."""

    def response_action(
        self, request: HttpRequest, queryset: QuerySet[Any], *args: Any, **more: Any
    ) -> HttpResponse | None:
        """Do what was chosen to what was chosen."""
        key = self.model._meta.pk
        try:
            for chosen in request.POST.getlist(ACTION_CHECKBOX_NAME):
                key.run_validators(key.to_python(chosen))
        except ValidationError as error:
            raise BadRequest("no such thing to choose") from error
        return super().response_action(request, queryset, *args, **more)
