"""Checks posts and comments against automatic rules and site settings before they are saved.

Call the methods before the transaction that saves the post or comment. Each raises
RefusedByRule if a rule refuses the text.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from forum.actions import rules
from forum.actions.rules import Verdict, Writing
from forum.identity.roles import governing_ids
from forum.models import Group, Post, Rule, User

About = Rule.About


@dataclass(frozen=True, slots=True)
class Screening:
    """The checks of what a person writes. Texts that nobody has to check have no screening."""

    author: User

    def check_post(
        self, *, title: str, url: str, body: str, html: str, groups: Sequence[Group]
    ) -> Verdict:
        """Check a new post; return whether to publish, flag or hold it."""
        verdict = self.check_edited_post(title=title, url=url, body=body, html=html, groups=groups)
        first = rules.FINE if verdict.holds else rules.screen_first_link(self.author, url)
        return first if first.holds else verdict

    def check_edited_post(
        self, *, title: str, url: str, body: str, html: str, groups: Sequence[Group]
    ) -> Verdict:
        """Check a post that its author has edited; return whether to publish, flag or hold it."""
        group_ids = {group.pk for group in groups}
        words = f"{title}\n{body}"
        return rules.screen(Writing(About.POST, self.author, group_ids, words, html, url))

    def check_comment(self, post: Post, body: str, html: str) -> Verdict:
        """Check a new or edited comment; return whether to publish, flag or hold it.

        Only the rules of the site and of the post's governing groups apply.
        """
        group_ids = governing_ids(post) if rules.has_group_rules() else set()
        return rules.screen(Writing(About.COMMENT, self.author, group_ids, body, html))
