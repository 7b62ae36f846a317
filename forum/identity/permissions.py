"""Checks what people may do. Functions named `require_...` raise Forbidden, Banned or Locked.

People who are banned (`Ban`), or whose application isn't accepted, can read everything but can't
write.
"""

from collections.abc import Collection
from datetime import timedelta
from time import time

from django.conf import settings
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from forum.errors import Banned, Forbidden, Locked, NotAccepted, OtherGroup
from forum.identity import roles
from forum.models import (
    Ban,
    Comment,
    Conversation,
    Group,
    Invitation,
    Post,
    SitePolicy,
    User,
)
from forum.models.powers import Powers

CORRECTABLE = timedelta(hours=1)
"""For this long after posting a link, its author can change the link's URL.

After that, the votes and comments of other people are about the page at the old URL.
"""


def require_appointing(person: User, group: Group) -> None:
    """Raise Forbidden unless the person may choose the group's moderators."""
    powers = roles.powers_of(person)
    if not may_appoint(powers, group):
        raise roles.refusal(powers, _("Only admins can choose this group's moderators."))


def may_appoint(powers: Powers, group: Group | None) -> bool:
    """Return whether a person may choose a group's moderators.

    Admins may always choose them. The group's moderators may choose them if the group allows it.
    `group` is None if the group was deleted.
    """
    own = group is not None and group.moderators_appoint and group.pk in powers.group_ids
    return powers.is_admin or own


def require_accepted(is_applicant: bool) -> None:
    """Raise NotAccepted if the person's application isn't accepted yet."""
    if is_applicant:
        raise NotAccepted


def require_sanctioning(by: User, person: User, group: Group | None) -> Powers:
    """Return the powers of `by`. Raises Forbidden unless `by` may warn and ban a person.

    `by` must moderate `group`, or the site if `group` is None. Only admins may warn and ban site
    moderators. Only site moderators may warn and ban moderators of the group.
    """
    powers = roles.require_moderator_of(by, group)
    if by.pk == person.pk:
        raise Forbidden(_("You can't warn or ban yourself."))
    if person.is_staff and not powers.is_admin:
        raise Forbidden(_("Only admins can warn or ban the site's moderators."))
    if group and not powers.is_site_moderator and group.moderators.filter(user=person).exists():
        raise Forbidden(_("Only the site's moderators can warn or ban a moderator of this group."))
    return powers


def require_account_change(by: User, person: User) -> None:
    """Raise Forbidden unless `by` may change a person's account data.

    Only admins may do so for people who have a role.
    """
    if roles.has_powers(person) and not roles.powers_of(by).is_admin:
        raise Forbidden(_("Only admins can change the account of a moderator or auditor."))


def require_not_self(by: User, person: User) -> None:
    """Raise Forbidden if a moderator acts on their own account."""
    if by.pk == person.pk:
        raise Forbidden(_("You can't use moderator actions on your own account."))


def require_conversation(person_id: int, powers: Powers, conversation: Conversation) -> None:
    """Raise Forbidden unless a person may read a conversation."""
    moderates = powers.moderates_in(conversation.group_id)
    takes_part = person_id == conversation.user_id or moderates
    if not (takes_part or powers.reads_everything):
        raise Forbidden


def require_reading_rules(powers: Powers, group: Group | None) -> None:
    """Raise Forbidden unless a person may see a group's rules, or the site's if `group` is None.

    Site moderators and auditors may see all rules. A group's moderators may see the group's rules.
    """
    if not powers.reads_everything and (group is None or group.pk not in powers.group_ids):
        raise Forbidden


def may_change_rules(powers: Powers, group: Group | None) -> bool:
    """Return whether a person may change the rules of `group`, or of the site if it is None.

    Only admins may change the site's rules.
    """
    return powers.is_admin if group is None else powers.moderates_in(group.pk)


def require_changing_rules(person: User, group: Group | None) -> None:
    """Raise Forbidden unless a person may change rules (see `may_change_rules`)."""
    if not may_change_rules(roles.powers_of(person), group):
        raise Forbidden


def require_not_banned(person: User, groups: Collection[int] | QuerySet[Group] = ()) -> None:
    """Raise Banned if the person is banned from the site or from one of these groups.

    If the person has several bans, the error contains the longest ban. Raises NotAccepted if the
    person's application to join isn't accepted.
    """
    require_accepted(person.is_applicant)
    places = Q(group=None) | Q(group__in=groups)
    found = Ban.objects.active().filter(places, user=person)
    found = found.select_related("action__group", "group")
    bans = sorted(found, key=lambda ban: ban.until.timestamp() if ban.until else float("inf"))
    if bans:
        raise Banned(bans[-1])


def require_may_write_in(person: User, post: Post) -> None:
    """Raise Banned if a person is banned from the site or from any governing group of `post`."""
    require_not_banned(person, roles.governing_groups(post.pk))


def require_may_vote(voter_id: int, site_ban: int) -> None:
    """Raise Banned if the voter is banned from the site. A ban from a group doesn't prevent voting.

    `site_ban` is the time at which the ban ends.
    """
    if site_ban > time():
        require_not_banned(User(pk=voter_id))


def require_may_vote_down(karma: int) -> None:
    """Raise Forbidden, with the reason, if a person's karma isn't enough for down votes."""
    if settings.DOWN_KARMA and karma < settings.DOWN_KARMA:
        sentence = _("You need %(needed)s karma to vote down, and you have %(karma)s.")
        raise Forbidden(sentence % {"needed": settings.DOWN_KARMA, "karma": karma})


