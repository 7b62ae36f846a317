"""Drafts of posts and comments are stored in SQL until they are sent."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from forum.actions import comments as comment_actions
from forum.actions import drafts
from forum.actions import posts as post_actions
from forum.actions.drafts import DraftTarget, DraftText
from forum.config import rate_limits
from forum.models import Comment, Draft, Post, User
from forum.moderation.actions import merges
from tests.forum.comments import add_comment
from tests.forum.factories import groups, person, post, reader
from tests.forum.outages import redis_down
from voting.types.limits import Window

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.dialect]
TEXT = {"kind": "text", "title": "A text", "body": "Said *so*.", "groups": ["books"]}
FIRST, SECOND = "a" * 16, "b" * 16


def save(author: User, key: str, body: str, about: Post | None = None) -> None:
    """Save a draft of a comment, or of a new post."""
    drafts.save(author=author, key=key, target=DraftTarget(about), text=DraftText(body=body))


def bodies(author: User) -> list[str]:
    return list(Draft.objects.filter(author=author).order_by("pk").values_list("body", flat=True))


def field(answer: Any) -> str:
    """Return the value of the hidden field of a form's draft."""
    found = re.search(r'name="draft" value="([^"]*)"', answer.content.decode())
    assert found, "the form has a draft"
    return found[1]


def page(window: Client, path: str) -> str:
    return str(window.get(path).content.decode())


def test_script_saves_a_form_under_the_key_that_it_chose(bob: User) -> None:
    groups("books")
    window, sent = reader(bob), TEXT | {"draft": FIRST, "save_draft": "1"}
    for title in ("Half", "Half a title"):
        answer = window.post("/submit", sent | {"title": title})
        assert answer.status_code == 200
        assert answer.content.decode() == f"{FIRST} {Draft.objects.get().version}"
    draft = Draft.objects.get()
    assert (draft.title, draft.kind, draft.groups) == ("Half a title", "text", ["books"])
    assert not Post.objects.exists()


def test_saving_needs_a_log_in_and_a_token(ada: User, bob: User) -> None:
    where, sent = f"/p/{post(ada).pk}/comment", {"body": "Hello.", "save_draft": "1"}
    window = reader()
    assert window.post(where, sent).status_code == 302
    assert "drafts" not in window.session, "a page from before the log-out leaves nothing behind"
    assert reader(bob, enforce_csrf_checks=True).post(where, sent).status_code == 403
    assert not Draft.objects.exists()


def test_drafts_are_saved_and_restored_while_redis_is_down(
    ada: User, bob: User, settings: Any
) -> None:
    about, window = post(ada), reader(bob)
    where = f"/p/{about.pk}/comment"
    with redis_down(settings):
        key = window.post(where, {"body": "Hello.", "save_draft": "1"}).content.decode().split()[0]
        assert "You have a draft from just now." in page(window, about.get_absolute_url())
        assert "Hello.</textarea>" in page(window, f"{where}?draft={key}")
        assert "Hello." in page(window, "/u/bob/drafts")


@pytest.mark.parametrize("key", ["%00", f"{FIRST}%00", "%FF", "x"])
def test_wrong_key_opens_and_deletes_no_draft(ada: User, bob: User, key: str) -> None:
    window = reader(bob)
    for form in ("/submit", f"/p/{post(ada).pk}/comment"):
        assert window.get(f"{form}?draft={key}").status_code == 200
    assert window.post(f"/drafts/{key}/delete").status_code == 303


def test_link_to_a_sent_draft_says_so_in_its_form(ada: User, bob: User) -> None:
    asked, window, said = post(ada, kind="question"), reader(bob), "This draft was sent or deleted."
    where, thread = f"/p/{asked.pk}/comment", asked.get_absolute_url()
    for form in ("/submit?", f"{where}?", f"{where}?on=question&", f"{thread}?on=question&"):
        assert page(window, f"{form}draft={FIRST}").count(said) == 1, form
    save(bob, SECOND, "Half", asked)
    gone = page(window, f"{thread}?draft={FIRST}")
    assert gone.count(said) == gone.count("You have a draft from just now.") == 1
    assert said not in page(window, f"{thread}?draft={SECOND}")
    assert said not in page(window, thread)


def test_null_character_in_the_name_of_a_group_loses_nothing(bob: User) -> None:
    sent = TEXT | {"groups": ["bo\0oks"], "draft": FIRST}
    assert reader(bob).post("/submit", sent | {"save_draft": "1"}).status_code == 200
    assert Draft.objects.get().groups == ["books"]
    assert reader(bob).post("/submit", sent | {"preview": "1"}).status_code == 200


