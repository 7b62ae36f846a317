"""The nginx configuration in deploy/: which headers nginx trusts and which requests it allows."""

import re
import shutil
import ssl
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPResponse, HTTPSConnection
from pathlib import Path
from socket import create_connection
from time import monotonic
from urllib.parse import urlencode

import pytest

from forum.operations.supervision.bootstrap import BASE
from tests.ports import free_port
from tests.start.site import SAFE, Site
from tests.waiting import until

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(
        not (shutil.which("nginx") and shutil.which("openssl")), reason="nginx is not there"
    ),
]
HOST = "forum.example.org"


@dataclass(frozen=True)
class Answer:
    """A response that came through the proxy."""

    status: int
    headers: list[tuple[str, str]]
    text: str

    def header(self, name: str) -> list[str]:
        """Return all values of the header `name`."""
        return [value for given, value in self.headers if given.lower() == name.lower()]


@dataclass(frozen=True)
class Proxy:
    """A running nginx with the configuration in deploy/ and its own ports."""

    port: int
    plain_port: int
    """The port for HTTP without TLS."""
    log: Path

    def ask_plainly(self, path: str) -> Answer:
        """Send a request to the port without TLS."""
        connection = HTTPConnection("127.0.0.1", self.plain_port, timeout=30)
        with closing(connection):
            connection.request("GET", path, headers={"Host": HOST})
            response = connection.getresponse()
            return Answer(response.status, response.getheaders(), response.read().decode())

    def ask(self, path: str, form: dict[str, str] | None = None, **headers: str) -> Answer:
        """Send a request to the proxy, as a browser on https://forum.example.org does."""
        connection = HTTPSConnection(
            "127.0.0.1", self.port, timeout=30, context=ssl._create_unverified_context()
        )
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        body = None if form is None else urlencode(form)
        if body is not None:
            named |= {"Content-Type": "application/x-www-form-urlencoded"}
            named |= {"Origin": f"https://{HOST}", "Content-Length": str(len(body))}
        connection.request("POST" if form else "GET", path, body, {"Host": HOST} | named)
        response: HTTPResponse = connection.getresponse()
        text = response.read().decode(errors="replace")
        connection.close()
        return Answer(response.status, response.getheaders(), text)

    def speaks(self) -> str | None:
        """Return which protocol nginx chooses, if the browser offers HTTP/2 and HTTP/1.1."""
        context = ssl._create_unverified_context()
        context.set_alpn_protocols(["h2", "http/1.1"])
        with (
            create_connection(("127.0.0.1", self.port), timeout=30) as plain,
            context.wrap_socket(plain, server_hostname=HOST) as secure,
        ):
            return secure.selected_alpn_protocol()

    def accepts(self, cipher: str) -> bool:
        """Return whether nginx takes this cipher suite for TLS 1.2."""
        context = ssl._create_unverified_context()
        context.maximum_version = ssl.TLSVersion.TLSv1_2
        context.set_ciphers(f"{cipher}:@SECLEVEL=0")
        with create_connection(("127.0.0.1", self.port), timeout=30) as plain:
            try:
                context.wrap_socket(plain, server_hostname=HOST).close()
            except ssl.SSLError:
                return False
            return True

    def answers(self) -> bool:
        try:
            return self.ask("/healthz").status == 200
        except OSError:
            return False


