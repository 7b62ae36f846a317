"""An export contains everything that people wrote, and can be loaded into a new site."""

import json
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.core.management import CommandError, call_command
from django.db.models import QuerySet
from django.utils import timezone

from forum.actions import comments as comment_actions
from forum.api import tokens
from forum.models import (
    Comment,
    DayPost,
    FinishedDay,
    Group,
    Post,
    PreviewImage,
    SiteIdentity,
    User,
)
from forum.operations.backups import folders
from forum.operations.exporting import tables
from forum.operations.exporting.loading import load, read_description
from forum.operations.exporting.writing import DESCRIPTION, count_rows, export
from tests.forum.comments import add_comment
from tests.forum.demo_copies import LoadedDemo
from tests.forum.factories import person, post, reader
from tests.forum.library import library
from tests.forum.worker_runs import run_worker
from tests.start.test_export import contents

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.dialect]
TEXT = "Tab\there, \u2028 a separator, \x0b\x7f controls, 👩‍👩‍👧 and עברית with 漢字."


def exported(folder: Path) -> Path:
    """Export the site to a folder, and return the folder."""
    export(folder, lambda _rows: None)
    return folder


def loaded(folder: Path) -> None:
    """Empty the site, and load an export."""
    call_command("flush", interactive=False, verbosity=0)
    read_description(folder)
    load(folder, lambda _rows: None)


def changed(folder: Path, name: str, line: str) -> Path:
    """Replace the first line of a file in an export, and update the export's checksums."""
    lines = (folder / name).read_text().split("\n")
    (folder / name).write_text("\n".join([line, *lines[1:]]))
    folders.write_checksums(folder)
    return folder


def test_every_model_is_exported_or_left_out_with_a_reason() -> None:
    every = {model._meta.label for model in apps.get_models(include_auto_created=True)}
    assert every == {*tables.EXPORTED, *tables.LEFT_OUT}
    assert not {*tables.EXPORTED} & {*tables.LEFT_OUT}
    assert len({tables.file_of(model) for model in tables.exported()}) == len(tables.EXPORTED)


def test_loading_an_export_and_exporting_again_gives_the_same_files(
    ada: User, bob: User, tmp_path: Path
) -> None:
    library(ada, bob)
    add_comment(bob, post(ada, TEXT.replace("\t", " "), body=TEXT), TEXT)
    SiteIdentity.objects.create(pk=SiteIdentity.ONLY, tagline="Bread", logo=bytes(range(256)))
    DayPost.objects.create(
        day=FinishedDay.objects.create(day=date(2026, 11, 24)),
        rank=1,
        post=Post.objects.latest("pk"),
        points=3,
    )
    tokens.create(user=ada, name="Script", scopes=["read", "vote"])
    first = exported(tmp_path / "first")
    loaded(first)
    assert contents(exported(tmp_path / "second")) == contents(first)


def test_demo_site_is_exported_and_loaded_with_its_moderation(
    demo: LoadedDemo, tmp_path: Path
) -> None:
    first = exported(tmp_path / "first")
    loaded(first)
    assert contents(exported(tmp_path / "second")) == contents(first)
    filled = {model._meta.label for model in tables.exported() if QuerySet(model).exists()}
    assert filled >= {"forum.Ban", "forum.Flag", "forum.InboxItem", "forum.Message", "forum.Rule"}


def test_loaded_site_continues_where_the_old_one_ended(ada: User, tmp_path: Path) -> None:
    written = post(ada, "On bread", body="Knead *well*.")
    add_comment(person("bob"), written, "Which bread?")
    loaded(exported(tmp_path / "export"))
    assert reader().get("/search?q=knead").content.decode().count("On bread") == 1
    assert User.objects.get(username="ada").password == ada.password
    newer = post(ada, "Tea")
    assert newer.pk > written.pk
    comment_actions.delete(Comment.objects.get(), User.objects.get(username="bob"))


def test_worker_draws_images_of_loaded_posts(ada: User, tmp_path: Path) -> None:
    post(ada, "On bread")
    Post.objects.update(created_at=timezone.now() - timedelta(days=900))
    loaded(exported(tmp_path / "export"))
    run_worker()
    assert PreviewImage.objects.count() == 1


def test_description_names_each_file_with_its_rows_and_fields(ada: User, tmp_path: Path) -> None:
    post(ada, "On bread")
    folder = exported(tmp_path / "export")
    description = json.loads((folder / DESCRIPTION).read_text())
    posts = description["files"]["post.jsonl"]
    assert (posts["model"], posts["rows"]) == ("forum.Post", 1)
    (row,) = map(json.loads, (folder / "post.jsonl").read_text().splitlines())
    assert row.keys() == posts["fields"].keys()
    assert (row["title"], row["author_id"]) == ("On bread", ada.pk)
    assert sum(file["rows"] for file in description["files"].values()) == count_rows()
    assert {file.stat().st_mode & 0o777 for file in folder.iterdir()} == {0o600}


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ('{"id": 1,', "group.jsonl, line 1 is invalid"),
        ('{"id": 1, "colour": "red"}', "unknown field colour"),
        ('{"id": "one"}', "group.jsonl, line 1 is invalid"),
        ('{"id": null}', "The database refuses a row of group.jsonl"),
    ],
)
def test_damaged_line_is_named_and_nothing_is_loaded(
    ada: User, tmp_path: Path, line: str, sentence: str
) -> None:
    folder = changed(exported(tmp_path / "export"), "group.jsonl", line)
    with pytest.raises(CommandError, match=sentence):
        loaded(folder)
    assert not User.objects.exists()
    assert not Group.objects.exists()


def test_row_without_the_row_it_refers_to_is_refused(ada: User, tmp_path: Path) -> None:
    post(ada, "On bread")
    folder = changed(exported(tmp_path / "export"), "user.jsonl", "")
    lines = [line for line in (folder / "user.jsonl").read_text().split("\n") if line]
    (folder / "user.jsonl").write_text("".join(f"{line}\n" for line in lines))
    folders.write_checksums(folder)
    with pytest.raises(CommandError, match="A row refers to another row that is missing"):
        loaded(folder)


@pytest.mark.parametrize("damage", ["missing", "damaged", "newer", "other"])
def test_incomplete_export_is_refused(ada: User, tmp_path: Path, damage: str) -> None:
    folder = exported(tmp_path / "export")
    description: dict[str, Any] = json.loads((folder / DESCRIPTION).read_text())
    if damage == "missing":
        (folder / "post.jsonl").unlink()
    elif damage == "damaged":
        (folder / "post.jsonl").write_text("{}\n")
    elif damage == "newer":
        description |= {"format": 2, "version": "9.1.0"}
        (folder / DESCRIPTION).write_text(json.dumps(description))
        folders.write_checksums(folder)
    else:
        (folder / DESCRIPTION).unlink()
        folders.write_checksums(folder)
    sentences = {
        "missing": "post.jsonl is missing or damaged",
        "damaged": "post.jsonl is missing or damaged",
        "newer": "This export is from Rostra 9.1.0",
        "other": "is not an export",
    }
    with pytest.raises(CommandError, match=sentences[damage]):
        read_description(folder)


def test_existing_folder_is_never_overwritten(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="already exists"):
        exported(tmp_path)
