"""Backups are named by their time, each its own."""

from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings

from forum.operations.backups import retention
from forum.operations.backups.folders import CHECKSUMS, UNFINISHED

MANY = 4
"""More than could all begin in a second of their own, as quickly as this is."""


def test_who_backs_up_twice_within_a_second_has_two_backups(
    settings: Settings, tmp_path: Path
) -> None:
    settings.FORUM_DATA = tmp_path
    for end in ("", UNFINISHED) * (MANY // 2):
        Path(f"{retention.new_folder()}{end}").mkdir(parents=True)
    assert len({path.stem for path in retention.place().iterdir()}) == MANY


def test_a_folder_that_can_not_even_be_looked_for_is_refused_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="Not backed up"):
        call_command("backup", str(tmp_path / ("long" * 100)))


@pytest.mark.parametrize("there", [False, True])
def test_a_backup_that_can_not_be_read_is_told_from_one_that_is_not_whole(
    there: bool, tmp_path: Path
) -> None:
    if there:
        (tmp_path / CHECKSUMS).mkdir()
    with pytest.raises(CommandError) as refused:
        call_command("restore", str(tmp_path))
    assert ("can't be read" in str(refused.value), "has no" in str(refused.value)) == (
        there,
        not there,
    )