def configured(folder: Path, site: Site, proxy: Proxy) -> Path:
    """Write nginx's configuration to a folder, and return the path of the main file."""
    pem = folder / "cert.pem"
    certificate = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=a"]
    written = ["-keyout", str(pem), "-out", str(folder / "c"), "-days", "2"]
    subprocess.run([*certificate, *written], capture_output=True, check=True)
    pem.write_text(pem.read_text() + (folder / "c").read_text())
    text = (BASE / "deploy" / "nginx" / "rostra.conf").read_text()
    text = re.sub(r"/etc/letsencrypt\S+\.pem", str(pem), text)
    text = re.sub(r"\n +listen \[::\]:.*;", "", text)
    text = text.replace("listen 80;", f"listen 127.0.0.1:{proxy.plain_port};")
    text = text.replace("listen 443 ssl http2;", f"listen 127.0.0.1:{proxy.port} ssl http2;")
    text = text.replace("/var/log/nginx/access.log", str(proxy.log))
    text = text.replace("server 127.0.0.1:8000;", f"server 127.0.0.1:{site.port};")
    (folder / "rostra.conf").write_text(text)
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    places = " ".join(f"{kind}_temp_path {folder}/{kind};" for kind in kinds)
    (folder / "nginx.conf").write_text(
        f"daemon off; master_process off; error_log {folder}/error.log; pid {folder}/pid;\n"
        f"events {{}}\nhttp {{ access_log off; {places} include {folder}/rostra.conf; }}\n"
    )
    return folder / "nginx.conf"


@pytest.fixture(scope="module")
def proxy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxy]:
    """Run nginx in front of a production site. The site allows two log-in attempts per hour."""
    folder = tmp_path_factory.mktemp("nginx")
    site, made = Site(folder / "data"), Proxy(free_port(), free_port(), folder / "access.log")
    config = configured(folder, site, made)
    with site.up(**SAFE, LIMIT_LOGIN="2/3600"):
        command = ["nginx", "-p", str(folder), "-c", str(config), "-e", f"{folder}/error.log"]
        nginx = subprocess.Popen(command)
        try:
            until(made.answers, "nginx answers")
            yield made
        finally:
            nginx.terminate()
            nginx.wait(timeout=30)


def test_clients_can_not_set_the_scheme_or_the_request_id(proxy: Proxy) -> None:
    page = proxy.ask("/about", X_Forwarded_Proto="http", X_Request_ID="of-my-own")
    assert page.status == 200, "a page, and not a redirect to https"
    assert [len(headers) for headers in page.header("X-Request-ID")] == [32]
    for name in ("Strict-Transport-Security", "Content-Security-Policy", "X-Frame-Options"):
        assert len(page.header(name)) == 1, name


def test_rate_limits_use_the_real_address_of_a_client(proxy: Proxy) -> None:
    page = proxy.ask("/accounts/login/")
    token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page.text)
    assert token
    cookie = "; ".join(one.partition(";")[0] for one in page.header("Set-Cookie"))
    form = {"csrfmiddlewaretoken": token[1], "login": "nobody", "password": "wrong"}
    tries = [
        proxy.ask("/accounts/login/", form, Cookie=cookie, X_Forwarded_For=f"192.0.2.{number}")
        for number in range(3)
    ]
    assert [each.status for each in tries] == [200, 200, 429]


def test_internal_pages_and_long_requests_are_blocked(proxy: Proxy) -> None:
    assert proxy.ask("/metrics").status == 404
    assert proxy.ask("/readyz").status == 404
    assert proxy.ask("/accounts/login/", {"login": "x" * 1_100_000}).status == 413


def test_answers_of_nginx_itself_have_the_headers_of_pages(proxy: Proxy) -> None:
    names = ["Strict-Transport-Security", "Content-Security-Policy", "X-Frame-Options"]
    names += ["X-Content-Type-Options", "Referrer-Policy"]
    for refused in (proxy.ask("/metrics"), proxy.ask("/submit", {"body": "x" * 1_100_000})):
        assert refused.status in {404, 413}
        assert refused.header("Server") == ["nginx"], "without its version"
        assert [len(refused.header(name)) for name in names] == [1] * 5
        assert refused.header("Content-Type") == ["text/html; charset=utf-8"]
    page, own = proxy.ask("/about"), proxy.ask("/metrics")
    for name in names:
        assert len(page.header(name)) == 1, name
        if name != "Content-Security-Policy":
            assert page.header(name) == own.header(name)


