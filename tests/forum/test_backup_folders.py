"""The backup command refuses an unusable folder with a message."""

from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from forum.operations.backups.folders import CHECKSUMS


def test_impossible_folder_is_refused_with_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="Not backed up"):
        call_command("backup", str(tmp_path / ("long" * 100)))


def test_unreadable_and_incomplete_backups_have_different_messages(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"^(?!.*can't be read).*has no"):
        call_command("restore", str(tmp_path))
    (tmp_path / CHECKSUMS).mkdir()
    with pytest.raises(CommandError, match=r"^(?!.*has no).*can't be read"):
        call_command("restore", str(tmp_path))
