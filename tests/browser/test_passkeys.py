"""People add passkeys and log in with them. Chromium has a virtual device that holds the keys."""

from collections.abc import Callable, Iterator

import pytest
from allauth.mfa.models import Authenticator
from django.conf import settings
from django.core import mail
from playwright.sync_api import CDPSession, Page, expect

from forum.models import User
from tests.browser.pages import expect_sound
from tests.forum.factories import PASSWORD, emailed_path, person_with_email, post

NEW = "another long sentence"
ADD, ENTER, FACTORS = "/accounts/2fa/webauthn/add/", "/accounts/login/", "/accounts/2fa/"


class Device:
    """A virtual device with passkeys. It can be lost, and its owner may fail to be recognised."""

    def __init__(self, cdp: CDPSession) -> None:
        self.cdp = cdp
        options = {"protocol": "ctap2", "transport": "internal"} | dict.fromkeys(
            ("hasResidentKey", "hasUserVerification", "isUserVerified"), True
        )
        cdp.send("WebAuthn.enable")
        added = cdp.send("WebAuthn.addVirtualAuthenticator", {"options": options})
        self.id = {"authenticatorId": added["authenticatorId"]}

    def recognise(self, owner: bool) -> None:
        self.cdp.send("WebAuthn.setUserVerified", self.id | {"isUserVerified": owner})

    def lose(self) -> None:
        self.cdp.send("WebAuthn.clearCredentials", self.id)


@pytest.fixture
def device(page: Page) -> Iterator[Device]:
    cdp = page.context.new_cdp_session(page)
    yield Device(cdp)
    cdp.send("WebAuthn.disable")
    cdp.detach()


@pytest.fixture
def ada() -> User:
    return person_with_email("ada")


@pytest.fixture
def add_passkey(
    page: Page, ada: User, log_in: Callable[[User], None], device: Device
) -> Callable[..., None]:
    """Return a function that adds a passkey to Ada's account, in the same way as she would."""

    def add(name: str = "Phone", *, passwordless: bool = True) -> None:
        log_in(ada)
        page.goto(FACTORS)
        page.get_by_role("link", name="Add a passkey").click()
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Confirm").click()
        page.get_by_label("Name").fill(name)
        page.get_by_label("Log in without a password").set_checked(passwordless)
        page.get_by_role("button", name="Add", exact=True).click()
        expect(page.get_by_text("The passkey was added.")).to_be_visible()

    return add


def leave(page: Page) -> None:
    page.context.clear_cookies()


def expect_ada_inside(page: Page) -> None:
    expect(page.get_by_role("navigation", name="Your account").get_by_text("ada")).to_be_visible()


def test_person_adds_a_passkey_and_logs_in_with_it_alone(
    page: Page, add_passkey: Callable[..., None]
) -> None:
    add_passkey()
    expect(page.get_by_role("heading", name="Recovery codes")).to_be_visible()
    leave(page)
    page.goto(f"{ENTER}?next=/about")
    page.get_by_role("button", name="Log in with a passkey").click()
    page.wait_for_url("**/about")
    expect_ada_inside(page)
    assert Authenticator.objects.get(type="webauthn").last_used_at


def test_adding_and_removing_a_passkey_are_notified_by_mail(
    page: Page, add_passkey: Callable[..., None]
) -> None:
    add_passkey()
    [letter] = mail.outbox
    assert letter.to == ["ada@example.org"]
    assert letter.subject == "[Rostra] A passkey was added"
    assert "ada, your account was changed:" in str(letter.body)
    page.goto(FACTORS)
    page.get_by_role("link", name="Manage passkeys").click()
    page.get_by_role("link", name="Remove Phone").click()
    page.get_by_role("button", name="Remove").click()
    expect(page.get_by_text("The passkey was removed.")).to_be_visible()
    assert mail.outbox[1].subject == "[Rostra] A passkey was removed"
    assert not Authenticator.objects.exists(), "the recovery codes are of no use any more"


def test_passkey_is_asked_after_the_password(page: Page, add_passkey: Callable[..., None]) -> None:
    add_passkey("Key", passwordless=False)
    leave(page)
    page.goto(ENTER)
    page.get_by_label("User name").fill("ada")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in", exact=True).click()
    page.get_by_role("button", name="Use a passkey").click()
    expect_ada_inside(page)


def test_key_that_recognises_nobody_does_not_replace_the_password(
    page: Page, add_passkey: Callable[..., None], device: Device
) -> None:
    add_passkey()
    leave(page)
    device.recognise(owner=False)
    page.goto(ENTER)
    page.get_by_role("button", name="Log in with a passkey").click()
    expect(page.get_by_text("No passkey was used.")).to_be_visible()
    page.goto("/about")
    expect(page.get_by_role("link", name="Log in")).to_be_visible()


