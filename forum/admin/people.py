"""People: who they are, what they may do, and whether they may log in."""

from typing import Any

from allauth.account.adapter import get_adapter
from django.contrib import admin
from django.contrib.admin.views.main import ChangeList
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.forms import (
    AdminPasswordChangeForm,
    AdminUserCreationForm,
    UserChangeForm,
)
from django.http import HttpRequest
from django.utils.html import format_html_join
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from forum.admin.links import to_list
from forum.admin.messages import send_message
from forum.admin.voting_columns import UNKNOWN, MeasuredList
from forum.identity.viewers import member
from forum.models import User
from forum.queries.counts import done_and_received
from forum.text import usernames
from voting.types.counters import PersonCounts

POWERS = ("is_staff", "is_superuser", "groups", "user_permissions")
"""What makes somebody staff, and says what they may do."""
PLAIN = {"email", "about", "is_active", "is_staff", "is_superuser"}
"""What staff may change in a person's own row."""


class PeopleList(MeasuredList):
    """People with what they wrote, counted by SQL."""

    @staticmethod
    def measure(people: list[User]) -> dict[int, PersonCounts]:
        """Return the counters of the page's people. One query."""
        return done_and_received([person.pk for person in people])


class NewPersonForm(AdminUserCreationForm):  # type: ignore[type-arg]
    """A new person made by staff; names have the same form as at sign-up."""

    class Meta:
        model = User
        fields = ("username",)
        help_texts = {"username": usernames.HELP}

    def clean_username(self) -> str:
        """Refuse names that can't stand in addresses."""
        name = str(super().clean_username())
        usernames.check(name)
        return name


class PersonForm(UserChangeForm):  # type: ignore[type-arg]
    """What staff may change of a person. What was shown goes along, so that only what staff changed
    in it is changed, whatever has become of the rest meanwhile.
    """

    class Meta(UserChangeForm.Meta):
        help_texts = {"username": usernames.HELP}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in PLAIN & self.fields.keys():
            self.fields[name].show_hidden_initial = True


class NewPasswordForm(AdminPasswordChangeForm):  # type: ignore[type-arg]
    """A new password that staff set. The person gets a notice of it."""

    def save(self, commit: bool = True) -> User:
        person: User = super().save(commit)
        get_adapter().send_notification_mail("account/email/password_changed", person)
        return person


@admin.register(User)
class PersonAdmin(UserAdmin):  # type: ignore[type-arg]
    """A name is part of every card in Redis and of links elsewhere, so it never changes.

    Moderators may look after people. Only superusers give powers, and change who has any: staff who
    could would have all powers, by a tick or by somebody else's password.
    """

    actions = (send_message,)
    form = PersonForm
    add_form = NewPersonForm
    change_password_form = NewPasswordForm
    list_display = (
        *("username", "is_active", "posts", "comments", "karma"),
        *("email", "date_joined", "last_login", "is_staff"),
    )
    list_filter = ("is_staff", "is_active", "is_superuser")
    search_fields = ("username", "email", "about")
    date_hierarchy = "date_joined"
    ordering = ("-date_joined",)
    list_per_page = 50
    show_full_result_count = False
    fieldsets = (
        (None, {"fields": ("username", "password")}),
        (_("Person"), {"fields": ("email", "about", "written")}),
        (
            _("Permissions"),
            {"fields": ("is_active", "is_staff", "is_superuser", "groups", "user_permissions")},
        ),
        (_("Dates"), {"fields": ("last_login", "date_joined")}),
    )
    readonly_fields = ("last_login", "date_joined", "written")

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        return PeopleList

    @admin.display(description=_("posts"))
    def posts(self, person: User) -> str:
        counts: PersonCounts | None = getattr(person, "measured", None)
        return _posts_of(person, str(counts.posts)) if counts else UNKNOWN

    @admin.display(description=_("comments"))
    def comments(self, person: User) -> str:
        counts: PersonCounts | None = getattr(person, "measured", None)
        return _comments_of(person, str(counts.comments)) if counts else UNKNOWN

    @admin.display(description=_("written"))
    def written(self, person: User) -> str:
        """Link to what the person wrote, in the admin."""
        links = (
            _posts_of(person, gettext("Posts")),
            _comments_of(person, gettext("Comments")),
        )
        return format_html_join(" · ", "{}", ((link,) for link in links))

    def get_readonly_fields(self, request: HttpRequest, obj: User | None = None) -> Any:
        fixed = super().get_readonly_fields(request, obj)
        fixed = (*fixed, "username") if obj else fixed
        return fixed if member(request).is_superuser else (*fixed, *POWERS)

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:
        """Save a person. If their address changed, notify the old address."""
        if change:
            obj.save(update_fields=PLAIN.intersection(form.changed_data))
            if "email" in form.changed_data and form.initial["email"]:
                get_adapter(request).notify_changed(obj, form.initial["email"], obj.email)
        else:
            super().save_model(request, obj, form, change)

    def has_change_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        """Staff are there to be read, but for superusers."""
        allowed = bool(super().has_change_permission(request, obj))
        return allowed and (obj is None or not obj.is_staff or member(request).is_superuser)

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        """People are made inactive, not erased: posts and votes are theirs."""
        return False


def _posts_of(person: User, name: str) -> str:
    return to_list("post", name, author__id__exact=person.pk)


def _comments_of(person: User, name: str) -> str:
    return to_list("comment", name, author__id__exact=person.pk)
