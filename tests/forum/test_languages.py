"""A browser that asks for Chinese gets Chinese pages; every other browser gets English pages."""

import re
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.contrib.humanize.templatetags.humanize import intcomma
from django.test import Client
from django.utils.translation import override
from redis import Redis

from forum.actions import comments as comment_actions
from forum.actions import following, marks
from forum.models import Post, User
from forum.web import ages
from tests.forum.catalogue import Entry, compiled, entries, marked_sentences
from tests.forum.factories import OUR_PAGE, PASSWORD, groups, make_older, person, post, reader
from tests.forum.library import library, short_pages
from tests.forum.outages import redis_down
from tests.forum.page_types import Visitor
from voting.types.limits import Window

pytestmark = pytest.mark.django_db(transaction=True)

CHINESE = {"Accept-Language": "zh-CN,zh;q=0.9,en;q=0.8"}
HAN = re.compile(r"[\u4e00-\u9fff]|\uff1a|\u3001")
"""Matches Chinese characters, and the Chinese colon and list comma."""
SITE, LIBRARIES = (
    folder / "zh_Hans" / "LC_MESSAGES" / "django.po" for folder in settings.LOCALE_PATHS
)
REFRESH = (
    "Bring the catalogue up to date: manage.py makemessages -l zh_Hans --no-location "
    "--no-obsolete -i .venv -i var; translate what is new; "
    "manage.py compilemessages -l zh_Hans -i .venv -i var"
)
GAP = re.compile(
    r".{0,20}[\u3002\uff01\uff1f\uff1b\uff1a\uff0c](?:</(?:a|b|strong|span)>)?\s+"
    r"(?:<(?:a|b|button|code|span)\b|[^<\s])"
)
"""Matches full-width punctuation with a needless space after it."""
SAID = re.compile(r'(?:aria-label|title|placeholder|alt|data-offline)="([^"]*)"')
WORD = re.compile(r"[A-Za-z]{3,}")
SAME_IN_CHINESE = {"Rostra", "UTC", "Markdown", "JavaScript", "Tab", "Email"}
SAME_IN_CHINESE |= {"https", "example", "org", "English", "python"}
"""Words in Latin letters that Chinese pages may contain. Names are too short to be found."""


@pytest.fixture
def li() -> User:
    return person("li")


@pytest.fixture
def written(li: User) -> Post:
    return post(li, "A b", slugs="go ml", kind="question", body="")


def page(window: Client, path: str, status: int = 200) -> str:
    response = window.get(path)
    assert response.status_code == status, path
    return response.content.decode()


def gaps(html: str) -> list[str]:
    """Return the text around each needless space after full-width punctuation."""
    return GAP.findall(re.sub(r"<(script|style|head)\b.*?</\1>", "", html, flags=re.DOTALL))


def chinese(user: User | None = None) -> Client:
    return reader(user, headers=CHINESE)


def without_names_of_languages(html: str) -> str:
    """Remove the footer's buttons that name each language in that language."""
    return re.sub(r'<button [^>]* name="language"[^>]*>[^<]*</button>', "", html)


def words(html: str) -> set[str]:
    """Return all words in Latin letters on a page, including labels and other text attributes."""
    shown = re.sub(r"<(script|style)\b.*?</\1>|<[^>]+>|&\w+;", " ", html, flags=re.DOTALL)
    return set(WORD.findall(" ".join([shown, *SAID.findall(html)])))


@pytest.mark.parametrize("member", [False, True], ids=["guest", "member"])
def test_front_page_is_in_the_language_of_the_browser(
    li: User, written: Post, member: bool
) -> None:
    user = li if member else None
    for _time in range(2):
        html = page(chinese(user), "/")
        assert '<html lang="zh-hans">' in html
        assert re.search(r">1 分<.* href=\"/g/go/\">Go</a>.*>刚刚</time>", html)
        assert ">热门</a>" in html
        assert not words(html) - SAME_IN_CHINESE
        html = page(reader(user), "/")
        assert '<html lang="en">' in html
        assert re.search(r">1 point<.* href=\"/g/go/\">Go</a>.*>just now</time>", html)
        assert not HAN.search(without_names_of_languages(html))