def test_who_lost_the_only_passkey_resets_the_password_by_mail_and_uses_a_recovery_code(
    page: Page, add_passkey: Callable[..., None], device: Device, base_url: str
) -> None:
    add_passkey()
    code = page.locator("pre").inner_text().split()[0]
    leave(page)
    device.lose()
    mail.outbox.clear()
    page.goto("/accounts/password/reset/")
    page.get_by_label("Email").fill("ada@example.org")
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_role("heading", name="email", exact=False).first).to_be_visible()
    page.goto(emailed_path())
    page.get_by_label("New password", exact=True).fill(NEW)
    page.get_by_label("New password (again)").fill(NEW)
    page.get_by_role("button", name="password").click()
    page.goto(ENTER)
    page.get_by_label("User name").fill("ada")
    page.get_by_label("Password").fill(NEW)
    page.get_by_role("button", name="Log in", exact=True).click()
    page.get_by_label("Code").fill(code)
    page.get_by_role("button", name="Log in", exact=True).click()
    expect_ada_inside(page)
    page.goto("/accounts/2fa/webauthn/")
    page.get_by_role("link", name="Remove Phone").click()
    page.get_by_label("Password").fill(NEW)
    page.get_by_role("button", name="Confirm").click()
    page.get_by_role("button", name="Remove").click()
    expect(page.get_by_text("You have no passkeys.")).to_be_visible()


def test_removed_passkey_no_longer_logs_in(page: Page, add_passkey: Callable[..., None]) -> None:
    add_passkey()
    Authenticator.objects.all().delete()
    leave(page)
    page.goto(ENTER)
    page.get_by_role("button", name="Log in with a passkey").click()
    expect(page.get_by_text("The passkey was not accepted.")).to_be_visible()


def test_guest_who_votes_and_logs_in_with_a_passkey_is_asked_to_confirm_the_vote(
    page: Page, add_passkey: Callable[..., None], bob: User
) -> None:
    add_passkey()
    leave(page)
    written = post(bob)
    page.goto(f"{ENTER}?next=/&vote=up&post={written.pk}")
    page.get_by_role("button", name="Log in with a passkey").click()
    page.wait_for_url("**/accounts/pending/**")


def test_passkey_confirms_the_identity_before_a_sensitive_change(
    page: Page, add_passkey: Callable[..., None], ada: User, log_in: Callable[[User], None]
) -> None:
    add_passkey()
    log_in(ada)
    page.goto(ADD)
    page.get_by_role("link", name="Use a passkey").click()
    page.get_by_role("button", name="Use a passkey").click()
    expect(page.get_by_role("heading", name="Add a passkey")).to_be_visible()


def test_pages_of_passkeys_fit_on_a_phone_and_have_no_accessibility_errors(
    page: Page, add_passkey: Callable[..., None]
) -> None:
    add_passkey()
    page.set_viewport_size({"width": 320, "height": 640})
    pk = Authenticator.objects.get(type="webauthn").pk
    keys = f"/accounts/2fa/webauthn/keys/{pk}"
    pages = (FACTORS, ADD, "/accounts/2fa/webauthn/", f"{keys}/edit/", f"{keys}/remove/")
    for address in (*pages, "/accounts/2fa/webauthn/reauthenticate/", "/accounts/sessions/"):
        page.goto(address)
        expect_sound(page, True)
    leave(page)
    page.goto(ENTER)
    expect_sound(page, True)


def test_pages_of_passkeys_are_in_chinese_too(
    page: Page, add_passkey: Callable[..., None], ada: User, base_url: str
) -> None:
    add_passkey()
    User.objects.filter(pk=ada.pk).update(language="zh-hans")
    leave(page)
    name = settings.LANGUAGE_COOKIE_NAME
    page.context.add_cookies([{"name": name, "value": "zh-hans", "url": base_url}])
    page.goto(ENTER)
    page.get_by_role("button", name="用通行密钥登录").click()
    account = page.get_by_role("navigation", name="你的账号")
    expect(account.get_by_text("ada")).to_be_visible()
    page.goto(FACTORS)
    expect(page.get_by_role("heading", name="通行密钥", exact=True)).to_be_visible()
    expect(page.get_by_text("你有 1 个通行密钥。")).to_be_visible()
    page.goto("/accounts/sessions/")
    expect(page.get_by_text("当前浏览器", exact=True)).to_be_visible()
