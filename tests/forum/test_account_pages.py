"""The pages of an account: they offer what can be done, and say in plain words what can't."""

import pytest

from tests.forum.cast import PASSWORD, person, reader

pytestmark = pytest.mark.django_db(transaction=True)

MEND = "Please mend what is marked below."


def test_who_mistypes_in_a_form_of_one_field_reads_only_what_is_wrong_with_it() -> None:
    page = reader().post("/accounts/password/reset/", {"email": "ada"}).content.decode()
    assert MEND not in page
    assert page.count('role="alert"') == 1, "screen readers are told by the field itself"
    assert 'role="alert">\n<ul class="errors" id="id_email_error">' in page


def test_who_mistypes_in_a_form_of_several_fields_is_told_to_look_for_what_is_marked() -> None:
    window = reader(person("ada"))
    form = {"oldpassword": "wrong", "password1": PASSWORD, "password2": PASSWORD}
    page = window.post("/accounts/password/change/", form).content.decode()
    assert page.count(MEND) == page.count('role="alert"') == 1
    assert 'id="id_oldpassword_error"' in page