def test_post_page_explains_rank_and_date_in_chinese(written: Post) -> None:
    html = page(chinese(), written.get_absolute_url())
    assert '<html lang="zh-hans">' in html
    assert "为什么排在这里" in html
    assert re.search(r"<dd>20\d\d年1?\d月[1-3]?\d日 \d\d:\d\d UTC</dd>", html)
    html = page(reader(), written.get_absolute_url())
    assert not HAN.search(without_names_of_languages(html))


def test_chinese_lists_use_chinese_commas_without_spaces(li: User) -> None:
    post(li, slugs="go ml")
    far, window = person("di"), chinese(li)
    for near in (person("bo"), person("cy")):
        following.set_follow(li, near, on=True)
        following.set_follow(near, far, on=True)
    assert re.search(r">来自 (bo、cy|cy、bo)<", page(window, "/following"))
    assert re.search(r"本月 \d 天\uff0c最近 53 周", page(window, "/u/li/activity"))
    assert "\uff0cGo 小组</p>" in page(window, "/leaders?group=go")
    form = {"username": "ed", "password1": PASSWORD}
    welcome = chinese().post("/accounts/signup/", form, follow=True).content.decode()
    assert '喜欢的小组\uff1a<a href="/g/">查看全部小组</a>' in welcome


def test_row_after_a_vote_is_in_the_readers_language(written: Post) -> None:
    bo = person("bo")
    for window, says in ((chinese(bo), "2 分"), (reader(bo), "2 points")):
        headers = {"X-Fragment": "1"}
        response = window.post(f"/p/{written.pk}/vote", {"vote": "up"}, headers=headers)
        assert f">{says}<" in response.content.decode()


def test_submit_form_and_its_errors_are_in_chinese(li: User, written: Post) -> None:
    html = page(chinese(li), "/submit")
    assert '<html lang="zh-hans">' in html
    for label in ("类型", "标题", "网址", "正文", "小组", "发布"):
        assert f">{label}<" in html
    response = chinese(li).post("/submit", {"kind": "link", "title": "ab", "url": "ftp://go"})
    assert response.status_code == 422
    html = response.content.decode()
    for reason in ("标题至少要有 3 个字", "只能发布 http 和 https 网址。", "请选择一到三个小组"):
        assert reason in html


def test_groups_can_be_named_with_the_commas_of_a_chinese_keyboard(li: User) -> None:
    groups("go", "ml", "ui")
    typed = "go\N{FULLWIDTH COMMA}ml\N{IDEOGRAPHIC COMMA}ui"
    form = {"kind": "text", "title": "A title", "body": "Words.", "groups": [typed]}
    assert chinese(li).post("/submit", form).status_code == 303
    assert {group.slug for group in Post.objects.get().groups.all()} == {"go", "ml", "ui"}


def test_a_short_password_is_refused_in_chinese_by_the_library_too() -> None:
    html = chinese().post("/accounts/signup/", {"username": "li", "password1": "x7#"})
    assert "密码太短了" in html.content.decode()


def test_refusals_are_chinese(redis: Redis, written: Post, settings: Any) -> None:
    assert "不支持的操作" in chinese().post("/about").content.decode()
    assert "这个网址下没有页面。" in page(chinese(), "/nowhere", 404)
    assert "全部小组" in page(chinese(), "/g/gogo/", 404)
    assert "一共只有 1 页" in page(chinese(), "/?p=9", 404)
    bo = person("bo")
    assert "没有权限" in page(chinese(bo), f"/p/{written.pk}/edit", 403)
    window, vote = chinese(bo), f"/p/{written.pk}/vote"
    with redis_down(settings):
        html = window.post(vote, {"vote": "up"}, headers={"X-Fragment": "1"}).content.decode()
    assert "你的投票没有计入" in html
    make_older(redis, written, days=8)
    response = chinese(bo).post(vote, {"vote": "up"})
    assert response.status_code == 409
    assert re.search(r"投票已于 20\d\d年.* UTC 截止.*你没有投票", response.content.decode())


