"""Reading the rows of large tables in batches."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from forum.models import Group
from forum.queries.batches import PIECE, each, each_pk

pytestmark = [pytest.mark.django_db, pytest.mark.dialect]


@pytest.mark.parametrize(
    ("rows", "queries"), [(0, 1), (1, 1), (PIECE - 1, 1), (PIECE, 2), (2 * PIECE + 1, 3)]
)
def test_every_row_is_read_once_and_a_partial_batch_is_the_last(rows: int, queries: int) -> None:
    """A batch that isn't full is the last: another query would be slow and find no rows."""
    Group.objects.bulk_create([Group(slug=f"g{n}", title=f"Group {n}") for n in range(rows)])
    with CaptureQueriesContext(connection) as captured:
        found = list(each(Group.objects.order_by("-slug"), "slug"))
    assert len(captured) == queries
    assert found == list(Group.objects.order_by("pk").values_list("pk", "slug"))


def test_keys_alone_are_read_as_numbers() -> None:
    made = Group.objects.create(slug="books", title="Books")
    assert list(each_pk(Group.objects.all())) == [made.pk]
