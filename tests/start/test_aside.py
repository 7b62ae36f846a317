"""Files that were put aside while a site is replaced, after a power cut at any step of it."""

import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from forum.operations.backups.file_swap import (
    MOVED,
    MOVING,
    PLACES,
    bring_back,
    is_cut_off,
    put_aside,
)

SITE = {"sql": "old", "valkey/votes": "old"}


def lay_out(folder: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def laid_out(folder: Path) -> dict[str, str]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_text() for path in files}


@pytest.mark.parametrize(
    ("end", "aside", "in_place"),
    [
        (MOVING, {}, SITE),
        (MOVING, {"sql": "old"}, {"valkey/votes": "old"}),
        (MOVING, {"sql": "old"}, {"sql": "made since", "valkey/votes": "old"}),
        (MOVING, {"sql.part": "ol"}, SITE),
        (MOVING, {"sql": "old"}, SITE),
        (MOVED, SITE, {}),
        (MOVED, SITE, {"sql": "new", "sql-wal": "new", "valkey/votes": "new", "valkey/log": "new"}),
        (MOVING, {"valkey/votes": "old"}, {"sql": "old"}),
        (MOVING, SITE, {"sql": "ol"}),
    ],
    ids=[
        "before the first is moved, or when all are back",
        "when one of two is moved",
        "when another was made where one was",
        "when one is half copied to another disk",
        "when one is copied to another disk",
        "when all are moved",
        "when others are in their places",
        "when one is back",
        "when one is half copied back",
    ],
)
def test_a_site_that_was_put_aside_is_back_whole_wherever_that_was_cut_off(
    tmp_path: Path, end: str, aside: dict[str, str], in_place: dict[str, str]
) -> None:
    folder = tmp_path / f"replaced-20260101-000000{end}"
    places = [tmp_path / name for name in ("sql", "sql-wal", "valkey")]
    lay_out(tmp_path, in_place)
    lay_out(folder, {**aside, PLACES: "\n".join(map(str, places))})
    assert is_cut_off(tmp_path)
    bring_back(tmp_path)
    assert not is_cut_off(tmp_path)
    assert laid_out(tmp_path) == SITE


def test_what_only_has_such_a_name_is_left_alone(tmp_path: Path) -> None:
    theirs = {f"photos{MOVED}/cat": "mine", f"notes{MOVING}": "mine"}
    lay_out(tmp_path, theirs)
    assert not is_cut_off(tmp_path)
    bring_back(tmp_path)
    assert laid_out(tmp_path) == theirs


def test_what_was_cut_off_before_it_said_where_files_were_has_none(tmp_path: Path) -> None:
    lay_out(tmp_path, SITE)
    (tmp_path / f"replaced-20260101-000000{MOVING}").mkdir()
    bring_back(tmp_path)
    assert laid_out(tmp_path) == SITE


def test_what_was_replaced_for_good_stays_aside_and_nothing_where_there_was_nothing(
    tmp_path: Path,
) -> None:
    lay_out(tmp_path, SITE)
    with put_aside([tmp_path / "sql"], tmp_path / "replaced-1") as settle:
        settle()
        lay_out(tmp_path, {"sql": "new"})
    with put_aside([tmp_path / "none"], tmp_path / "replaced-2"):
        pass
    bring_back(tmp_path)
    assert (tmp_path / "sql").read_text() == "new"
    assert (tmp_path / "replaced-1" / "sql").read_text() == "old"
    assert not (tmp_path / "replaced-2").exists()


def test_where_files_were_is_on_the_disk_before_the_first_is_moved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a power cut a file may be empty whose name is there; what it tells of was dropped."""
    lay_out(tmp_path, SITE)
    places, synced = [tmp_path / "sql", tmp_path / "valkey"], {}
    really = os.fsync

    def fsync(descriptor: int) -> None:
        path = Path(f"/proc/self/fd/{descriptor}").resolve()
        synced[path.name] = [place.exists() for place in places]
        really(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    with put_aside(places, tmp_path / "replaced-1"):
        pass
    assert synced == {PLACES: [True, True], f"replaced-1{MOVING}": [True, True]}
