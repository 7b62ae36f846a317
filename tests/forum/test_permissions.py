"""What each role may do at every URL of the site."""

import pytest

from tests.forum.permission_table import TABLE, Site


@pytest.mark.django_db(transaction=True)
def test_each_role_gets_what_the_table_says_at_every_url() -> None:
    """A URL that is missing from the table fails, too."""
    found, expected = list(Site().lines()), TABLE.read_text().splitlines()
    differences = [f"expected: {line}" for line in expected if line not in found]
    differences += [f"found:    {line}" for line in found if line not in expected]
    assert not differences, "\n" + "\n".join([expected[0], *sorted(differences)])
