"""People in the admin: details, permissions, and whether a person may log in."""

from typing import Any

from allauth.account.adapter import get_adapter
from django.contrib import admin
from django.contrib.admin.utils import unquote
from django.contrib.admin.views.main import ChangeList
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.forms import AdminUserCreationForm, UserChangeForm
from django.core.exceptions import PermissionDenied, ValidationError
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.html import format_html_join
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from forum.actions import renames
from forum.admin.links import to_list
from forum.admin.messages import send_message
from forum.admin.personal_data import delete_accounts, export_data
from forum.admin.reset_links import reset_link_page
from forum.admin.sanctions import (
    ban_chosen,
    end_bans,
    offer_voiding,
    remove_everything_of_chosen,
    warn_chosen,
)
from forum.admin.sessions import end_sessions
from forum.admin.voting_columns import UNKNOWN, LookupList
from forum.errors import Invalid
from forum.identity import sessions
from forum.identity.roles import has_powers
from forum.identity.viewers import member
from forum.models import User
from forum.queries import role_marks
from forum.queries.counts import done_and_received
from forum.text import usernames
from voting.types.people import PersonCounts

ADMIN_FIELDS = ("email", "is_staff", "is_superuser", "is_auditor", "groups", "user_permissions")
"""The fields that only superusers change: the address for reset links, roles and permissions."""
EDITABLE_FIELDS = {"email", "about", "is_active", "is_staff", "is_superuser", "is_auditor"}
"""The fields of the `User` model that staff may change."""


class PeopleList(LookupList):
    """The admin list of people, with each person's karma and numbers of posts and comments."""

    @staticmethod
    def look_up(people: list[User]) -> dict[int, PersonCounts]:
        """Return the numbers of posts and comments of each person on the page."""
        return done_and_received([person.pk for person in people])


class NewPersonForm(AdminUserCreationForm):  # type: ignore[type-arg]
    """The form with which staff create an account, whose votes count at once.

    User names have the same rules as at sign-up. People with a role can't be created here, so names
    of roles are refused.
    """

    class Meta:
        model = User
        fields = ("username",)
        help_texts = {"username": usernames.HELP}

    def clean_username(self) -> str:
        """Refuse names that sign-up refuses."""
        name = str(super().clean_username())
        try:
            renames.require_free(name)
        except Invalid as error:
            raise ValidationError(str(error)) from error
        return name

    def save(self, commit: bool = True) -> User:
        """Save the account. Votes of people whom staff know needn't wait."""
        self.instance.counts_at_once = True
        person: User = super().save(commit)
        return person


class PersonForm(UserChangeForm):  # type: ignore[type-arg]
    """The form for a person's details, without a password: staff send a link to reset it.

    Only fields that the viewer changed are saved, so that simultaneous changes by others are kept.
    """

    password = None  # type: ignore[assignment]  # Django's way to leave out an inherited field

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in EDITABLE_FIELDS & self.fields.keys():
            self.fields[name].show_hidden_initial = True


@admin.register(User)
class PersonAdmin(UserAdmin):  # type: ignore[type-arg]
    """The admin of people. People change their own user names (see `forum.actions.renames`).

    Only superusers change permissions, email addresses, and accounts of people who have powers.
    Otherwise moderators could make themselves superusers, or take over another person's account.
    """

    actions = (
        *(send_message, warn_chosen, ban_chosen, end_bans, remove_everything_of_chosen),
        *(end_sessions, export_data, delete_accounts),
    )
    form = PersonForm
    add_form = NewPersonForm
    change_form_template = "admin/person_change_form.html"
    list_display = (
        *("name", "is_active", "posts", "comments", "karma"),
        *("email", "date_joined", "last_login", "is_staff"),
    )
    list_filter = ("is_staff", "is_active", "is_superuser")
    search_fields = ("username", "email", "about")
    date_hierarchy = "date_joined"
    ordering = ("-date_joined",)
    list_per_page = 50
    show_full_result_count = False
    fieldsets = (
        (None, {"fields": ("name",)}),
        (_("Person"), {"fields": ("email", "about", "written")}),
        (
            _("Permissions"),
            {
                "fields": (
                    *("is_active", "is_staff", "is_superuser", "is_auditor"),
                    *("groups", "user_permissions"),
                )
            },
        ),
        (_("Dates"), {"fields": ("last_login", "date_joined")}),
    )
    readonly_fields = ("name", "last_login", "date_joined", "written")

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        return PeopleList

    def user_change_password(
        self,
        request: HttpRequest,
        id: str,  # noqa: A002 - the name in Django's URL
        form_url: str = "",
    ) -> HttpResponse:
        """Show the page that mails a person a link to reset the password, and send the link.

        Raises Http404 if there is no such person, and PermissionDenied if the viewer may not change
        the person's account.
        """
        person = self.get_object(request, unquote(id))
        if person is None:
            raise Http404("no such person")
        if not self.has_change_permission(request, person):
            raise PermissionDenied
        return reset_link_page(request, person)

    @admin.display(description=_("User name"), ordering="username")
    def name(self, person: User) -> str:
        return person.shown_name

    @admin.display(description=_("posts"))
    def posts(self, person: User) -> str:
        counts: PersonCounts | None = getattr(person, "looked_up", None)
        return _posts_of(person, str(counts.posts)) if counts else UNKNOWN

    @admin.display(description=_("comments"))
    def comments(self, person: User) -> str:
        counts: PersonCounts | None = getattr(person, "looked_up", None)
        return _comments_of(person, str(counts.comments)) if counts else UNKNOWN

    @admin.display(description=_("posts and comments"))
    def written(self, person: User) -> str:
        """Return links to the person's posts and comments in the admin."""
        links = (
            _posts_of(person, gettext("Posts")),
            _comments_of(person, gettext("Comments")),
        )
        return format_html_join(" · ", "{}", ((link,) for link in links))

    def get_readonly_fields(self, request: HttpRequest, obj: User | None = None) -> Any:
        fixed = super().get_readonly_fields(request, obj)
        return fixed if member(request).is_superuser else (*fixed, *ADMIN_FIELDS)

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:
        """Save a person. If the email address changed, notify the old address.

        If the account was deactivated, end its sessions, and offer to void its votes.
        """
        transaction.on_commit(role_marks.forget)
        if change:
            obj.save(update_fields=EDITABLE_FIELDS.intersection(form.changed_data))
            if "is_active" in form.changed_data and not obj.is_active:
                transaction.on_commit(lambda: sessions.end_all(obj))
                offer_voiding(request, [obj.username])
            if "email" in form.changed_data and form.initial["email"]:
                get_adapter(request).notify_changed(obj, form.initial["email"], obj.email)
        else:
            super().save_model(request, obj, form, change)

    def has_change_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        """Return whether the viewer may change a person.

        Only superusers may change staff, auditors and moderators of groups.
        """
        allowed = bool(super().has_change_permission(request, obj))
        return allowed and (obj is None or member(request).is_superuser or not has_powers(obj))

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        """Return False. Staff deactivate accounts instead, so that posts and votes stay."""
        return False


def _posts_of(person: User, name: str) -> str:
    return to_list("post", name, author__id__exact=person.pk)


def _comments_of(person: User, name: str) -> str:
    return to_list("comment", name, author__id__exact=person.pk)