def test_too_many_drafts_are_refused_but_previews_go_on(
    ada: User, bob: User, settings: Any
) -> None:
    settings.LIMITS = rate_limits.everybody() | {"draft": (Window(1, 600),)}
    settings.LIMITS_NEW = settings.LIMITS
    where, window = f"/p/{post(ada).pk}/comment", reader(bob)
    sent = {"body": "Hello.", "draft": FIRST}
    assert window.post(where, sent | {"save_draft": "1"}).status_code == 200
    refused = window.post(where, sent | {"body": "Hello you.", "save_draft": "1"})
    assert refused.status_code == 429
    preview = window.post(where, sent | {"body": "Hello you.", "preview": "1"})
    assert preview.status_code == 200
    assert f'name="draft" value="{FIRST}"' in preview.content.decode()
    assert bodies(bob) == ["Hello."]


def test_preview_saves_one_draft_and_sending_deletes_it(ada: User, bob: User) -> None:
    where, window = f"/p/{post(ada).pk}/comment", reader(bob)
    shown = window.post(where, {"body": "Half", "preview": "1"})
    again = window.post(where, {"body": "Other", "preview": "1", "draft": field(shown)})
    assert bodies(bob) == ["Other"]
    assert window.post(where, {"body": "Sent.", "draft": field(again)}).status_code == 303
    assert bodies(bob) == []


def test_form_that_is_not_accepted_keeps_its_draft(bob: User) -> None:
    window, sent = reader(bob), TEXT | {"draft": FIRST}
    saved = window.post("/submit", sent | {"save_draft": "1"}).content.decode()
    refused = window.post("/submit", sent | {"groups": [], "draft": saved})
    assert refused.status_code == 422
    assert field(refused) == saved
    assert bodies(bob) == ["Said *so*."]


def test_text_that_was_sent_twice_leaves_no_draft(ada: User, bob: User, settings: Any) -> None:
    settings.SAME_TEXT = 600
    where, window = f"/p/{post(ada).pk}/comment", reader(bob)
    assert window.post(where, {"body": "Once."}).status_code == 303
    save(bob, FIRST, "Once.")
    assert window.post(where, {"body": "Once.", "draft": FIRST}).status_code == 429
    assert bodies(bob) == []


def test_emptied_form_deletes_its_draft(bob: User) -> None:
    window, sent = reader(bob), TEXT | {"save_draft": "1"}
    saved = window.post("/submit", sent).content.decode()
    emptied = sent | {"title": " ", "body": "\n", "draft": saved}
    assert window.post("/submit", emptied).content.decode() == saved.split()[0]
    assert bodies(bob) == []


def open_twice(window: Client, form: str, text: str) -> str:
    """Save a draft, and continue it on two devices. Return the field that both forms have."""
    key = window.post(form, {"body": text, "save_draft": "1"}).content.decode().split()[0]
    fields = [field(window.get(f"{form}?draft={key}")) for _device in ("desktop", "phone")]
    assert fields[0] == fields[1]
    return fields[0]


def test_older_form_does_not_replace_what_another_device_saved(ada: User, bob: User) -> None:
    where, window = f"/p/{post(ada).pk}/comment", reader(bob)
    old = open_twice(window, where, "One.")
    sent = {"draft": old, "save_draft": "1"}
    phone = window.post(where, sent | {"body": "One.\n\nTwo."}).content.decode()
    assert phone.split()[0] == old.split()[0]
    desktop = window.post(where, sent | {"body": "One word."}).content.decode()
    assert bodies(bob) == ["One.\n\nTwo.", "One word."]
    own, said = desktop.split("\n")
    assert said == "Saved as another draft, since this one was changed elsewhere"
    for saved, body in ((phone, "One. Two."), (own, "One more word.")):
        window.post(where, {"draft": saved, "save_draft": "1", "body": body})
    assert bodies(bob) == ["One. Two.", "One more word."]


def test_older_form_with_the_later_text_saves_the_same_draft(ada: User, bob: User) -> None:
    where, window = f"/p/{post(ada).pk}/comment", reader(bob)
    sent = {"draft": open_twice(window, where, "One."), "save_draft": "1"}
    for body in ("One. Two.", "One. Two. Three."):
        assert window.post(where, sent | {"body": body}).content.decode().count("\n") == 0
    assert bodies(bob) == ["One. Two. Three."]


@pytest.mark.parametrize("action", ["save_draft", "preview", ""])
def test_older_form_deletes_nothing_that_another_device_saved(
    ada: User, bob: User, action: str
) -> None:
    where, window = f"/p/{post(ada).pk}/comment", reader(bob)
    sent = {"draft": open_twice(window, where, "One.")}
    window.post(where, sent | {"save_draft": "1", "body": "One.\n\nTwo."})
    body = "Sent." if not action else " "
    window.post(where, sent | {"body": body} | ({action: "1"} if action else {}))
    assert bodies(bob) == ["One.\n\nTwo."]


def test_later_version_replaces_earlier_ones_but_not_other_texts(ada: User, bob: User) -> None:
    about = post(ada)
    save(bob, FIRST, "Half a", about)
    save(bob, SECOND, "Another", about)
    save(bob, "c" * 16, "Half a", None)
    save(bob, "d" * 16, "Half a thought", about)
    assert bodies(bob) == ["Another", "Half a", "Half a thought"]
    reader(bob).post(f"/p/{about.pk}/comment", {"body": "Half a thought, and more."})
    assert bodies(bob) == ["Another", "Half a"]