def test_no_chinese_page_has_an_english_word(li: User, written: Post) -> None:
    guests = ["/new?dir=asc", "/top?t=all", "/g/", "/g/go/", "/g/go&ml/", "/about", "/u/li/"]
    guests += ["/accounts/login/?vote=up&post=1", "/accounts/signup/", "/accounts/password/reset/"]
    guests += ["/language", "/display"]
    own = [f"/p/{written.pk}/{action}" for action in ("edit", "delete")]
    members = ["/submit", "/u/li/", "/u/li/about", "/accounts/email/", "/accounts/logout/"]
    members += ["/accounts/password/change/", "/accounts/2fa/", written.get_absolute_url(), *own]
    english = {}
    for user, paths in ((None, guests), (li, members)):
        window = chinese(user)
        for path in paths:
            html = page(window, path)
            english[path] = words(html) - SAME_IN_CHINESE
            assert not gaps(html), path
    assert not {path: left for path, left in english.items() if left}


def test_comments_and_notifications_are_in_chinese(li: User, written: Post) -> None:
    bo = person("bo")
    answer = comment_actions.write(author=bo, post=written, parent=None, body="A b @li")
    reply = comment_actions.write(author=li, post=written, parent=answer, body="C d")
    comment_actions.accept(written, answer, by=written.author)
    following.set_follow(bo, li, on=True)
    following.set_follow(li, written.groups.get(slug="go"), on=True)
    marks.save(li, written, True)
    marks.hide(li, written, True)
    talk = [written.get_absolute_url(), answer.get_absolute_url(), f"/p/{written.pk}/comments"]
    lists = ["/comments", "/leaders", "/leaders?t=week&group=go", "/active", "/views?dir=asc"]
    people = [f"/u/bo/{tab}" for tab in ("", "comments", "follows", "fans")]
    own = ["/inbox", "/inbox?kind=reply", "/preferences", "/following", "/history"]
    own += [f"/u/li/{tab}" for tab in ("saved", "hidden", "liked", "activity")]
    own += [f"/p/{written.pk}/c/{reply.pk}/{action}" for action in ("edit", "delete", "history")]
    english = {}
    for user, paths in ((None, talk + lists + people), (li, talk + lists + people + own)):
        window = chinese(user)
        for path in paths:
            html = page(window, path)
            english[path] = words(html) - SAME_IN_CHINESE
            assert not gaps(html), path
    assert not {path: left for path, left in english.items() if left}


def test_a_comment_that_comes_too_fast_is_refused_in_chinese(
    li: User, written: Post, settings: Any
) -> None:
    settings.LIMITS_NEW = settings.LIMITS_NEW | {"comment": (Window(1, 60),)}
    window, address = chinese(li), f"/p/{written.pk}/comment"
    assert window.post(address, {"body": "A b"}).status_code == 303
    response = window.post(address, {"body": "C d"})
    assert response.status_code == 429
    html = response.content.decode()
    assert re.search(r"\d+ 秒后再试", html)
    assert not words(html) - SAME_IN_CHINESE
    assert not gaps(html)


def test_chinese_sentences_follow_each_other_without_a_space(li: User) -> None:
    window = chinese(li)
    groups("go")
    form = {"kind": "link", "url": "https://example.org/", "groups": ["go"]}
    window.post("/submit", form | {"title": "标题一二三"})
    html = window.post("/submit", form | {"title": "另一个标题"}, follow=True).content.decode()
    html += window.post("/g/go/hide", {"on": "1"}, follow=True).content.decode()
    assert not gaps(html)


@pytest.mark.parametrize(
    ("accepted", "language"),
    [
        ("zh-CN", "zh-hans"), ("zh", "zh-hans"), ("zh-Hans-SG", "zh-hans"),
        ("de, zh;q=0.5", "zh-hans"), ("en-GB", "en"), ("en, zh;q=0.9", "en"),
        ("de", "en"), ("", "en"),
    ],
)  # fmt: skip
def test_page_declares_its_language_and_varies_by_it(accepted: str, language: str) -> None:
    response = reader(headers={"Accept-Language": accepted}).get("/")
    assert f'<html lang="{language}">' in response.content.decode()
    assert response["Content-Language"] == language
    assert "Accept-Language" in response["Vary"]


