"""Rate limits for sign-ups, by network and by the domain of the email address."""

from forum.actions.policy import policy
from forum.errors import MailDomainFull
from forum.identity.throttle import Subject, throttle, throttle_daily
from voting.errors import Throttled

LARGE_PROVIDERS = frozenset(
    {
        *("126.com", "163.com", "aol.com", "fastmail.com", "foxmail.com", "free.fr", "gmail.com"),
        *("gmx.de", "gmx.net", "googlemail.com", "hotmail.com", "icloud.com", "live.com"),
        *("mac.com", "mail.com", "mail.ru", "me.com", "msn.com", "naver.com", "orange.fr"),
        *("outlook.com", "proton.me", "protonmail.com", "qq.com", "sina.com", "t-online.de"),
        *("web.de", "yahoo.com", "yandex.ru", "zoho.com"),
    }
)
"""Mail services with very many users. The sign-up limit by domain doesn't apply to them."""
SHORT = 3
"""A domain has a suffix like "co.uk" if its last two parts have at most this many letters each."""


def count_sign_up(network: Subject, email: str) -> None:
    """Count a sign-up for the rate limits of the network and of the email address's domain.

    Raises Throttled if the network is over its limit, and MailDomainFull if the mail domain is over
    its limit. While Redis is unavailable, this process counts in memory.
    """
    throttle(network, "signup")
    throttle_daily(network, "signup_day", policy.get().sign_ups_a_network)
    domain = mail_domain(email)
    if domain and domain not in LARGE_PROVIDERS:
        try:
            most = policy.get().sign_ups_a_mail_domain
            throttle_daily(Subject.mail_domain(domain), "signup_day", most)
        except Throttled as error:
            raise MailDomainFull(domain, error.retry_after_seconds) from error


def mail_domain(email: str) -> str:
    """Return the registrable domain of an email address, such as "example.co.uk".

    Returns "" if there is no address. The sign-up limit applies to this domain, because its owner
    can create any number of subdomains.
    """
    labels = email.rpartition("@")[2].lower().strip(".").split(".")
    is_suffix = len(labels) > 2 and len(labels[-2]) <= SHORT and len(labels[-1]) <= SHORT
    return ".".join(labels[-3:] if is_suffix else labels[-2:])
