"""Admins set the tagline, the logo, and the texts about rules, privacy, contact and the site."""

import zlib
from io import BytesIO
from struct import pack
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import OperationalError, connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from PIL import Image

from forum.models import SiteIdentity, SiteText, User
from forum.queries.process_cache import ProcessCache
from tests.forum.factories import person, post, reader

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def window() -> Client:
    return reader(person("stella", is_staff=True, is_superuser=True))


def chunk(name: bytes, content: bytes = b"") -> bytes:
    checksum = zlib.crc32(name + content).to_bytes(4, "big")
    return pack(">I", len(content)) + name + content + checksum


def png(width: int = 56, height: int = 28, *, more: bytes = b"", pixels: bytes = b"") -> bytes:
    head = chunk(b"IHDR", pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
    content = zlib.compress(pixels or b"\0" * (width + 1) * height)
    return b"\x89PNG\r\n\x1a\n" + head + more + chunk(b"IDAT", content) + chunk(b"IEND")


def animated() -> bytes:
    """Return an animated PNG of two frames."""
    first, second = Image.new("L", (56, 28), 0), Image.new("L", (56, 28), 255)
    file = BytesIO()
    first.save(file, "PNG", save_all=True, append_images=[second])
    return file.getvalue()


def write(window: Client, page: str, body: str, language: str = "") -> int:
    sent = {"page": page, "language": language, "body": body}
    return int(window.post("/admin/forum/sitetext/add/", sent).status_code)


def dress(window: Client, **sent: Any) -> Any:
    window.get("/admin/forum/siteidentity/", follow=True)
    path = f"/admin/forum/siteidentity/{SiteIdentity.ONLY}/change/"
    return window.post(path, {"tagline": "", **sent}, follow=True)


def get_html(path: str, language: str = "en", user: User | None = None) -> str:
    response = reader(user).get(path, headers={"Accept-Language": language})
    assert response.status_code == 200
    return str(response.content.decode())


@pytest.mark.parametrize("page", ["rules", "contact"])
def test_page_written_by_an_owner_is_linked_in_the_footer(window: Client, page: str) -> None:
    assert reader().get(f"/{page}").status_code == 404
    assert f'href="/{page}"' not in get_html("/")
    assert write(window, page, "Be *kind*. <script>alert(1)</script>") == 302
    html = get_html(f"/{page}")
    assert "Be <em>kind</em>." in html
    assert "<script>alert" not in html
    for path in ("/", "/about", "/g/"):
        assert f'href="/{page}"' in get_html(path)
    text = SiteText.objects.get()
    window.post(f"/admin/forum/sitetext/{text.pk}/delete/", {"post": "yes"})
    assert reader().get(f"/{page}").status_code == 404
    assert f'href="/{page}"' not in get_html("/")


def test_privacy_text_of_owners_is_above_what_the_site_stores(window: Client) -> None:
    write(window, "privacy", "We live in Ghent.")
    html = get_html("/privacy")
    assert html.index("We live in Ghent.") < html.index("Only you can see")


def test_about_text_of_owners_is_above_how_the_site_works(window: Client) -> None:
    write(window, "about", "We tie knots.")
    html = get_html("/about")
    assert html.index("We tie knots.") < html.index("How ranking works")


def test_readers_get_a_text_in_their_language_if_it_exists(window: Client) -> None:
    write(window, "rules", "Be kind.", "en")
    assert "Be kind." in get_html("/rules", "zh-CN"), "shown in the other language"
    write(window, "rules", "请友善。", "zh-hans")
    assert "请友善。" in get_html("/rules", "zh-CN")
    assert "Be kind." in get_html("/rules", "en")
    write(window, "rules", "Be kind everywhere.")
    assert "Be kind." in get_html("/rules", "en")


def test_a_page_has_one_text_in_a_language(window: Client) -> None:
    write(window, "rules", "Be kind.")
    assert write(window, "rules", "Be kinder.") == 200
    assert SiteText.objects.get().body == "Be kind."


def test_a_text_that_shows_nothing_is_refused(window: Client) -> None:
    assert write(window, "rules", "\u200b") == 200
    assert not SiteText.objects.exists()


def test_everybody_reads_the_tagline_beside_the_front_page(window: Client, ada: User) -> None:
    dress(window, tagline="Knots & ropes")
    tagline = '<strong class="tagline">Knots &amp; ropes</strong>'
    assert tagline in get_html("/")
    assert tagline in get_html("/", user=ada)
    assert tagline not in get_html("/g/")


def test_saving_the_tagline_says_so_in_one_plain_sentence(window: Client) -> None:
    saved = dress(window, tagline="Knots")
    assert [str(each) for each in saved.context["messages"]] == [
        "The tagline and the logo were saved."
    ]
    assert 'value="Knots"' in saved.content.decode()


def test_logo_is_in_every_header_and_cached_for_ever(window: Client, ada: User) -> None:
    written = post(ada)
    dress(window, new_logo=SimpleUploadedFile("logo.png", png()))
    pages = [get_html(path) for path in ("/", written.get_absolute_url(), "/about")]
    (address,) = {html.partition('class="logo" src="')[2].partition('"')[0] for html in pages}
    assert all('width="56" height="28"' in html for html in pages)
    response = reader().get(address)
    assert response.content == png()
    assert response["Content-Type"] == "image/png"
    assert response["X-Content-Type-Options"] == "nosniff"
    assert "immutable" in response["Cache-Control"]
    dress(window, tagline="Knots")
    assert address in get_html("/"), "the logo is unchanged"
    dress(window, remove_logo="on")
    assert 'class="logo"' not in get_html("/")
    assert reader().get(address).status_code == 404


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "must be a PNG file"),
        (b"\xff\xd8\xff\xe0 JPEG", "must be a PNG file"),
        (png()[:-5], "must be a PNG file"),
        (png() + b"<html>", "must be a PNG file"),
        (png().replace(b"IHDR", b"IHDX"), "must be a PNG file"),
        (b"\x89PNG\r\n\x1a\n", "must be a PNG file"),
        (png().replace(chunk(b"IDAT", zlib.compress(b"\0" * 57 * 28)), b""), "must be a PNG file"),
        (png(1_025, 1), "1024 pixels"),
        (png(60_000, 60_000, pixels=b"\0"), "1024 pixels"),
        (png(0, 28), "must be a PNG file"),
        (animated(), "must be a PNG file"),
        (png(more=chunk(b"tEXt", b"x" * 103_000)), "100 kB"),
    ],
)
def test_only_small_png_files_are_accepted_as_logo(
    window: Client, content: bytes, reason: str
) -> None:
    answer = dress(window, new_logo=SimpleUploadedFile("logo.png", content))
    assert reason in answer.content.decode()
    assert not SiteIdentity.objects.get().logo


