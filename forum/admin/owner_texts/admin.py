"""Admin pages for the owners' texts, tagline and logo."""

from typing import Any

from django import forms
from django.conf import settings
from django.contrib import admin, messages
from django.core.files.uploadedfile import UploadedFile
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _

from forum.admin.owner_texts import services
from forum.models import SiteIdentity, SiteText
from forum.queries import logos
from forum.queries.owner_texts import written
from forum.web.forms.fields import BodyField
from forum.web.redirects import redirect_303

MARKDOWN = _("Markdown: *emphasis*, **strong**, [words](https://example.org), ## heading.")


class TextForm(forms.ModelForm):  # type: ignore[type-arg]
    """The form for one text. The same limits apply as for the text of posts."""

    language = forms.ChoiceField(
        label=_("Language"),
        required=False,
        choices=[("", _("All languages")), *settings.LANGUAGES],
    )
    body = BodyField(rows=24, required=True, help_text=MARKDOWN)

    class Meta:
        model = SiteText
        fields = ("page", "language", "body")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["body"].widget.attrs["class"] = "vLargeTextField"


@admin.register(SiteText)
class SiteTextAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """Admin of the rules, privacy, contact and about texts."""

    form = TextForm
    list_display = ("page", "language", "updated_at")

    def save_model(self, request: HttpRequest, obj: SiteText, form: Any, change: bool) -> None:
        services.save_text(obj)

    def delete_model(self, request: HttpRequest, obj: SiteText) -> None:
        services.delete_text(obj)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[SiteText]) -> None:
        for text in queryset:
            services.delete_text(text)


class IdentityForm(forms.ModelForm):  # type: ignore[type-arg]
    """The form to change the tagline, and to keep, replace or remove the logo."""

    new_logo = forms.FileField(
        label=_("New logo"),
        required=False,
        help_text=_(
            "A PNG file of at most 100 kB and 1024 by 1024 pixels. On pages, the logo is 28 pixels"
            " high."
        ),
        widget=forms.FileInput(attrs={"accept": "image/png"}),
    )
    remove_logo = forms.BooleanField(label=_("Remove the logo"), required=False)

    class Meta:
        model = SiteIdentity
        fields = ("tagline",)

    def clean_new_logo(self) -> bytes | None:
        """Return the content of the uploaded file; None if no file was chosen."""
        file: UploadedFile[bytes] | None = self.cleaned_data["new_logo"]
        if file is None:
            return None
        content = bytes(file.read(logos.LARGEST + 1))
        logos.check(content)
        return content

    def logo(self) -> bytes | None:
        """Return the logo to save; None keeps the present logo, and empty bytes remove it."""
        if self.cleaned_data["remove_logo"]:
            return b""
        new: bytes | None = self.cleaned_data["new_logo"]
        return new


@admin.register(SiteIdentity)
class SiteIdentityAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """Admin of the tagline and logo, which are stored in a single row."""

    form = IdentityForm
    fields = ("tagline", "shown", "new_logo", "remove_logo")
    readonly_fields = ("shown",)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        """Redirect to the form for the only row. Create the row if it doesn't exist."""
        if not self.has_view_or_change_permission(request):
            return super().changelist_view(request, extra_context)
        SiteIdentity.objects.get_or_create(pk=SiteIdentity.ONLY)
        return redirect(reverse("admin:forum_siteidentity_change", args=[SiteIdentity.ONLY]))

    @admin.display(description=_("logo"))
    def shown(self, saved: SiteIdentity) -> str:
        """Return the HTML that shows the present logo."""
        identity = written.get().identity
        if not identity.logo:
            return "—"
        address = reverse("logo", args=[identity.logo])
        return format_html('<img src="{}" alt="" height="{}">', address, identity.logo_height)

    def save_model(self, request: HttpRequest, obj: SiteIdentity, form: Any, change: bool) -> None:
        services.save_identity(tagline=obj.tagline, logo=form.logo())

    def response_change(self, request: HttpRequest, obj: SiteIdentity) -> HttpResponse:
        """Show the form again, with our own message.

        Django's message would contain the words "tagline and logo" twice.
        """
        messages.success(request, _("The tagline and the logo were saved."))
        return redirect_303(request.path)
