"""Posts in the admin: staff can edit, remove and restore them."""

from typing import Any, cast

from django import forms
from django.contrib import admin
from django.contrib.admin.utils import unquote
from django.contrib.admin.views.main import ChangeList
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.urls import URLPattern, path
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

from forum.actions import edit_conflicts
from forum.actions import posts as post_actions
from forum.admin.deletable import DeletableAdmin, DeletedFilter, is_on_site
from forum.admin.links import to_list, writer
from forum.admin.pins.admin import pin_page
from forum.admin.text_actions import DECISIONS, THREADS, merge_chosen
from forum.admin.voting_columns import UNKNOWN, LookupList
from forum.config.hidden_scores import is_hidden
from forum.errors import EditConflict
from forum.identity.viewers import member
from forum.models import Group, Post
from forum.store.service import get_voting_service
from forum.web.forms.fields import BODY_HELP, EDIT_CONFLICT, BodyField, SeenField, TitleField
from forum.web.forms.groups import MOST
from forum.web.forms.reasons import ReasonField
from voting.types.standing import Standing


class PostList(LookupList):
    """The admin list of posts, with the points and rank of each post."""

    @staticmethod
    def look_up(posts: list[Post]) -> dict[int, Standing]:
        """Return the points and rank of each post on the page."""
        return get_voting_service().posts.standings([post.pk for post in posts])


class GroupsFilter(admin.RelatedOnlyFieldListFilter):
    """Filters posts by group. Offers only groups that have posts."""

    include_empty_choice = False


