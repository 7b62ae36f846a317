"""A folder that can't be used for a backup is refused with a message."""

from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from forum.operations.backups.folders import CHECKSUMS


def test_impossible_folder_is_refused_with_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="Not backed up"):
        call_command("backup", str(tmp_path / ("long" * 100)))


@pytest.mark.parametrize("there", [False, True])
def test_unreadable_and_incomplete_backups_have_different_messages(
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