def test_oldest_of_21_drafts_is_deleted(ada: User, bob: User) -> None:
    save(ada, FIRST, "Ada's")
    for number in range(drafts.MOST + 1):
        save(bob, f"{number:016}", f"{number:02} bottles")
    assert bodies(bob) == [f"{number:02} bottles" for number in range(1, drafts.MOST + 1)]
    assert bodies(ada) == ["Ada's"]


def test_drafts_are_deleted_after_90_days(bob: User) -> None:
    save(bob, FIRST, "Old")
    save(bob, SECOND, "New")
    long_ago = timezone.now() - drafts.LIFE - timedelta(minutes=1)
    Draft.objects.filter(key=FIRST).update(updated_at=long_ago)
    drafts.delete_old()
    assert bodies(bob) == ["New"]


def test_only_the_author_sees_and_deletes_a_draft(ada: User, bob: User) -> None:
    about = post(ada)
    save(bob, FIRST, "Bob's own", about)
    window = reader(ada)
    for path in (f"/p/{about.pk}/comment?draft={FIRST}", about.get_absolute_url(), "/u/ada/drafts"):
        assert "Bob's own" not in page(window, path).replace("&#x27;", "'")
    assert window.get("/u/bob/drafts").status_code == 403
    assert reader().get("/u/bob/drafts").status_code == 302
    assert window.post(f"/drafts/{FIRST}/delete").status_code == 303
    assert bodies(bob) == ["Bob's own"]
    gone = reader(bob).post(f"/drafts/{FIRST}/delete", {"next": "/submit"})
    assert gone["Location"] == "/submit"
    assert bodies(bob) == []


def test_each_form_offers_its_own_drafts(ada: User, bob: User) -> None:
    asked = post(ada, kind="question")
    answer = add_comment(ada, asked)
    forms = {FIRST: DraftTarget(asked), SECOND: DraftTarget(asked, None, True)}
    forms |= {"c" * 16: DraftTarget(asked, answer), "d" * 16: DraftTarget()}
    for key, target in forms.items():
        drafts.save(author=bob, key=key, target=target, text=DraftText(body=f"Text {key}"))
    window, where = reader(bob), f"/p/{asked.pk}/comment"
    offered = {
        "/submit": "d" * 16,
        where: FIRST,
        f"{where}?on=question": SECOND,
        f"{where}?parent={answer.pk}": "c" * 16,
        answer.get_absolute_url(): "c" * 16,
    }
    for path, key in offered.items():
        keys = [key for key in forms if re.search(rf'draft={key}["#]', page(window, path))]
        assert keys == [key], path
    thread = page(window, asked.get_absolute_url())
    assert all(f"draft={key}" in thread for key in (FIRST, SECOND, "c" * 16))
    restored = page(window, f"{asked.get_absolute_url()}?draft={SECOND}")
    assert restored.count(f"Text {SECOND}</textarea>") == 1


def test_texts_that_no_database_stores_are_cut_instead_of_failing(bob: User) -> None:
    sent = {"kind": "x" * 99, "title": "T" * 9_999, "body": "a\0b" + "c" * 99_999}
    answer = reader(bob).post("/submit", sent | {"save_draft": "1", "draft": "DROP TABLE"})
    assert answer.status_code == 200
    draft = Draft.objects.get()
    assert (draft.kind, len(draft.body), draft.body[:3]) == ("", drafts.LONGEST_BODY, "abc")


def test_list_keeps_texts_whose_post_was_deleted_and_follows_merges(ada: User, bob: User) -> None:
    kept, merged, gone = post(ada, "Kept"), post(ada, "Merged"), post(ada, "Gone")
    save(bob, FIRST, "For the merged one", merged)
    save(bob, SECOND, "For the lost one", gone)
    merges.merge(merged, kept, by=person("stella", is_superuser=True, is_staff=True), reason="same")
    post_actions.delete(gone)
    shown = page(reader(bob), "/u/bob/drafts")
    assert f'href="/p/{kept.pk}/comment?draft={FIRST}"' in shown
    assert f"/p/{gone.pk}/comment" not in shown
    assert "For the lost one</textarea>" in shown


def test_deleting_a_comment_leaves_the_draft_of_a_reply(ada: User, bob: User) -> None:
    comment = add_comment(ada, post(ada))
    target = DraftTarget(comment.post, comment)
    drafts.save(author=bob, key=FIRST, target=target, text=DraftText(body="I agree."))
    comment_actions.delete(comment, by=ada)
    assert "I agree.</textarea>" in page(reader(bob), "/u/bob/drafts")
    assert page(reader(bob), comment.post.get_absolute_url())
    assert Comment.objects.count() == 1


def test_drafts_end_with_their_authors_account(bob: User) -> None:
    save(bob, FIRST, "Half")
    bob.delete()
    assert not Draft.objects.exists()
