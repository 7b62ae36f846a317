"""Each role gets the expected status at every URL of the site."""

from pathlib import Path

import pytest

from tests.forum.permission_table import ADMIN_TABLE, TABLE, Site

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.long]


@pytest.mark.parametrize(
    ("table", "of_admin"),
    [
        pytest.param(TABLE, False, id="site"),
        pytest.param(ADMIN_TABLE, True, id="admin"),
    ],
)
def test_each_role_gets_what_the_table_says_at_every_url(table: Path, of_admin: bool) -> None:
    """The test also fails if the table lacks a URL of the site."""
    found, expected = list(Site().lines(of_admin=of_admin)), table.read_text().splitlines()
    differences = [f"expected: {line}" for line in expected if line not in found]
    differences += [f"found:    {line}" for line in found if line not in expected]
    assert not differences, "\n" + "\n".join([expected[0], *sorted(differences)])
