"""An export from SQLite can be loaded into PostgreSQL."""

from pathlib import Path

import pytest

from tests.postgresql.servers import Postgres
from tests.start.site import Site, manage
from tests.start.test_export import contents

pytestmark = pytest.mark.postgresql


@pytest.mark.faults
def test_export_from_sqlite_loaded_into_postgresql_gives_the_same_export(
    postgres: Postgres, tmp_path: Path
) -> None:
    old, new = Site(tmp_path / "old"), Site(tmp_path / "new")
    with old.up():
        done = manage(old.data, "export", str(tmp_path / "first"))
        assert done.returncode == 0, done.stderr
    done = manage(new.data, "import_export", str(tmp_path / "first"), DATABASE_URL=postgres.url)
    assert done.returncode == 0, done.stderr
    with new.services(DATABASE_URL=postgres.url):
        done = manage(new.data, "export", str(tmp_path / "second"), DATABASE_URL=postgres.url)
        assert done.returncode == 0, done.stderr
    assert contents(tmp_path / "second") == contents(tmp_path / "first")
