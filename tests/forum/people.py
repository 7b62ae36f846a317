"""Fixtures: the people that tests share. A test that needs others creates them with `person`."""

import pytest

from forum.models import GroupModerator, User
from forum.store.newcomers import launch
from tests.forum.factories import groups, person


@pytest.fixture(autouse=True)
def _first_week() -> None:
    """Start each test with a site whose first week isn't known to be over."""
    launch.forget()


@pytest.fixture
def ada() -> User:
    """Ada, who writes posts."""
    return person("ada")


@pytest.fixture
def bob() -> User:
    """Bob, a member without any role, who has nothing to do with Ada's posts."""
    return person("bob")


@pytest.fixture
def cleo() -> User:
    """Cleo, another member without any role."""
    return person("cleo")


@pytest.fixture
def gus() -> User:
    """Gus, a moderator of the group "books"."""
    user = person("gus")
    GroupModerator.objects.create(group=groups("books")[0], user=user)
    return user


@pytest.fixture
def stella() -> User:
    """Stella, a moderator of the site."""
    return person("stella", is_staff=True)


@pytest.fixture
def root() -> User:
    """Root, a superuser."""
    return person("root", is_staff=True, is_superuser=True)
