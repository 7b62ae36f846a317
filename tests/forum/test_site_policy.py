"""The site's policy in the admin: settings of moderation and sign-up."""

from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.forms import model_to_dict

from forum.actions.policy import policy
from forum.models import SitePolicy, User
from tests.forum.factories import person, reader

pytestmark = pytest.mark.django_db(transaction=True)
PAGE = f"/admin/forum/sitepolicy/{SitePolicy.ONLY}/change/"


def save(user: User, **changed: Any) -> Any:
    """Send the admin's form with some changed settings."""
    window = reader(user)
    window.get("/admin/forum/sitepolicy/", follow=True)
    kept = {
        name: value for name, value in model_to_dict(SitePolicy()).items() if value is not False
    }
    del kept["id"]
    return window.post(PAGE, kept | changed)


def test_admin_changes_a_setting_and_pages_follow_at_once(root: User) -> None:
    assert policy.get().sign_up == "open"
    assert save(root, sign_up="closed").status_code == 302
    assert policy.get().sign_up == "closed"
    assert "Nobody can sign up" in reader().get("/accounts/signup/").content.decode()


def test_each_change_is_in_the_staff_log(root: User) -> None:
    save(root, hide_min_days=4)
    entry = LogEntry.objects.get()
    assert entry.user == root
    assert "minimum account age for a flag to help hide" in entry.get_change_message().lower()


def test_items_are_never_hidden_before_moderators_see_them(root: User) -> None:
    refused = save(root, queue_weight=2.0, hide_weight=1.0)
    assert (
        "lower than the flag weight that puts an item in the moderation queue."
    ) in refused.content.decode()
    assert policy.get().queue_weight != 2.0


def test_applicants_need_a_question(root: User) -> None:
    refused = save(root, sign_up="application", question="")
    assert "Write the question that applicants answer." in refused.content.decode()


def test_site_moderator_does_not_reach_the_page(root: User) -> None:
    stella = person("stella", is_staff=True)
    SitePolicy.objects.create(pk=SitePolicy.ONLY)
    assert save(stella, sign_up="closed").status_code == 403
    assert reader(stella).get(PAGE).status_code == 403
    assert policy.get().sign_up == "open"


def test_policy_cannot_be_deleted_or_added_twice(root: User) -> None:
    save(root)
    window = reader(root)
    assert window.get(PAGE.replace("change", "delete")).status_code == 403
    assert window.get("/admin/forum/sitepolicy/add/").status_code == 403
