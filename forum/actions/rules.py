"""Applies automatic rules to posts and comments that people write or edit.

Enabled rules are compiled and cached in this process.
"""

from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cached_property

from django.conf import settings
from django.db import connection
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from forum.actions.action_log import record
from forum.actions.policy import policy
from forum.errors import RefusedByRule
from forum.identity import roles
from forum.models import ModAction, Post, Rule, User
from forum.queries.process_cache import ProcessCache
from forum.text import terms
from forum.text.links import key
from forum.text.plain import plain_text

Effect, About = Rule.Effect, Rule.About
STRENGTH = (Effect.REFUSE, Effect.HOLD, Effect.FLAG)
"""Effects, strongest first. If several rules match a post or comment, the strongest effect wins."""


@dataclass
class Writing:
    """A post or comment, with the values that rules compare."""

    about: Rule.About
    author: User
    group_ids: Collection[int]
    text: str
    """The title and the text, as the author wrote them."""
    html: str = ""
    url: str = ""
    written_at: datetime = field(default_factory=timezone.now)
    flags: int | None = None
    """How many people's flags on the text count. None while the text is being saved."""

    @cached_property
    def folded(self) -> str:
        """The text and the URL, simplified by `terms.fold` for comparison with a rule's words.

        If markup changes what readers see, as in `_casino_` and `**cas**ino`, this also has the
        text as they see it.
        """
        seen, source = plain_text(self.html), " ".join(self.text.split())
        more = "" if f" {source}".endswith(f" {seen}") else f"\n|\n{seen}"
        return terms.fold(f"{self.text}\n{self.url}{more}")

    @cached_property
    def hosts(self) -> frozenset[str]:
        """The host names of the post's link and of all links in the text."""
        own = {terms.host_of(self.url)} if self.url else set()
        return terms.hosts_in(self.html) | own

    @property
    def account_age(self) -> timedelta:
        """The age of the author's account when the text was written."""
        return self.written_at - self.author.date_joined


class CompiledRule:
    """A rule, prepared so that comparing it with many posts and comments is fast."""

    def __init__(self, rule: Rule) -> None:
        self.rule = rule
        self._domains = terms.compile_domains(rule.domains)
        self._words = tuple(terms.lines(rule.words))

    @property
    def group_ids(self) -> list[int]:
        """The id of the rule's group, in a list. The list is empty for a rule of the whole site."""
        return [self.rule.group_id] if self.rule.group_id else []

    @property
    def waits_for_flags(self) -> bool:
        """Whether the rule applies when people flag a post or comment, not when it is saved."""
        return self.rule.flags_at_least is not None

    def matches(self, writing: Writing) -> bool:
        """Return whether a post or comment meets all conditions of the rule."""
        rule = self.rule
        if rule.about not in {writing.about, About.ANY}:
            return False
        if rule.group_id is not None and rule.group_id not in writing.group_ids:
            return False
        if self.waits_for_flags and (writing.flags or 0) < (rule.flags_at_least or 0):
            return False
        if rule.karma_below is not None and writing.author.karma >= rule.karma_below:
            return False
        days = rule.younger_than_days
        if days is not None and writing.account_age >= timedelta(days=days):
            return False
        return self._links_match(writing) and self._words_match(writing)

    def _links_match(self, writing: Writing) -> bool:
        if not self.rule.domains:
            return True
        return any(terms.in_domains(host, self._domains) for host in writing.hosts)

    def _words_match(self, writing: Writing) -> bool:
        return not self._words or bool(terms.compile_terms(self._words).search(writing.folded))


def _read() -> tuple[CompiledRule, ...]:
    found = Rule.objects.filter(enabled=True).select_related("group").order_by("pk")
    return tuple(sorted(map(CompiledRule, found), key=lambda one: STRENGTH.index(one.rule.effect)))


enabled = ProcessCache[tuple[CompiledRule, ...]](_read, ())
"""The enabled rules."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The decision to publish, flag or hold a post or comment that somebody saves."""

    effect: Rule.Effect | None = None
    rule: Rule | None = None
    """The rule that decided, or None if no rule did."""
    reason: str = ""
    """The rule's message. If no rule decided, an English sentence that pages translate."""

    @property
    def holds(self) -> bool:
        """Whether the post or comment is withheld until a moderator approves it."""
        return self.effect == Effect.HOLD

    @property
    def flags(self) -> bool:
        """Whether to publish the post or comment, but flag it for moderators."""
        return self.effect == Effect.FLAG


FINE = Verdict()


def screen(writing: Writing) -> Verdict:
    """Return the effect of the enabled rules on a post or comment that is about to be saved.

    If a rule refuses the post or comment, logs the refusal and raises RefusedByRule. Call this
    function outside of the transaction that saves the post or comment, so that the log entry isn't
    rolled back.
    """
    rule = matching_rule(writing)
    if rule is None:
        return FINE
    if rule.effect == Effect.REFUSE:
        record(
            ModAction.Kind.REFUSE,
            writing.author,
            by=None,
            rule=rule,
            group=rule.group,
            reason=rule.message,
        )
        raise RefusedByRule(
            rule.message
            or _("An automatic rule doesn't allow this text. Change the text and try again.")
        )
    return Verdict(Effect(rule.effect), rule, rule.message)


def matching_rule(writing: Writing) -> Rule | None:
    """Return the enabled rule that matches a post or comment, or None.

    If several rules match, the rule with the strongest effect is returned. A group's rule doesn't
    apply to the group's moderators, and a site rule doesn't apply to site moderators. If
    `writing.flags` is set, only rules that count flags apply; otherwise only the other rules.
    """
    flagged, powers = writing.flags is not None, None
    for one in enabled.get():
        if one.waits_for_flags == flagged and one.matches(writing):
            powers = powers or roles.powers_of(writing.author)
            if not powers.moderates_some(one.group_ids):
                return one.rule
    return None


def has_group_rules() -> bool:
    """Return whether any enabled rule belongs to a group."""
    return any(one.rule.group_id is not None for one in enabled.get())


def counts_flags() -> bool:
    """Return whether any enabled rule counts flags."""
    return any(one.waits_for_flags for one in enabled.get())


def screen_first_link(author: User, url: str) -> Verdict:
    """Return a verdict that holds a new member's first post if it links to a new host.

    A host is new if no visible post links to it. If the policy doesn't ask for this check, the
    verdict never holds the post.
    """
    if not (url and policy.get().holds_new_domains and _is_new(author)):
        return FINE
    if Post.objects.visible().filter(author=author).exists() or _is_known(url):
        return FINE
    reason = gettext_noop("A new member's first post links to a domain that is new to this site.")
    return Verdict(Effect.HOLD, None, reason)


def _is_new(author: User) -> bool:
    return timezone.now() - author.date_joined < timedelta(seconds=settings.NEW_PERSON)


def _is_known(url: str) -> bool:
    """Return whether a visible post links to the host of this URL."""
    host = key(url).partition("/")[0].partition("?")[0].partition("#")[0]
    pages = Q(url_key=host)
    for separator in "/?#":
        pages |= _begins(host + separator)
    return Post.objects.visible().filter(pages).exists()


def _begins(text: str) -> Q:
    """Return a condition that selects posts whose `url_key` begins with `text`.

    On SQLite, the condition is a range of keys, because LIKE would not use the index.
    """
    if connection.vendor != "sqlite":
        return Q(url_key__startswith=text)
    return Q(url_key__gte=text, url_key__lt=text[:-1] + chr(ord(text[-1]) + 1))
