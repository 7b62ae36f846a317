"""Requests every URL of the site as each role, and returns the status codes as a table.

`test_permissions.py` compares the table with `permission_table.txt`. Each line has a URL, a method,
and the status code for each role. `FORMS` has valid data for some forms. The test sends all other
forms empty; a role that may use such a form gets status 422.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from http.cookies import SimpleCookie
from importlib import import_module
from pathlib import Path

from django.apps import apps
from django.contrib.auth.models import Group as Role
from django.contrib.contenttypes.models import ContentType
from django.db import connection, transaction
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from django.utils import timezone

from forum.actions.notices import conversation_with
from forum.models import Flag, Group, GroupModerator, Invitation, Post, Rule, SavedSearch, User
from forum.moderation.actions import applications, removals, sanctions
from forum.moderation.flags import services as flags
from tests.forum.comments import add_comment
from tests.forum.factories import OUR_PAGE, groups, person, post, reader

TABLE = Path(__file__).with_suffix(".txt")
ADMIN_TABLE = TABLE.with_name("permission_table_admin.txt")
ROLES = {
    "guest": "a guest",
    "new": "a member who has just signed up",
    "member": "a member",
    "author": "the author of the post and the comment",
    "ban-g": "banned from the post's group",
    "ban-s": "banned from the site",
    "mod-g": "a moderator of the post's group",
    "mod-o": "a moderator of another group",
    "mod-s": "a moderator of the site",
    "admin": "an admin",
    "audit": "an auditor",
}
"""The roles, which are the columns of the table. Each role has an explanation."""
METHODS = ("GET", "POST")
YEAR = timedelta(days=365)
ON = (
    *("group_follow", "group_hide", "follow", "block"),
    *("post_save", "post_hide", "post_watch", "post_mute", "comment_save"),
)
FORMS: Mapping[str, Mapping[str, str]] = {name: {"on": "1"} for name in ON} | {
    "display": {"theme": "dark"},
    "submit": {"kind": "text", "title": "New", "body": "Some text.", "groups": "books"},
    "post_edit": {"title": "Other", "body": "Text.", "groups": "books", "reason": "typo"},
    "post_comment": {"body": "Well said."},
    "comment_edit": {"body": "Better said."},
    "post_vote": {"vote": "up"},
    "comment_vote": {"vote": "up"},
    "post_accept": {"comment": ""},
    "post_flag": {"kind": "spam"},
    "comment_flag": {"kind": "spam"},
    "person_flag": {"kind": "spam"},
    "history_setting": {"on": "1"},
    "search_save": {"name": "Coffee", "text": "coffee"},
    "moderate_post": {"action": "lock", "reason": "heated"},
    "moderate_comment": {"action": "remove", "reason": "spam"},
    "person_warn": {"reason": "spam"},
    "conversation": {"body": "Why?"},
    "application_decide": {"decision": "admit"},
    "group_moderators": {"name": "member"},
    "group_moderator_remove": {"reason": "inactive"},
    "group_let_appoint": {"on": "1"},
}
"""Valid form data by URL name. All other forms are sent empty."""


@dataclass(frozen=True)
class Pattern:
    """A URL of the site: its name, its pattern and the names of its parameters."""

    name: str
    route: str
    parameters: tuple[str, ...]


def patterns(*, of_admin: bool) -> Iterator[Pattern]:
    """Yield the URL patterns of the admin pages (if `of_admin`) or of all other pages.

    Of several patterns with the same name, only the first is yielded.
    """
    seen = set()
    for one in _walk(get_resolver().url_patterns, "", ""):
        if one.route.startswith("admin/") is of_admin and one.name not in seen:
            seen.add(one.name)
            yield one


def _walk(
    found: list[URLPattern | URLResolver],
    prefix: str,
    namespace: str,
    outer: tuple[str, ...] = (),
) -> Iterator[Pattern]:
    for one in found:
        route = prefix + str(one.pattern)
        own = (*outer, *one.pattern.converters, *one.pattern.regex.groupindex)
        parameters = tuple(dict.fromkeys(own))
        if isinstance(one, URLPattern):
            if one.name:
                yield Pattern(f"{namespace}{one.name}", route, parameters)
        else:
            inner = f"{one.namespace}:" if one.namespace else namespace
            yield from _walk(one.url_patterns, route, inner, parameters)


def _staff_role() -> Role:
    """Run the migration that creates the moderator role, and return the role.

    Earlier tests may have deleted the role, because they empty the database.
    """
    migration = import_module("forum.migrations.0002_moderators")
    with connection.schema_editor() as editor:
        migration.add_role(apps, editor)
    return Role.objects.get(name=migration.NAME)


def _first_pk(name: str) -> int:
    """Return the id of the first row of the model that an admin URL is about.

    `name` is the name of the URL. If there is no such model, or if it has no rows, returns 1.
    """
    label, model, *_action = name.removeprefix("admin:").split("_")
    try:
        found = apps.get_model(label, model)
    except LookupError:
        return 1
    manager = (User if found._meta.swapped else found)._default_manager
    first = manager.order_by("pk").first()
    return first.pk if first else 1


class Site:
    """A small site with a browser for each role."""

    def __init__(self) -> None:
        books, maths = groups("books", "maths")
        people = {role: person(role) for role in ROLES if role != "guest"}
        User.objects.exclude(pk=people["new"].pk).update(date_joined=timezone.now() - YEAR)
        User.objects.filter(pk=people["mod-s"].pk).update(is_staff=True)
        people["mod-s"].groups.add(_staff_role())
        User.objects.filter(pk=people["admin"].pk).update(is_staff=True, is_superuser=True)
        User.objects.filter(pk=people["audit"].pk).update(is_auditor=True)
        GroupModerator.objects.create(group=books, user=people["mod-g"])
        GroupModerator.objects.create(group=maths, user=people["mod-o"])
        people = {role: User.objects.get(pk=one.pk) for role, one in people.items()}
        self.admin = people["admin"]
        for role, group in (("ban-g", books), ("ban-s", None)):
            sanctions.ban(people[role], group=group, by=self.admin, reason="spam", until=None)
        self.browsers = {role: reader(people.get(role), headers=OUR_PAGE) for role in ROLES}
        self.values = self._values(people["author"], people["member"], books)

    def _values(self, author: User, member: User, books: Group) -> dict[str, object]:
        """Create an object for each kind of URL parameter. Return the parameter values by name."""
        written = post(author, "A title", kind=Post.Kind.QUESTION)
        comment = add_comment(author, written, "An answer.")
        post(author, "A link", kind=Post.Kind.LINK, url="https://example.org/")
        item = flags.flag(written, by=member, kind=Flag.Kind.SPAM, words="", to_admins=False)
        action = removals.remove(
            add_comment(member, written, "Pills."), by=self.admin, reason="spam"
        )
        return {
            "post_id": written.pk,
            "comment_id": comment.pk,
            "item_id": item.pk,
            "inbox_id": author.inbox.latest("pk").pk,
            "flag_id": item.flags.get().pk,
            "action_id": action.pk,
            "rule_id": Rule.objects.create(group=books, name="Pills", words="pills").pk,
            "invitation_id": Invitation.objects.create(by=member).pk,
            "application_id": applications.apply(person("eve"), "I like ropes.").pk,
            "token_id": 1,
            "pk": 1,
            "provider_id": "school",
            "search_id": SavedSearch.objects.create(user=member, name="Tea", text="tea").pk,
            "conversation_id": conversation_with(author, books).pk,
            "username": author.username,
            "slug": "books",
            "group": "books",
            "page": 1,
            "host": "example.org",
            "day": timezone.now().date(),
            "monday": timezone.now().date() - timedelta(days=timezone.now().weekday()),
            "part": 1,
            "expr": "books",
            "order": "new",
            "name": "keeps_history",
            "token": "no-such-token",
            "key": "no-such-key",
            "digest": "0123456789abcdef",
            "uidb36": "1",
            "object_id": "1",
            "id": "1",
            "content_type_id": ContentType.objects.get_for_model(Rule).pk,
            "app_label": "forum",
            "url": "nowhere",
        }

    def lines(self, *, of_admin: bool = False) -> Iterator[str]:
        """Yield the lines of a permission table, ordered by URL name.

        The table lists the admin pages if `of_admin`, otherwise all other pages.
        """
        found = sorted(patterns(of_admin=of_admin), key=lambda one: one.name)
        width = max(len(one.name) for one in found) + 5
        yield " ".join((" " * width, *(f"{role:6}" for role in ROLES))).rstrip()
        for one in found:
            for method in METHODS:
                statuses = (f"{status:<6}" for status in self._statuses(one, method))
                yield " ".join((f"{one.name + ' ' + method:{width}}", *statuses)).rstrip()

    def _statuses(self, one: Pattern, method: str) -> list[int]:
        """Send a request as each role, and return the status codes.

        If guests get 405, assume 405 for all roles without further requests.
        """
        address = self._address(one)
        first = self._status("guest", one.name, method, address)
        if first == 405:
            return [first] * len(ROLES)
        return [first, *(self._status(role, one.name, method, address) for role in list(ROLES)[1:])]

    def _address(self, one: Pattern) -> str:
        values = self.values | {"slug": "a-title" if one.name == "post" else "books"}
        if one.name == "inbox_item":
            values["item_id"] = self.values["inbox_id"]
        if {"object_id", "id"} & set(one.parameters):
            values["object_id"] = values["id"] = _first_pk(one.name)
        return reverse(one.name, kwargs={name: values[name] for name in one.parameters})

    def _status(self, role: str, name: str, method: str, address: str) -> int:
        """Send a request as a person with this role, and return the status code.

        Undo changes to SQL and cookies.
        """
        client: Client = self.browsers[role]
        before = SimpleCookie(client.cookies)
        try:
            with transaction.atomic():
                if method == "GET":
                    answer = client.get(address)
                elif name.startswith("api:"):
                    answer = client.post(address, {}, content_type="application/json")
                else:
                    answer = client.post(address, FORMS.get(name, {}))
                transaction.set_rollback(True)
        finally:
            client.cookies = before
        return answer.status_code
