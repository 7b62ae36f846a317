"""Checks posts and comments against automatic rules and site settings before they are saved.

Call these functions before the transaction that saves the post or comment. Each raises
RefusedByRule if a rule refuses the text.
"""

from collections.abc import Sequence

from forum.models import Group, Post, Rule, User
from forum.permissions import groups_of
from forum.screening import rules
from forum.screening.rules import Verdict, Writing

About = Rule.About


def check_post(
    author: User, *, title: str, url: str, body: str, html: str, groups: Sequence[Group]
) -> Verdict:
    """Check a new post against the rules; return whether to publish, flag or hold it."""
    verdict = check_edited_post(author, title=title, url=url, body=body, html=html, groups=groups)
    first = rules.FINE if verdict.holds else rules.screen_first_link(author, url)
    return first if first.holds else verdict


def check_edited_post(
    author: User, *, title: str, url: str, body: str, html: str, groups: Sequence[Group]
) -> Verdict:
    """Check a post that its author has edited; return whether to publish, flag or hold it."""
    group_ids = {group.pk for group in groups}
    return rules.screen(Writing(About.POST, author, group_ids, f"{title}\n{body}", html, url))


def check_comment(author: User, post: Post, body: str, html: str) -> Verdict:
    """Return the verdict of the rules on a new or edited comment: publish, flag or hold it."""
    group_ids = groups_of(post) if rules.has_group_rules() else set()
    return rules.screen(Writing(About.COMMENT, author, group_ids, body, html))