@pytest.mark.parametrize("member", [False, True], ids=["guest", "member"])
def test_chosen_language_is_kept_until_changed(li: User, written: Post, member: bool) -> None:
    window = reader(li if member else None, headers=OUR_PAGE)
    assert '<html lang="en">' in page(window, "/new")
    chosen = window.post("/language", {"language": "zh-hans", "next": "/new"})
    assert (chosen.status_code, chosen["Location"]) == (303, "/new")
    assert '<html lang="zh-hans">' in page(window, "/new")
    assert 'value="zh-hans" lang="zh-hans" aria-pressed="true"' in page(window, "/language")
    window.post("/language", {"language": "en"})
    assert '<html lang="en">' in page(window, "/new")
    window.post("/language", {"language": ""})
    assert '<html lang="zh-hans">' in window.get("/new", headers=CHINESE).content.decode()


def test_language_page_returns_to_the_previous_page() -> None:
    leads_back = '<input type="hidden" name="next" value="/g/?q=go">'
    for came_from, found in (
        ("http://testserver/g/?q=go#group-go", True),
        ("http://elsewhere.example/g/?q=go", False),
        ("http://[::1/g/?q=go", False),
    ):
        window = reader(headers={"Referer": came_from})
        assert (leads_back in page(window, "/language")) == found


def test_unsupported_language_is_refused() -> None:
    refused = reader(headers=OUR_PAGE).post("/language", {"language": "tlh"})
    assert refused.status_code == 400
    assert "available." in refused.content.decode()
    assert not refused.cookies


@pytest.mark.parametrize(
    ("seconds", "says"),
    [
        (59, "刚刚"), (60, "1 分钟前"), (3 * 3_600, "3 小时前"), (2 * 86_400, "2 天前"),
        (45 * 86_400, "1 个月前"), (800 * 86_400, "2 年前"),
    ],
)  # fmt: skip
def test_ages_read_well_in_chinese(seconds: int, says: str) -> None:
    with override("zh-hans"):
        assert ages.words(ages.bucket(seconds)) == says


def test_large_numbers_are_written_as_on_rows() -> None:
    with override("zh-hans"):
        assert intcomma(1_234_567) == "1,234,567"


@pytest.mark.parametrize("catalogue", [SITE, LIBRARIES], ids=["site", "libraries"])
def test_every_sentence_is_translated_and_keeps_its_placeholders(catalogue: Path) -> None:
    known = entries(catalogue)
    assert known
    assert [entry.msgid for entry in known if entry.fuzzy] == []
    assert [entry.msgid for entry in known if not HAN.search(entry.says)] == []
    assert [entry.msgid for entry in known if _parts(entry, entry.says) != _wanted(entry)] == []


def _wanted(entry: Entry) -> set[str]:
    return _parts(entry, entry.plural or entry.msgid)


def _parts(entry: Entry, text: str) -> set[str]:
    """Return the placeholders and HTML tags in a sentence or its translation."""
    return set(re.findall(r"%\(\w+\)[a-z]|%[a-z]|\{\w+\}|<[^>]+>", text))


@pytest.mark.parametrize("catalogue", [SITE, LIBRARIES], ids=["site", "libraries"])
def test_compiled_catalogue_is_up_to_date(catalogue: Path) -> None:
    assert compiled(catalogue) == {e.msgid: e.says for e in entries(catalogue)}, REFRESH


def test_every_sentence_of_the_site_is_in_the_catalogue() -> None:
    written, known = marked_sentences(), {entry.msgid for entry in entries(SITE)}
    assert sorted(written - known) == [], REFRESH
    assert sorted(known - written) == [], REFRESH


def test_no_page_puts_a_space_after_a_chinese_sentence(ada: User, bob: User, settings: Any) -> None:
    with short_pages(settings):
        site = library(ada, bob)
        spaced = {}
        for visitor in Visitor:
            window = site.browser(visitor)
            window.cookies[settings.LANGUAGE_COOKIE_NAME] = "zh-hans"
            for name, address in site.pages(visitor).items():
                html = window.get(address, follow=True).content.decode()
                spaced[f"{name}, {visitor}"] = gaps(html)
    assert not {name: found for name, found in spaced.items() if found}
