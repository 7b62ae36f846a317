"""Backups are named by their time, each its own."""

from pathlib import Path

from pytest_django import Settings

from forum.backups import keeping
from forum.backups.folders import unfinished

MANY = 4
"""More than could all begin in a second of their own, as quickly as this is."""


def test_who_backs_up_twice_within_a_second_has_two_backups(
    settings: Settings, tmp_path: Path
) -> None:
    settings.FORUM_DATA = tmp_path
    for end in (Path, unfinished) * (MANY // 2):
        end(keeping.new_folder()).mkdir(parents=True)
    assert len({path.stem for path in keeping.place().iterdir()}) == MANY