def require_may_invite(person: User, policy: SitePolicy) -> None:
    """Raise Forbidden, with the reason, unless a person may create an invitation now.

    Nobody can invite people while sign-up is closed. For people who aren't moderators, the policy
    sets a minimum account age and a minimum karma. It also limits their invitations in 30 days.
    Raises Banned if the person is banned.
    """
    if policy.sign_up == SitePolicy.SignUp.CLOSED:
        raise Forbidden(_("Nobody can sign up at the moment, so there are no invitations."))
    require_not_banned(person)
    if roles.powers_of(person).moderates:
        return
    days, karma, most = policy.invite_min_days, policy.invite_min_karma, policy.invitations_a_month
    if timezone.now() - person.date_joined < timedelta(days=days):
        sentence = ngettext(
            "You can invite others when your account is %(days)s day old.",
            "You can invite others when your account is %(days)s days old.",
            days,
        )
        raise Forbidden(sentence % {"days": days})
    if karma and person.karma < karma:
        raise Forbidden(_("You need %(karma)s karma to invite others.") % {"karma": karma})
    month_ago = timezone.now() - timedelta(days=30)
    if person.invitations.filter(created_at__gt=month_ago).count() >= most:
        sentence = ngettext(
            "You have reached the limit of %(most)s invitation in 30 days.",
            "You have reached the limit of %(most)s invitations in 30 days.",
            most,
        )
        raise Forbidden(sentence % {"most": most})


def require_inviter(person: User, invitation: Invitation) -> None:
    """Raise Forbidden unless the person created the invitation or moderates the site."""
    if person.pk != invitation.by_id:
        roles.require_moderator_of(person, None)


def require_open_thread(person: User, post: Post) -> None:
    """Raise Locked if the thread is locked, unless the person moderates a governing group."""
    if post.locked and not roles.powers_of(person).moderates_some(roles.governing_ids(post)):
        raise Locked(_("Moderators locked this thread, so you can't add comments."))


def require_not_own(person: User, target: Post | Comment | User) -> None:
    """Raise Forbidden, with the reason, if people flag their own account, post or comment."""
    if isinstance(target, User):
        if target.pk == person.pk:
            raise Forbidden(_("You can't flag yourself."))
    elif target.author_id == person.pk:
        raise Forbidden(_("You can't flag your own posts and comments."))


def require_reading_queue(powers: Powers) -> None:
    """Raise Forbidden, with the reason, unless a person may open the moderation queue."""
    if not powers.reads_queue:
        raise roles.refusal(powers, _("Only moderators can open the moderation queue."))


def require_reading_everything(powers: Powers) -> None:
    """Raise Forbidden unless a person may read all that the site's moderators see."""
    if not powers.reads_everything:
        raise roles.refusal(powers, _("Only the site's moderators can open this page."))


def require_uninvolved(powers: Powers, person: User, author_id: int | None) -> None:
    """Raise Forbidden if anybody but an admin decides about their own account, post or comment."""
    if powers.is_involved(person.pk, author_id):
        raise Forbidden(_("You can't decide about yourself or your own posts and comments."))


def require_change(person: User, post: Post) -> None:
    """Raise Forbidden, with the reason, unless the person wrote the post or moderates it."""
    if person.pk != post.author_id and not roles.powers_of(person).moderates_some(
        roles.governing_ids(post)
    ):
        raise Forbidden(_("Only the author and moderators can change this post."))


def require_taking_out(person: User, post: Post, groups: Collection[Group]) -> None:
    """Raise OtherGroup if a moderator removes a post from a group that they don't moderate.

    `groups` are the groups that the post will be in. The author of the post may choose any groups.
    """
    left = roles.groups_of(post).difference(group.pk for group in groups)
    if left and person.pk != post.author_id and not roles.powers_of(person).moderates_all(left):
        raise OtherGroup(_("To take a post out of a group, you must moderate that group."))


def may_correct_address(person: User, post: Post) -> bool:
    """Return whether a person who may change a post may also change the URL that it links to.

    Only posts of the kind "link" have such a URL. Authors may change it only in the first hour.
    """
    young = timezone.now() - post.created_at < CORRECTABLE
    return post.kind == Post.Kind.LINK and (young or person.pk != post.author_id)


def may_read_withheld(author_id: int, viewer_id: int | None, *, moderates: bool) -> bool:
    """Return whether a viewer may read a post or comment that moderation hid from other readers."""
    return moderates or author_id == viewer_id


def require_author(person: User, text: Post | Comment) -> None:
    """Raise Forbidden, with the reason, unless the person wrote the post or comment."""
    if person.pk != text.author_id:
        raise Forbidden(
            _("Only the author can edit or delete this comment.")
            if isinstance(text, Comment)
            else _("Only the author can delete this post.")
        )


def require_asker(person: User, post: Post) -> None:
    """Raise Forbidden, with the reason, unless the person asked the question."""
    if person.pk != post.author_id:
        raise Forbidden(_("Only the person who asked can accept an answer."))


def require_self(viewer: User, person: User) -> None:
    """Raise Forbidden, with the reason, unless the profile is the viewer's own."""
    if viewer.pk != person.pk:
        raise Forbidden(_("You can only edit your own bio."))
