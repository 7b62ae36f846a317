"""Lists every type of page, by the kind of visitor who sees the page.

The accessibility checks, the HTML checks and other tests open every page in PAGES.
`test_page_types.py` fails if a URL of the site is neither in PAGES nor in NO_PAGE.
"""

from enum import StrEnum

LONG = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft"
FAR = "https://a-rather-long-name-of-a-host.somewhere.example.org/" + "path/" * 30
ROWS = 10
"""Rows per page: enough for every kind of post, but few, because accessibility checks are slow."""


class Visitor(StrEnum):
    """The kinds of visitors. Each kind sees different pages."""

    GUEST = "guest"
    MEMBER = "member"
    """Ada, who posts, follows, saves and hides."""
    MODERATOR = "moderator"
    """A moderator of the site."""
    SURE = "sure"
    """Ada, who has just entered her password again, as some pages require."""
    CAREFUL = "careful"
    """A member with two-factor authentication who has just entered the password again."""
    ENTERING = "entering"
    """The member with two-factor authentication, who hasn't entered the code yet."""
    VOTING = "voting"
    """Ada, who has logged in after pressing a comment's vote arrow as a guest."""
    FOLLOWING = "following"
    """Ada, who has logged in after pressing a person's follow button as a guest."""


EVERYBODY = {
    "front": "/",
    "group": "/g/books/",
    "profile": "/u/ada/",
    "leaders": "/leaders",
    "post": "{post}",
    "question": "{question}",
    "comment": "{comment}",
    "post that is closed to votes": "{old}",
}
GUESTS = EVERYBODY | {
    "the end of the front": "/?p=2",
    "top": "/top",
    "group by time": "/g/books/new",
    "groups": "/g/",
    "moderators of a group": "/g/books/moderators",
    "mix": "/g/books&maths/",
    "about": "/about",
    "rules": "/rules",
    "privacy": "/privacy",
    "contact": "/contact",
    "language": "/language",
    "display": "/display",
    "keys": "/keys",
    "the best of a day": "{day}",
    "the best of a week": "{week}",
    "a site": "/site/a-rather-long-name-of-a-host.somewhere.example.org/",
    "a site by time": "/site/a-rather-long-name-of-a-host.somewhere.example.org/new",
    "how to search": "/search",
    "search results": "/search?q=the",
    "search without results": "/search?q=quixotic+colour:red",
    "newest comments": "/comments",
    "moderation log": "/modlog",
    "moderation log of a group": "/modlog?group=books",
    "moderation action": "{bulk}",
    "newest comments on a post": "{short}/comments",
    "a person's comments": "/u/ada/comments",
    "history of a post": "{short}/history",
    "history of a comment": "{comment}/history",
    "unsubscribing": "{unsubscribe}",
    "unknown address": "/nowhere",
    "no such group": "/g/boks/",
    "no such page": "/?p=99",
    "method not allowed": "/inbox/read",
    "log-in": "/accounts/login/",
    "log-in with a pending vote": "/accounts/login/?next=/&vote=up&post=1",
    "sign-up": "/accounts/signup/",
    "who invited whom": "/invitations/tree",
    "whom a person invited": "/u/ada/invited",
    "forgotten password": "/accounts/password/reset/",
    "forgotten password, email sent": "/accounts/password/reset/done/",
    "new password": "{reset}",
    "new password, old link": "/accounts/password/reset/key/1-set/",
    "new password, done": "/accounts/password/reset/key/done/",
    "confirm an address": "{confirm}",
    "confirm an address, old link": "/accounts/confirm-email/c0ffee/",
    "confirm an address, email sent": "/accounts/confirm-email/",
    "closed account": "/accounts/inactive/",
}
MEMBERS = EVERYBODY | {
    "submit": "/submit",
    "inbox": "/inbox",
    "preferences": "/preferences",
    "mutes": "/preferences/mutes",
    "tokens": "/preferences/tokens",
    "private feeds": "/preferences/feeds",
    "search": "/search?q=the+is:mine",
    "following": "/following",
    "my follows": "/u/ada/follows",
    "my followers": "/u/ada/fans",
    "saved": "/u/ada/saved",
    "hidden": "/u/ada/hidden",
    "liked": "/u/ada/liked",
    "viewed": "/history",
    "clearing the history": "/history/clear",
    "my activity": "/u/ada/activity",
    "profile of another person": "/u/bob/",
    "edit a post": "{short}/edit",
    "delete a post": "{short}/delete",
    "write a comment": "{short}/comment",
    "edit a comment": "{own}/edit",
    "delete a comment": "{own}/delete",
    "my conversations": "/conversations",
    "a conversation": "{conversation}",
    "write to the moderators": "/conversations/write",
    "what moderators did": "/conversations/actions",
    "log-out": "/accounts/logout/",
    "about me": "/u/ada/about",
    "flag a post": "{others}/flag",
    "flag a comment": "{comment}/flag",
    "flag a person": "/u/bob/flag",
    "my flags": "/flags",
    "my invitations": "/invitations",
    "my email": "/accounts/email/",
    "my password": "/accounts/password/change/",
    "two-factor authentication": "/accounts/2fa/",
    "my password again": "/accounts/reauthenticate/",
    "unknown address": "/nowhere",
}
PAGES = {
    Visitor.GUEST: GUESTS,
    Visitor.MEMBER: MEMBERS,
    Visitor.MODERATOR: {
        "queue": "/moderation",
        "moderators of their group": "/g/books/moderators",
        "resigning": "/g/books/moderators/moderator/remove",
        "decided items of the queue": "/moderation?state=decided",
        "item of the queue": "{item}",
        "automatic rules": "/moderation/rules",
        "automatic rules of a group": "/g/books/automatic-rules",
        "an automatic rule": "{rule}",
        "merge posts": "{short}/merge",
        "conversations of moderators": "/moderation/conversations?state=",
        "a conversation, as a moderator": "{conversation}",
        "a person's record": "/moderation/people/ada",
        "warn a person": "/moderation/people/ada/warn",
        "ban a person": "/moderation/people/ada/ban",
        "write to a person": "/moderation/people/ada/write",
        "remove everything": "/moderation/people/ada/remove-everything",
        "moderation log, with buttons": "/modlog",
        "moderate a post": "{short}/moderate",
        "moderate a comment": "{comment}/moderate",
        "edit a post as a moderator": "{short}/edit",
        "bulk action": "{bulk}",
    },
    Visitor.SURE: {"two-factor authentication, turning on": "/accounts/2fa/totp/activate/"},
    Visitor.CAREFUL: {
        "two-factor authentication that is on": "/accounts/2fa/",
        "two-factor authentication, turning off": "/accounts/2fa/totp/deactivate/",
        "recovery codes": "/accounts/2fa/recovery-codes/",
        "new recovery codes": "/accounts/2fa/recovery-codes/generate/",
        "my code again": "/accounts/2fa/reauthenticate/",
    },
    Visitor.ENTERING: {"log-in with a code": "/accounts/2fa/authenticate/"},
    Visitor.VOTING: {"confirm a vote": "/accounts/pending/?next=/"},
    Visitor.FOLLOWING: {"confirm a follow": "/accounts/pending/?next=/"},
}
DOZEN = {
    Visitor.GUEST: ("front", "group", "search results", "newest comments", "log-in"),
    Visitor.MEMBER: ("post", "question", "profile", "submit", "inbox", "preferences"),
    Visitor.MODERATOR: ("queue",),
}
"""A dozen pages that CI checks for every change. `.ci/full` checks all pages."""
NO_PAGE = {
    "combine": "redirects to a mix of groups",
    "post_short": "redirects to the post's full address",
    "post_out": "redirects to another site",
    "inbox_item": "redirects to the subject of the item",
    "inbox_read": "is an action",
    "rule_enable": "is an action",
    "rule_delete": "is an action",
    "invitation_revoke": "is an action",
    "application_decide": "is an action",
    "group_let_appoint": "is an action",
    "group_follow": "is an action",
    "group_hide": "is an action",
    "follow": "is an action",
    "block": "is an action",
    "history_setting": "is an action",
    "conversation_close": "is an action",
    "person_unban": "is an action",
    "post_vote": "is an action",
    "post_watch": "is an action",
    "post_mute": "is an action",
    "post_save": "is an action",
    "post_hide": "is an action",
    "post_accept": "is an action",
    "comment_vote": "is an action",
    "flag_withdraw": "is an action",
    "search_save": "is an action",
    "search_delete": "is an action",
    "mod_action_undo": "is an action",
    "mod_action_stop": "is an action",
    "logo": "is an image",
    "preview_image": "is an image",
    "site_preview_image": "is an image",
    "submit_known": "is for the script",
    "api_docs": "is in English only",
    "api_token_revoke": "is an action",
    "lobsters_hottest": "is for programs",
    "lobsters_hottest_page": "is for programs",
    "lobsters_newest_page": "is for programs",
    "lobsters_group": "is for programs",
    "lobsters_group_page": "is for programs",
    "lobsters_newest": "is for programs",
    "lobsters_story": "is for programs",
    "yesterday": "redirects to a day",
    "robots": "is for search engines",
    "sitemap": "is for search engines",
    "sitemap_lists": "is for search engines",
    "sitemap_posts": "is for search engines",
    "opensearch": "is for browsers",
    "manifest": "is for browsers",
    "change_password": "redirects to the account's page",
    "feed": "is for feed readers",
    "feed_listing": "is for feed readers",
    "feed_comments": "is for feed readers",
    "feed_search": "is for feed readers",
    "feed_modlog": "is for feed readers",
    "feed_group": "is for feed readers",
    "feed_group_listing": "is for feed readers",
    "feed_site": "is for feed readers",
    "feed_site_listing": "is for feed readers",
    "feed_day": "is for feed readers",
    "feed_week": "is for feed readers",
    "feed_profile": "is for feed readers",
    "feed_profile_comments": "is for feed readers",
    "feed_thread": "is for feed readers",
    "feed_branch": "is for feed readers",
    "feed_private": "is for feed readers",
    "feed_revoke": "is an action",
    "healthz": "is for machines",
    "readyz": "is for machines",
    "metrics": "is for machines",
    "account_set_password": "is for accounts without a password, which we don't have",
    "account_confirm_login_code": "is for log-in by email, which we don't have",
    "mfa_download_recovery_codes": "is a file",
}
"""Names of URLs without a page of their own, each with the reason."""
