"""Limits for new accounts, by network, by mailbox and by the domain of the email address.

The network counts when somebody signs up. Mailbox and domain count when an address is confirmed:
anybody can sign up with the addresses of other people, who could then not join any more.
"""

from collections.abc import Callable
from functools import lru_cache

from publicsuffixlist import PublicSuffixList

from forum.actions.policy import policy
from forum.errors import MailboxUsed, MailDomainFull
from forum.identity.throttle import Subject, require_daily_room, throttle, throttle_daily
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
ACCOUNTS_A_MAILBOX = 1
"""How many people can join in a day with addresses of one mailbox."""


def count_sign_up(network: Subject, email: str) -> None:
    """Count a sign-up for the rate limits of the network.

    Raises Throttled if the network is over its limit, and MailDomainFull if as many people as may
    join have joined today with addresses of the mail domain. While Redis is unavailable, this
    process counts in memory.
    """
    throttle(network, "signup")
    throttle_daily(network, "signup_day", policy.get().sign_ups_a_network)
    _limit_domain(mail_domain(email), require_daily_room)


def count_confirmed(email: str) -> None:
    """Count a person whose first address was confirmed, for the limits of mailbox and mail domain.

    Raises MailboxUsed or MailDomainFull if a limit is reached.
    """
    try:
        throttle_daily(Subject.mailbox(mailbox(email)), "joined", ACCOUNTS_A_MAILBOX)
    except Throttled as error:
        raise MailboxUsed(error.retry_after_seconds) from error
    _limit_domain(mail_domain(email), throttle_daily)


def _limit_domain(domain: str, check: Callable[[Subject, str, int], None]) -> None:
    if not domain or domain in LARGE_PROVIDERS:
        return
    try:
        check(Subject.mail_domain(domain), "joined", policy.get().sign_ups_a_mail_domain)
    except Throttled as error:
        raise MailDomainFull(domain, error.retry_after_seconds) from error


def mailbox(email: str) -> str:
    """Return the address of the mailbox that gets the mail of an address: without its "+tag"."""
    name, _at, domain = email.lower().rpartition("@")
    return f"{name.partition('+')[0]}@{domain}"


def mail_domain(email: str) -> str:
    """Return the registrable domain of an email address, such as "example.co.uk".

    Returns "" if there is no address. The sign-up limit applies to this domain, because its owner
    can create any number of subdomains.
    """
    domain = email.rpartition("@")[2].lower().strip(".")
    return _public_suffixes().privatesuffix(domain) or domain


@lru_cache(maxsize=1)
def _public_suffixes() -> PublicSuffixList:
    """Return the domains under which people register names, from the list in the package.

    Leaves out domains whose owners give subdomains away: these count together.
    """
    return PublicSuffixList(only_icann=True)