class PostForm(forms.ModelForm):  # type: ignore[type-arg]
    """The admin form for a post's title, text and groups, with the same rules as on the site."""

    title = TitleField()
    body = BodyField(help_text=BODY_HELP)
    seen = SeenField()
    reason = ReasonField(required=False)
    """The reason for the edit. Staff who edit their own posts don't see this field."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["title"].widget.attrs["class"] = "vTextField"
        self.fields["body"].widget.attrs["class"] = "vLargeTextField"
        if "reason" in self.fields:
            self.fields["reason"].widget.attrs["class"] = "vTextField"
        if "groups" in self.fields:
            groups = Group.objects.filter(merged_into=None)
            self.fields["groups"].queryset = groups  # type: ignore[attr-defined]
        self.initial["seen"] = edit_conflicts.fingerprint(self.instance)

    def clean_groups(self) -> QuerySet[Any]:
        """Raise ValidationError if more groups were chosen than a post may be in."""
        groups: QuerySet[Any] = self.cleaned_data["groups"]
        if len(groups) > MOST:
            raise forms.ValidationError(_("Choose one to three groups."))
        return groups

    def clean(self) -> dict[str, Any]:
        """Require a reason for a change, and report edit conflicts.

        Submitting the form again after an edit conflict overwrites the other edit.
        """
        sent = super().clean() or self.cleaned_data
        current = Post.objects.locked(self.instance.pk)
        groups = set(current.groups.all())
        submitted = (sent.get("title"), sent.get("body"), set(sent.get("groups", ())))
        changed = submitted != (current.title, current.body, groups)
        if changed and "reason" in self.fields and not sent.get("reason"):
            self.add_error("reason", self.fields["reason"].error_messages["required"])
        try:
            if changed:
                edit_conflicts.check(current, sent["seen"])
        except EditConflict:
            again = cast("QueryDict", self.data).copy()
            again["seen"] = edit_conflicts.fingerprint(current)
            self.data = again
            self.add_error(None, EDIT_CONFLICT)
        return sent


@admin.register(Post)
class PostAdmin(DeletableAdmin):
    """Staff edit posts through `forum.actions.posts`, which logs and syncs the edits."""

    actions = (*DeletableAdmin.actions, *DECISIONS, *THREADS, merge_chosen)
    form = PostForm
    change_form_template = "admin/post_change_form.html"
    list_display = ("title", writer, "kind", "points", "rank", "created_at", is_on_site)
    list_select_related = ("author",)
    list_filter = (DeletedFilter, "kind", ("groups", GroupsFilter))
    search_fields = ("title", "url", "author__username")
    date_hierarchy = "created_at"
    ordering = ("-created_at", "-pk")
    question = ngettext_lazy("Remove %(n)d post?", "Remove %(n)d posts?", "n")
    removed = ngettext_lazy("%(n)d post removed.", "%(n)d posts removed.", "n")
    restored = ngettext_lazy("%(n)d post restored.", "%(n)d posts restored.", "n")
    warning = _(
        "The posts will disappear from all lists. Their pages will say that moderators removed"
        " them, and why. You can restore the posts later, with their votes and comments."
    )
    fields = (
        *("title", "kind", "url", "body", "groups", "author", "comments"),
        *("created_at", "edited_at", "deleted_at"),
    )
    readonly_fields = (
        *("kind", "url", "author", "comments"),
        *("created_at", "edited_at", "deleted_at"),
    )
    filter_horizontal = ("groups",)

    def get_fields(self, request: HttpRequest, obj: Post | None = None) -> tuple[str, ...]:
        """Return the fields of a post's page.

        If the viewer can edit the post, adds the hidden field `seen`, which detects edit conflicts.
        If somebody else wrote the post, also adds the field `reason`.
        """
        if not self.has_change_permission(request, obj):
            return self.fields
        return (*self.fields, "seen") if _is_own(request, obj) else (*self.fields, "reason", "seen")

    def get_form(
        self, request: HttpRequest, obj: Post | None = None, change: bool = False, **kwargs: Any
    ) -> type[PostForm]:
        """Return the form, without the reason field if staff edit their own post."""
        form = cast("type[PostForm]", super().get_form(request, obj, change, **kwargs))
        if _is_own(request, obj):
            del form.base_fields["reason"]
        return form

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        return PostList

    def get_urls(self) -> list[URLPattern]:
        """Return the URLs of the posts' admin, including the page that pins a post."""
        pin = self.admin_site.admin_view(self.pin_view)
        return [path("<path:object_id>/pin/", pin, name="forum_post_pin"), *super().get_urls()]

    def pin_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Show the page that pins or unpins a post.

        Raises Http404 if the post doesn't exist, and PermissionDenied if the viewer may not change
        the post.
        """
        post = self.get_object(request, unquote(object_id))
        if post is None:
            raise Http404("no such post")
        if not self.has_change_permission(request, post):
            raise PermissionDenied
        return pin_page(request, post)

    @admin.display(description=_("comments"))
    def comments(self, post: Post) -> str:
        """Return a link to the post's comments in the admin."""
        return to_list("comment", str(post.comment_count), post__id__exact=post.pk)

    @admin.display(description=_("points"))
    def points(self, post: Post) -> str:
        standing: Standing | None = getattr(post, "looked_up", None)
        if standing is None or is_hidden(post.posted_at):
            return UNKNOWN
        return str(standing.points)

    @admin.display(description=_("rank"))
    def rank(self, post: Post) -> str:
        standing: Standing | None = getattr(post, "looked_up", None)
        return str(standing.rank) if standing and standing.rank else UNKNOWN

    def save_model(self, request: HttpRequest, obj: Post, form: Any, change: bool) -> None:
        """Save an edited post, including its groups."""
        post_actions.edit(
            obj,
            by=member(request),
            title=obj.title,
            body=obj.body,
            groups=list(form.cleaned_data["groups"]),
            reason=form.cleaned_data.get("reason", ""),
        )

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        """Do nothing: `save_model` saves the groups."""

    def log_change(self, request: HttpRequest, obj: Any, message: Any) -> Any:
        """Do nothing: `forum.actions.posts` already logs edits by staff."""


def _is_own(request: HttpRequest, post: Post | None) -> bool:
    return post is not None and post.author_id == member(request).pk
