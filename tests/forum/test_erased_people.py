"""People who were erased don't come back with a backup."""

import json
import stat
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from forum.models import Erasure, Post, User
from forum.operations.backups import erased
from forum.operations.repair.check import differences
from forum.operations.repair.rebuild import refill
from tests.forum.erasing import do_all_steps, erase
from tests.forum.factories import person_with_email, post
from tests.forum.merging import merge, undone
from tests.forum.pages import get_html

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def eve() -> User:
    return person_with_email("evelyn")


@pytest.fixture
def place(settings: Any, tmp_path: Path) -> Path:
    """The folder of the site's backups, which doesn't exist yet."""
    settings.FORUM_DATA = tmp_path
    return tmp_path / "backups"


def come_back(person: User) -> None:
    """Make SQL what it was before a person was erased, as an old backup does."""
    Erasure.objects.all().delete()
    User.objects.filter(pk=person.pk).update(
        username="evelyn", email="evelyn@example.org", is_active=True
    )


def test_list_names_nobody_and_only_its_owner_can_read_it(eve: User, place: Path) -> None:
    erase(eve)
    erased.save()
    erased.save()
    (line,) = (place / erased.FILE).read_text().splitlines()
    joined = eve.date_joined.isoformat()
    assert json.loads(line) == {"id": eve.pk, "joined": joined, "keeps_texts": True}
    assert stat.S_IMODE((place / erased.FILE).stat().st_mode) == 0o600


def test_there_is_no_list_before_somebody_is_erased(eve: User, place: Path) -> None:
    Erasure.objects.create(user=eve, asked_at=timezone.now(), due_at=timezone.now())
    erased.save()
    assert not place.exists()


@pytest.mark.parametrize("beside", [True, False])
def test_erased_person_is_erased_again_after_a_restore(
    eve: User, ada: User, place: Path, tmp_path: Path, beside: bool
) -> None:
    """The list is beside the backup, or only the site itself has one."""
    post(eve, "Hers")
    erase(eve)
    backup = (tmp_path / "elsewhere" if beside else place) / "20261101-000000"
    erased.add_to(backup.parent)
    come_back(eve)
    assert erased.erase_again(backup) == 1
    refill()
    do_all_steps()
    eve.refresh_from_db()
    assert (eve.username, eve.email) == (f"[deleted-{eve.pk}]", "")
    assert Erasure.objects.get().done_at
    assert "evelyn" not in get_html("/new")
    assert User.objects.get(pk=ada.pk).username == "ada"
    assert list(differences()) == []
    assert erased.erase_again(backup) == 0


def test_texts_are_removed_again_if_the_person_chose_so(eve: User, place: Path) -> None:
    made = post(eve, "Hers")
    erase(eve, keeps_texts=False)
    erased.save()
    come_back(eve)
    Post.objects.filter(pk=made.pk).update(title="Hers", body="Words", deleted_at=None)
    erased.erase_again(place / "20261101-000000")
    assert Post.objects.get(pk=made.pk).title == ""


def test_person_of_another_site_with_the_same_id_stays(eve: User, place: Path) -> None:
    erase(eve)
    erased.save()
    come_back(eve)
    User.objects.filter(pk=eve.pk).update(date_joined=timezone.now())
    assert erased.erase_again(place / "20261101-000000") == 0
    assert User.objects.get(pk=eve.pk).username == "evelyn"


@pytest.mark.parametrize("keeps_texts", [True, False])
def test_post_of_an_erased_person_comes_back_from_a_merge_only_if_the_texts_stay(
    eve: User, ada: User, root: User, keeps_texts: bool
) -> None:
    merged = post(eve, "Twice", kind="link", url="https://example.org/")
    action = merge(merged, post(ada), root)
    erase(eve, keeps_texts=keeps_texts)
    undone(action, root)
    assert list(Post.objects.visible().filter(pk=merged.pk)) == [merged] * keeps_texts
    assert Post.objects.get(pk=merged.pk).title == "Twice" * keeps_texts
    assert list(differences()) == []
