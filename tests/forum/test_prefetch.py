"""When a browser prefetches a page that nobody has opened yet, nothing on the site changes."""

import pytest

from forum.models import InboxItem, User
from forum.store.service import get_voting_service
from tests.forum.comments import add_comment
from tests.forum.factories import post, reader

pytestmark = pytest.mark.django_db(transaction=True)

AHEAD = [
    {"Sec-Purpose": "prefetch"},
    {"Sec-Purpose": "prefetch;prerender"},
    {"Purpose": "prefetch"},
]


@pytest.mark.parametrize("headers", AHEAD, ids=["prefetch", "prerender", "older browsers"])
def test_inbox_item_stays_unread_until_it_is_opened(
    ada: User, bob: User, headers: dict[str, str]
) -> None:
    written = post(ada)
    add_comment(bob, written)
    item, window = InboxItem.objects.get(), reader(ada)
    for address in (f"/inbox/{item.pk}", written.get_absolute_url()):
        assert window.get(address, headers=headers).status_code in {200, 303}
        item.refresh_from_db()
        assert item.read_at is None
    assert get_voting_service().posts.rows([written.pk])[0].views == 0
    assert window.get(f"/inbox/{item.pk}").status_code == 303
    item.refresh_from_db()
    assert item.read_at