def test_texts_of_owners_take_no_query(window: Client) -> None:
    write(window, "rules", "Be kind.")
    dress(window, tagline="Knots", new_logo=SimpleUploadedFile("logo.png", png()))
    get_html("/")
    address = get_html("/").partition('class="logo" src="')[2].partition('"')[0]
    with CaptureQueriesContext(connection) as queries:
        for path in ("/", "/rules", "/about"):
            get_html(path)
        reader().get(address)
    assert not [query for query in queries if "forum_site" in query["sql"]]


def test_changed_texts_are_in_the_staff_log(window: Client) -> None:
    write(window, "rules", "Be kind.")
    dress(window, tagline="Knots")
    names = [entry.object_repr for entry in LogEntry.objects.order_by("pk")]
    assert names == ["Rules", "tagline and logo"]


def test_staff_without_permission_cannot_change_texts(ada: User) -> None:
    window = reader(person("sam", is_staff=True))
    assert write(window, "rules", "Be rude.") == 403
    assert window.get("/admin/forum/siteidentity/").status_code == 403
    assert not SiteIdentity.objects.exists()


def test_pages_show_texts_of_owners_while_sql_is_down() -> None:
    answers: list[str | OperationalError] = ["Knots", OperationalError("down"), "Ropes"]

    def read() -> str:
        answer = answers.pop(0)
        if isinstance(answer, OperationalError):
            raise answer
        return answer

    kept = ProcessCache(read, "nothing")
    found = []
    for _time in range(3):
        found += [kept.get(), kept.get()]
        kept.forget()
    assert found == ["Knots", "Knots", "Knots", "Knots", "Ropes", "Ropes"]
