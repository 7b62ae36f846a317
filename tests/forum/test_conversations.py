"""Conversations between people and moderators: notices, appeals, states and emails."""

import pytest
from django.core import mail
from django.utils import timezone

from forum.errors import Forbidden
from forum.models import Conversation, GroupModerator, InboxItem, Message, SitePolicy, User
from forum.moderation.actions import removals, sanctions, undo
from forum.moderation.conversations import queries, services
from forum.permissions import powers_of
from forum.screening.policy import policy
from tests.forum.comments import add_comment
from tests.forum.factories import groups, person, person_with_email, post, reader
from tests.forum.worker_runs import send_mails
from voting.errors import Throttled

pytestmark = pytest.mark.django_db(transaction=True)
State = Conversation.State


@pytest.fixture
def stella() -> User:
    """A moderator of the site."""
    return person("stella", is_staff=True)


@pytest.fixture
def gus() -> User:
    """A moderator of the group "books" only."""
    gus = person("gus")
    GroupModerator.objects.create(group=groups("books")[0], user=gus)
    return gus


@pytest.fixture(autouse=True)
def _default_policy() -> None:
    policy.forget()


def state(conversation: Conversation) -> str:
    return Conversation.objects.get(pk=conversation.pk).state
