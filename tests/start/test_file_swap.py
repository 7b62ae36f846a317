"""Files of a site that a restore replaces come back, wherever the restore was interrupted."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from forum.operations.backups.file_swap import NOTE, renamed_aside, undo

SITE = {"sql": "old", "valkey/votes": "old"}
ASIDE = ".replaced-20260101-000000"


def write(folder: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def read(folder: Path) -> dict[str, str]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_text() for path in files}


@pytest.mark.parametrize(
    "files",
    [
        SITE,
        {f"sql{ASIDE}": "old", "valkey/votes": "old"},
        {f"sql{ASIDE}": "old", "sql": "made since", "valkey/votes": "old"},
        {f"sql{ASIDE}": "old", f"valkey{ASIDE}/votes": "old"},
        {
            f"sql{ASIDE}": "old",
            f"valkey{ASIDE}/votes": "old",
            "sql": "new",
            "sql-wal": "new",
            "valkey/votes": "new",
            "valkey/log": "new",
        },
        {"sql": "old", f"valkey{ASIDE}/votes": "old", "valkey/votes": "new"},
    ],
    ids=[
        "before the first is renamed, or when all are back",
        "when one of two is renamed",
        "when another was created in its place",
        "when all are renamed",
        "when others are in their places",
        "when one is back",
    ],
)
def test_an_interrupted_restore_is_undone_wherever_it_was(
    tmp_path: Path, files: dict[str, str]
) -> None:
    write(tmp_path, files)
    state = {
        "suffix": ASIDE,
        "existing": [str(tmp_path / name) for name in ("sql", "valkey")],
        "missing": [str(tmp_path / "sql-wal")],
    }
    (tmp_path / NOTE).write_text(json.dumps(state))
    undo(tmp_path)
    assert read(tmp_path) == SITE
    undo(tmp_path)
    assert read(tmp_path) == SITE


def test_a_failed_restore_is_undone_at_once(tmp_path: Path) -> None:
    write(tmp_path, SITE)

    def fail() -> None:
        with renamed_aside(tmp_path, [tmp_path / name for name in ("sql", "sql-wal", "valkey")]):
            write(tmp_path, {"sql": "new", "sql-wal": "new"})
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert read(tmp_path) == SITE


def test_files_that_were_replaced_for_good_stay_aside(tmp_path: Path) -> None:
    write(tmp_path, SITE)
    with renamed_aside(tmp_path, [tmp_path / "sql", tmp_path / "nothing"]) as settle:
        settle()
        write(tmp_path, {"sql": "new"})
    undo(tmp_path)
    assert (tmp_path / "sql").read_text() == "new"
    (aside,) = tmp_path.glob("sql.replaced-*")
    assert aside.read_text() == "old"
