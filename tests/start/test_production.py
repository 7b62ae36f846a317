"""PRODUCTION=1 refuses unsafe settings, and the README lists every setting."""

import json
import re
from collections.abc import Iterator
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from urllib.request import HTTPErrorProcessor, Request, build_opener

import pytest

from tests.readme import settings_in_readme
from tests.start.reading import read_by_the_site, refusal, settings_of
from tests.start.site import SAFE, Site, manage
from tests.waiting import until

pytestmark = pytest.mark.long


def test_every_setting_is_in_the_readme_and_the_readme_has_no_others() -> None:
    assert read_by_the_site() == settings_in_readme()


def test_djangos_deployment_checks_pass(tmp_path: Path) -> None:
    run = manage(tmp_path, "check", "--deploy", "--fail-level", "WARNING", **SAFE)
    assert run.returncode == 0, run.stderr
    assert re.findall(r"forum\.\w+|security\.\w+", run.stdout + run.stderr) == ["forum.I001"]


def test_check_for_deployment_says_that_slow_senders_need_a_proxy(tmp_path: Path) -> None:
    run = manage(tmp_path, "check", "--deploy", **SAFE)
    assert "needs a proxy that receives whole requests" in run.stderr
    assert "deploy/nginx/rostra.conf" in run.stderr
    run = manage(tmp_path, "check", "--deploy", **SAFE, TRUSTED_PROXIES="0")
    assert "TRUSTED_PROXIES=0: A public site needs a proxy" in run.stderr
    assert "forum.I001" not in manage(tmp_path, "check", **SAFE).stderr


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"DEBUG": "1"}, "DEBUG=1 and PRODUCTION=1 can't be combined"),
        ({"SECRET_KEY": ""}, "PRODUCTION=1 also needs SECRET_KEY."),
        ({"SITE_URL": ""}, "PRODUCTION=1 also needs SITE_URL."),
        ({"EMAIL_URL": ""}, "PRODUCTION=1 also needs EMAIL_URL."),
        ({"SECRET_KEY": "short"}, "SECRET_KEY: PRODUCTION=1 needs at least 50 characters"),
        ({"SITE_URL": "http://forum.example.org"}, "SITE_URL: give a URL that starts with"),
        ({"ALLOWED_HOSTS": "*"}, "ALLOWED_HOSTS='*'"),
        ({"ALLOWED_HOSTS": "other.example.org"}, "also list forum.example.org"),
        ({"EMAIL_URL": "consolemail://"}, "EMAIL_URL: with PRODUCTION=1 use smtp://"),
        ({"SECURITY_CONTACT": "call us"}, "SECURITY_CONTACT: give email addresses or https://"),
        ({"EMAIL_URL": "dummymail://"}, "EMAIL_URL: with PRODUCTION=1 use smtp://"),
    ],
)
def test_an_unsafe_setting_is_refused_with_one_sentence(
    tmp_path: Path, changed: dict[str, str], sentence: str
) -> None:
    assert sentence in refusal(tmp_path, **SAFE | changed)


@pytest.mark.parametrize("hosts", ["forum.example.org", ".example.org", "a.b,forum.example.org"])
def test_hosts_that_include_the_sites_own_are_accepted(tmp_path: Path, hosts: str) -> None:
    assert settings_of(tmp_path, **SAFE, ALLOWED_HOSTS=hosts)["ALLOWED_HOSTS"] == hosts.split(",")


def test_hsts_covers_subdomains_if_the_owner_says_so(tmp_path: Path) -> None:
    assert not settings_of(tmp_path, **SAFE)["SECURE_HSTS_INCLUDE_SUBDOMAINS"]
    given = settings_of(tmp_path, **SAFE, HSTS_SUBDOMAINS="1")
    assert given["SECURE_HSTS_INCLUDE_SUBDOMAINS"]


def test_contacts_for_security_problems_become_urls(tmp_path: Path) -> None:
    contacts = "security@example.org, https://example.org/report"
    given = settings_of(tmp_path, **SAFE, SECURITY_CONTACT=contacts)["SECURITY_CONTACTS"]
    assert given == ["mailto:security@example.org", "https://example.org/report"]


class Unredirected(HTTPErrorProcessor):
    """Makes urllib return redirects and error responses, instead of following or raising them."""

    def http_response(self, request: Request, response: Any) -> Any:
        return response


def ask(site: Site, path: str, **headers: str) -> Any:
    """Send a request to the site and return the response, even if it is a redirect."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    request = Request(f"http://localhost:{site.port}{path}", headers=named)
    return build_opener(Unredirected).open(request, timeout=60)


@pytest.fixture(scope="module")
def public(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A running production site with two web processes."""
    site = Site(tmp_path_factory.mktemp("public"))
    with site.up(**SAFE, WEB_CONCURRENCY="2", LOG_REQUESTS="1"):
        yield site


def test_public_site_warns_of_the_limits_of_sqlite(public: Site) -> None:
    assert "People and posts are in SQLite, which is safe on one machine" in public.output()
    assert "Log in as" not in public.output()


def test_probes_may_use_http_and_others_are_redirected_to_https(public: Site) -> None:
    until(lambda: ask(public, "/readyz").status == 200, "the site is ready")
    assert json.load(ask(public, "/readyz")) == {"ready": True, "missing": {}}
    assert ask(public, "/healthz").status == 200
    led = ask(public, "/about")
    assert (led.status, led.headers["Location"]) == (301, f"https://localhost:{public.port}/about")
    page = ask(public, "/about", X_Forwarded_Proto="https")
    assert page.status == 200
    assert page.headers["Strict-Transport-Security"] == "max-age=31536000", "not of subdomains"


