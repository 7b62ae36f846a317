"""A small OpenID Connect provider on 127.0.0.1, and a person's way through it."""

import base64
import hashlib
import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from html import escape, unescape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from time import time
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlencode, urlsplit

import jwt
from django.test import Client

from forum.config import browser_policies, openid

SIGN_UP = "/accounts/3rdparty/signup/"
CLIENT = {"client_id": "rostra", "secret": "s3cret"}


@dataclass
class Provider:
    """A provider: the data of the person who logs in there, and the requests that it got."""

    url: str
    person: dict[str, Any] = field(default_factory=lambda: {"sub": "1", "name": "Ada"})
    refuses: bool = False
    asked: dict[str, str] = field(default_factory=dict)

    def app(self) -> dict[str, Any]:
        """Return the provider as the settings describe it."""
        return CLIENT | {
            "provider_id": "school",
            "name": "Our school",
            "settings": {"server_url": self.url},
        }

    def visit(self, address: str) -> str:
        """Log in at the provider: return the URL to which it sends the browser back."""
        self.asked = dict(parse_qsl(urlsplit(address).query))
        return self.back({"error": "access_denied"} if self.refuses else {"code": "c0de"})

    def page(self, address: str) -> bytes:
        """Return the page on which people log in at the provider, or cancel."""
        self.asked = dict(parse_qsl(urlsplit(address).query))
        ways = {"Log in": {"code": "c0de"}, "Cancel": {"error": "access_denied"}}
        links = (f'<a href="{escape(self.back(way))}">{name}</a>' for name, way in ways.items())
        again = " again" if self.asked.get("prompt") == "login" else ""
        head = "<!doctype html><title>Our school</title>"
        return f"{head}<p>Who are you{again}? {' '.join(links)}".encode()

    def back(self, answer: dict[str, str]) -> str:
        """Return the URL of the site to which the provider sends its answer."""
        return f"{self.asked['redirect_uri']}?{urlencode(answer | {'state': self.asked['state']})}"

    def tokens(self, form: dict[str, str]) -> dict[str, Any] | None:
        """Return the tokens for a code, or None if the site doesn't prove who it is."""
        digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        given = (form.get("code"), form.get("client_secret"), challenge)
        if given != ("c0de", CLIENT["secret"], self.asked["code_challenge"]):
            return None
        claims = {"iss": self.url, "aud": self.asked["client_id"], "exp": int(time()) + 60}
        signed = jwt.encode(claims | self.person, "k" * 32, algorithm="HS256")
        return {"access_token": "t0ken", "token_type": "Bearer", "id_token": signed}


@contextmanager
def site_with_provider(settings: Any) -> Iterator[Provider]:
    """Run a provider in the `with` block, with which people can log in to the site."""
    with running_provider() as provider:
        settings.SOCIALACCOUNT_PROVIDERS = {
            "openid_connect": {"APPS": [provider.app()], "OAUTH_PKCE_ENABLED": True}
        }
        targets = openid.origins([provider.app()])
        settings.CONTENT_SECURITY_POLICY = browser_policies.content(targets)
        yield provider


@contextmanager
def running_provider() -> Iterator[Provider]:
    """Run a provider in the `with` block."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path.startswith("/authorize"):
                self.send(200, "text/html", found.page(self.path))
                return
            names = {"authorization": "authorize", "token": "token", "userinfo": "userinfo"}
            config = {f"{name}_endpoint": f"{found.url}/{path}" for name, path in names.items()}
            config |= {"issuer": found.url, "jwks_uri": f"{found.url}/keys"}
            more = {"token_endpoint_auth_methods_supported": ["client_secret_post"]}
            self.reply(found.person if self.path == "/userinfo" else config | more)

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            self.reply(found.tokens({name: one[0] for name, one in parse_qs(body).items()}))

        def reply(self, answer: dict[str, Any] | None) -> None:
            content = json.dumps(answer or {"error": "invalid_client"}).encode()
            self.send(200 if answer else 401, "application/json", content)

        def send(self, status: int, kind: str, content: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_args: Any) -> None:
            """Log nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    found = Provider(f"http://127.0.0.1:{server.server_port}")
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield found
    finally:
        server.shutdown()
        server.server_close()


def log_in(window: Client, provider: Provider, **more: str) -> Any:
    """Press the provider's button, log in there, and return the site's answer."""
    sent = window.post("/accounts/oidc/school/login/", {"process": "login"} | more)
    assert sent.status_code == 302, sent.content.decode()
    return window.get(provider.visit(sent["Location"]))


def signed_up(school: Provider, name: str = "ada", **more: str) -> tuple[Client, Any]:
    """Log in with the provider for the first time and choose a user name."""
    window = Client()
    assert log_in(window, school)["Location"] == SIGN_UP
    return window, window.post(SIGN_UP, {"username": name} | more)


def log_in_again(window: Client, school: Provider, address: str) -> Any:
    """Confirm who one is: follow the page at `address` to the provider and back.

    Returns what the site answers when the person is back.
    """
    page = window.get(address).content.decode()
    found = re.search('<form class="stack" method="post" action="([^"]+)">', page)
    assert found, "the page has no button that leads to the provider"
    sent = window.post(unescape(found[1]))
    back = window.get(school.visit(sent["Location"]))
    assert back["Location"] == address
    return window.get(address)