def test_pages_lead_from_http_to_https_and_programs_get_an_error(proxy: Proxy) -> None:
    led = proxy.ask_plainly("/about")
    assert (led.status, led.header("Location")) == (301, [f"https://{HOST}/about"])
    assert "frame-ancestors 'none'" in led.header("Content-Security-Policy")[0]
    for path in ("/api/v1/posts", "/newest.json", "/feeds/a-key/inbox.atom"):
        refused = proxy.ask_plainly(path)
        assert refused.status == 403, path
        assert refused.header("Content-Type") == ["text/html; charset=utf-8"]


def test_access_log_leaves_out_keys_and_links_from_mails(proxy: Proxy) -> None:
    known = proxy.log.read_text()
    for path in (
        "/feeds/s3cret/inbox.atom",
        "/unsubscribe/s3cret:s3cret",
        "/accounts/confirm-email/s3cret:s3cret/",
        "/accounts/password/reset/key/5-s3cret/",
        "/accounts/signup/?next=/new&invitation=s3cret",
        "/accounts/login/?next=/accounts/signup/%3Finvitation%3Ds3cret",
        "/accounts/oidc/school/login/callback/?code=s3cret",
    ):
        proxy.ask(path)
        proxy.ask_plainly(path)
        proxy.ask("/about?p=2", Referer=f"https://{HOST}{path}", User_Agent="Reader/1.0")
    proxy.ask("/new", Referer=f"https://{HOST}/p/1")
    until(lambda: f'"https://{HOST}/p/1"' in proxy.log.read_text(), "the last line is written")
    lines = proxy.log.read_text().removeprefix(known)
    assert "s3cret" not in lines
    assert '"GET /feeds/*** HTTP/1.1" 404' in lines
    assert '"GET /accounts/signup/?next=/new&invitation=*** HTTP/1.1" 200' in lines
    assert '"GET /about?p=2 HTTP/1.1" 200' in lines
    assert lines.count('"-" "Reader/1.0"\n') == 7, "pages that lead from there"


@pytest.mark.parametrize("cipher", ["ECDHE-RSA-AES256-GCM-SHA384", "ECDHE-RSA-AES128-GCM-SHA256"])
def test_tls_1_2_has_authenticated_ciphers_with_forward_secrecy(proxy: Proxy, cipher: str) -> None:
    assert proxy.accepts(cipher)


@pytest.mark.parametrize("cipher", ["AES256-GCM-SHA384", "ECDHE-RSA-AES256-SHA384"])
def test_tls_1_2_has_no_old_ciphers(proxy: Proxy, cipher: str) -> None:
    assert not proxy.accepts(cipher)


def test_slow_senders_stop_nobody_else(proxy: Proxy) -> None:
    begun = f"POST /language HTTP/1.1\r\nHost: {HOST}\r\nContent-Length: 50\r\n\r\nlanguage="
    context = ssl._create_unverified_context()
    with ExitStack() as senders:
        for _ in range(24):
            plain = senders.enter_context(create_connection(("127.0.0.1", proxy.port), timeout=30))
            slow = senders.enter_context(context.wrap_socket(plain, server_hostname=HOST))
            slow.sendall(begun.encode())
        began = monotonic()
        assert proxy.ask("/healthz").status == 200
        assert monotonic() - began < 5, "they occupy no thread of the site"


def test_static_files_are_compressed_and_cached_for_ever(proxy: Proxy) -> None:
    sheet = re.search(r'href="(/static/[^"]+\.css)"', proxy.ask("/about").text)
    assert sheet
    packed = proxy.ask(sheet[1], Accept_Encoding="gzip")
    assert packed.header("Content-Encoding") == ["gzip"]
    assert "immutable" in packed.header("Cache-Control")[0]


def test_pages_are_served_over_http_2_and_compressed_once(proxy: Proxy) -> None:
    assert proxy.speaks() == "h2"
    page = proxy.ask("/about", Accept_Encoding="gzip")
    assert page.header("Content-Encoding") == ["gzip"]
    assert any("Accept-Encoding" in value for value in page.header("Vary"))
    assert proxy.ask("/about").header("Content-Encoding") == []