def cookies(answer: Any) -> dict[str, str]:
    """Return the cookies that a response sets: their attributes in lower case, by name."""
    lines = answer.headers.get_all("Set-Cookie") or []
    return {line.partition("=")[0]: line.partition(";")[2].lower() for line in lines}


def test_browsers_refuse_cookies_that_another_host_sets(public: Site) -> None:
    code = (
        "from allauth.account.models import EmailAddress; from forum.models import User; "
        "ada = User.objects.create_user('ada', 'ada@example.org', 'a long enough sentence'); "
        "EmailAddress.objects.create(user=ada, email=ada.email, primary=True, verified=True)"
    )
    assert public.command("shell", "-c", code, **SAFE).wait(timeout=60) == 0, public.output()
    secure = {"X_Forwarded_Proto": "https"}
    page = ask(public, "/accounts/login/", **secure)
    sent = {"__Host-csrftoken": page.headers["Set-Cookie"].partition("=")[2].partition(";")[0]}
    token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page.read().decode())
    assert token

    def post(path: str, **form: str) -> Any:
        kept = "; ".join(f"{name}={value}" for name, value in sent.items())
        headers = {"Cookie": kept, "Origin": f"https://localhost:{public.port}"}
        body = urlencode({"csrfmiddlewaretoken": token[1], **form}).encode()
        request = Request(f"http://localhost:{public.port}{path}", body, headers)
        request.add_header("X-Forwarded-Proto", "https")
        return build_opener(Unredirected).open(request, timeout=60)

    seen = cookies(page)
    for path, form in (
        ("/language", {"language": "en"}),
        ("/display", {"theme": "dark"}),
        ("/accounts/login/", {"login": "ada", "password": "a long enough sentence"}),
    ):
        seen |= cookies(post(path, **form))
    assert seen.pop("__Secure-known").count("path=/accounts/; samesite=lax; secure") == 1
    names = ("csrftoken", "display", "django_language", "sessionid")
    assert sorted(seen) == [f"__Host-{name}" for name in names]
    for attributes in seen.values():
        assert "path=/;" in attributes
        assert attributes.endswith("secure")
        assert "httponly" in attributes
        assert "domain" not in attributes


def test_cookie_of_messages_is_one_that_only_the_site_can_set(tmp_path: Path) -> None:
    code = "from forum.web.message_storage import MessageStorage as It; print(It.cookie_name)"
    assert "__Host-messages\n" in manage(tmp_path, "shell", "-c", code, **SAFE).stdout


def test_static_files_have_the_headers_of_pages(public: Site) -> None:
    page = ask(public, "/about", X_Forwarded_Proto="https")
    html = page.read().decode()
    found = [re.findall(rf"/static/[^\"]+\.{kind}", html)[0] for kind in ("svg", "css")]
    for path in ("/favicon.ico", *found):
        file = ask(public, path, X_Forwarded_Proto="https")
        assert file.status == 200
        for name in ("Strict-Transport-Security", "X-Content-Type-Options", "Referrer-Policy"):
            assert file.headers[name] == page.headers[name], name
        policy = "default-src 'none'; base-uri 'none'; frame-ancestors 'none'"
        assert file.headers["Content-Security-Policy"] == policy


def test_too_large_upload_is_answered_and_not_cut_off(public: Site) -> None:
    """If the connection closed during the upload, people would not see the site's message."""
    connection = HTTPConnection("localhost", public.port, timeout=60)
    form = {"Content-Type": "application/x-www-form-urlencoded", "X-Forwarded-Proto": "https"}
    with closing(connection):
        connection.request("POST", "/submit", b"body=" + b"a" * 8_000_000, form)
        answer = connection.getresponse()
        assert (answer.status, b"What you sent is too long" in answer.read()) == (413, True)
        connection.request("GET", "/healthz")
        assert connection.getresponse().status == 200, "the next request is understood"


def test_log_lines_are_json_with_the_id_from_the_proxy(public: Site) -> None:
    ask(public, "/about", X_Forwarded_Proto="https", X_Request_ID="made-by-the-proxy")

    def lines() -> list[dict[str, Any]]:
        written = public.output().rpartition("\n")[0]
        return [json.loads(line) for line in written.splitlines() if line.startswith("{")]

    until(
        lambda: [one for one in lines() if one.get("request_id") == "made-by-the-proxy"],
        "the request's line is written",
    )
    (own,) = [one for one in lines() if one.get("request_id") == "made-by-the-proxy"]
    assert (own["event"], own["path"], own["status"]) == ("request", "/about", 200)


def test_every_process_reports_the_metrics_of_all(public: Site) -> None:
    for _ in range(40):
        assert ask(public, "/about", X_Forwarded_Proto="https").status == 200
    counted = 'rostra_request_seconds_count{status="200",view="about"} '
    reports = set()
    for _ in range(10):
        text = ask(public, "/metrics").read().decode()
        reports.add(text.partition(counted)[2].partition("\n")[0])
    assert len(reports) == 1
    assert float(reports.pop()) >= 40
    assert ask(public, "/metrics", X_Forwarded_For="192.0.2.1").status == 403
