"""`manage.py export` and `import_export` copy a running site's content to a new site."""

from pathlib import Path

import pytest

from tests.start.members import Member, run
from tests.start.site import Site, manage

pytestmark = pytest.mark.long


def contents(folder: Path) -> dict[str, bytes]:
    """Return the files of an export."""
    return {file.name: file.read_bytes() for file in folder.iterdir()}


@pytest.mark.short
def test_new_site_shows_what_the_old_one_had(tmp_path: Path) -> None:
    old, new = Site(tmp_path / "old"), Site(tmp_path / "new")
    with old.up():
        bram = Member(old)
        bram.vote(bram.posts[0], "down")
        assert bram.send(f"{bram.posts[1]}/comment", body="Before the export.") == 303
        before = bram.sees_in_the_end()
        run(old, "export", str(tmp_path / "first"))
        again = manage(old.data, "export", str(tmp_path / "first"))
        assert "already exists: choose a new name." in again.stderr
    run(new, "import_export", str(tmp_path / "first"))
    refused = manage(old.data, "import_export", str(tmp_path / "first"))
    assert "Nothing was changed, because there is already a site." in refused.stderr
    with new.services():  # without a worker, which would change rows
        run(new, "export", str(tmp_path / "second"))
    assert contents(tmp_path / "second") == contents(tmp_path / "first")
    with new.up("--no-demo"):
        bram = Member(new)
        assert bram.sees_in_the_end() == before
        assert bram.own_vote(bram.posts[0]) == "down"
        assert "1 result<" in bram.read("/search?q=%22before+the+export%22")
        bram.vote(bram.posts[0], "up")
        run(new, "check_voting", "--deep")
