"""Labels of groups: the title as a chip in the group's colour."""

import pytest
from django.test import Client

from forum.models import Group, GroupAlias
from forum.models.group import Hue
from forum.queries.groups import directory
from forum.web.group_chips import chip
from tests.forum.factories import groups

pytestmark = pytest.mark.django_db(transaction=True)


def test_group_is_shown_by_its_title_as_text() -> None:
    Group.objects.create(slug="knots", title="Knots & <ropes>", hue=Hue.TEAL)
    directory.forget()
    assert chip("knots") == '<a class="chip hue-6" href="/g/knots/">Knots &amp; &lt;ropes&gt;</a>'


def test_groups_keep_the_colour_of_their_short_name() -> None:
    groups("books", "maths")
    assert 'class="chip hue-10"' in chip("books")
    assert 'class="chip hue-6"' in chip("maths")


def test_admin_chooses_a_colour_and_takes_it_back(admin: Client) -> None:
    (books,) = groups("books")
    form = {"slug": "books", "title": "Books", "description": ""}
    page = f"/admin/forum/group/{books.pk}/change/"
    for hue, css in (("3", "hue-3"), ("", "hue-10")):
        assert admin.post(page, form | {"hue": hue}).status_code == 302
        assert f'class="chip {css}"' in chip("books")
    assert admin.post(page, form | {"hue": "12"}).status_code == 200
    assert 'class="chip hue-10"' in chip("books")


def test_former_name_leads_to_the_group_and_unknown_name_is_its_own_title() -> None:
    (books,) = groups("books")
    GroupAlias.objects.create(slug="novels", group=books)
    directory.forget()
    assert chip("novels") == chip("books")
    assert 'href="/g/nowhere/">nowhere</a>' in chip("nowhere")
