"""All URLs of the site."""

from datetime import date

from django.contrib import admin
from django.urls import include, path, register_converter
from django.urls.converters import IntConverter, StringConverter

from forum.accounts import openid, passkeys, provider_again
from forum.accounts import views as account_views
from forum.admin import statistics
from forum.operations.health import views as health_views
from forum.views import (
    answers,
    clicks,
    comments,
    completion,
    days,
    display,
    drafts,
    errors,
    groups,
    history,
    inbox,
    languages,
    leaders,
    listings,
    mutes,
    newest,
    own_data,
    own_deletions,
    owner_texts,
    pending_actions,
    people,
    person_notes,
    posts,
    preferences,
    profiles,
    reading_lists,
    renames,
    revisions,
    saved_comments,
    security_log,
    sessions,
    sitemaps,
    sites,
    sources,
    static_pages,
    submit,
    switches,
    votes,
)


class OrderConverter(StringConverter):
    """Matches the orders of a listing that are part of a URL: all except `hot`."""

    regex = "new|top|active|views"


class DayConverter:
    """Matches a date such as 2026-11-24."""

    regex = "[0-9]{4}-[0-9]{2}-[0-9]{2}"

    def to_python(self, value: str) -> date:
        """Return the date. Django answers 404 if there is no such date."""
        return date.fromisoformat(value)

    def to_url(self, value: date) -> str:
        return value.isoformat()


class WeekConverter:
    """Matches a week such as 2026-W48. The value is the week's Monday."""

    regex = "[0-9]{4}-W[0-9]{2}"

    def to_python(self, value: str) -> date:
        """Return the Monday of a week such as 2026-W48. Django answers 404 for an invalid week."""
        return date.fromisoformat(value)

    def to_url(self, value: date) -> str:
        year, week, _day = value.isocalendar()
        return f"{year}-W{week:02}"


class IdConverter(IntConverter):
    """Matches ids of up to 18 digits. Longer ids, which may be too large for SQLite, give a 404."""

    regex = "[0-9]{1,18}"


register_converter(OrderConverter, "order")
register_converter(IdConverter, "id")
register_converter(DayConverter, "day")
register_converter(WeekConverter, "week")

urlpatterns = [
    path("", listings.front, name="front"),
    path("", include("forum.api.urls")),
    path("<order:order>", listings.listing, name="listing"),
    path("g/", groups.index, name="groups"),
    path("g/combine", groups.combine, name="combine"),
    path("g/<str:expr>/", groups.group, name="group"),
    path("g/<str:expr>/<order:order>", groups.group, name="group_listing"),
    path("g/<str:slug>/follow", switches.group_follow, name="group_follow"),
    path("g/<str:slug>/hide", switches.group_hide, name="group_hide"),
    path("site/<str:host>/", sites.site, name="site"),
    path("site/<str:host>/<order:order>", sites.site, name="site_listing"),
    path("day/", days.yesterday, name="yesterday"),
    path("day/<day:day>", days.day, name="day"),
    path("week/<week:monday>", days.week, name="week"),
    path("submit", submit.submit, name="submit"),
    path("complete/people", completion.people, name="complete_people"),
    path("complete/groups", completion.groups, name="complete_groups"),
    path("drafts/<str:key>/delete", drafts.delete, name="draft_delete"),
    path("submit/known", submit.known, name="submit_known"),
    path("u/<str:username>/", profiles.profile, name="profile"),
    path("u/<str:username>/about", profiles.about, name="profile_about"),
    path("u/<str:username>/note", person_notes.edit, name="person_note"),
    path("u/<str:username>/comments", newest.of_person, name="profile_comments"),
    path("u/<str:username>/follow", switches.follow, name="follow"),
    path("u/<str:username>/follows", people.follows, name="profile_follows"),
    path("u/<str:username>/fans", people.fans, name="profile_fans"),
    path("u/<str:username>/saved", people.saved, name="profile_saved"),
    path("u/<str:username>/saved/comments", saved_comments.saved, name="profile_saved_comments"),
    path("u/<str:username>/hidden", people.hidden, name="profile_hidden"),
    path("u/<str:username>/drafts", drafts.drafts, name="profile_drafts"),
    path("u/<str:username>/activity", profiles.activity, name="profile_activity"),
    path("u/<str:username>/liked", people.liked, name="profile_liked"),
    path("following", listings.following, name="following"),
    path("unread", reading_lists.unread, name="unread"),
    path("unanswered", reading_lists.unanswered, name="unanswered"),
    path("missed", reading_lists.missed, name="missed"),
    path("history", history.history, name="history"),
    path("history/clear", history.clear, name="history_clear"),
    path("history/setting/<str:name>", switches.history_setting, name="history_setting"),
    path("p/<id:post_id>", posts.post, name="post_short"),
    path("p/<id:post_id>/vote", votes.post_vote, name="post_vote"),
    path("p/<id:post_id>/out", clicks.out, name="post_out"),
    path("u/<str:username>/block", switches.block, name="block"),
    path("p/<id:post_id>/watch", switches.watch, name="post_watch"),
    path("p/<id:post_id>/mute", switches.mute_replies, name="post_mute"),
    path("inbox", inbox.inbox, name="inbox"),
    path("inbox/read", inbox.read, name="inbox_read"),
    path("inbox/<id:item_id>", inbox.item, name="inbox_item"),
    path("preferences", preferences.preferences, name="preferences"),
    path("preferences/name", renames.rename, name="rename"),
    path("preferences/mutes", mutes.mutes, name="mutes"),
    path("preferences/notes", person_notes.notes, name="person_notes"),
    path("preferences/data", own_data.own_data, name="own_data"),
    path("preferences/data/my-data.zip", own_data.download, name="own_data_file"),
    path("preferences/delete-account", own_data.delete_account, name="delete_account"),
    path("preferences/security", security_log.own, name="security_log"),
    path("unsubscribe/<str:token>", preferences.unsubscribe, name="unsubscribe"),
    path("p/<id:post_id>/save", switches.save, name="post_save"),
    path("p/<id:post_id>/hide", switches.hide, name="post_hide"),
    # One form for title, text and groups: with two, saving one would lose edits in the other.
    path("p/<id:post_id>/edit", posts.edit, name="post_edit"),
    path("p/<id:post_id>/delete", posts.delete, name="post_delete"),
    path("p/<id:post_id>/restore", own_deletions.restore_post, name="post_restore"),
    path("p/<id:post_id>/history", revisions.of_post, name="post_history"),
    path("p/<id:post_id>/source", sources.of_post, name="post_source"),
    path("p/<id:post_id>/comments", newest.of_post, name="post_comments"),
    path("p/<id:post_id>/comment", comments.write, name="post_comment"),
    path("p/<id:post_id>/accept", answers.accept, name="post_accept"),
    path("p/<id:post_id>/c/<id:comment_id>", comments.comment, name="comment"),
    path("p/<id:post_id>/c/<id:comment_id>/vote", votes.comment_vote, name="comment_vote"),
    path("p/<id:post_id>/c/<id:comment_id>/save", saved_comments.save, name="comment_save"),
    path("p/<id:post_id>/c/<id:comment_id>/edit", comments.edit, name="comment_edit"),
    path("p/<id:post_id>/c/<id:comment_id>/delete", comments.delete, name="comment_delete"),
    path(
        "p/<id:post_id>/c/<id:comment_id>/restore",
        own_deletions.restore_comment,
        name="comment_restore",
    ),
    path("p/<id:post_id>/c/<id:comment_id>/history", revisions.of_comment, name="comment_history"),
    path("p/<id:post_id>/c/<id:comment_id>/source", sources.of_comment, name="comment_source"),
    # These must come before the URL of a post, which may end in any word.
    path("", include("forum.moderation.urls")),
    path("", include("forum.search.urls")),
    path("", include("forum.feeds.urls")),
    path("", include("forum.previews.urls")),
    path("p/<id:post_id>/<str:slug>", posts.post, name="post"),
    path("comments", newest.of_site, name="comments"),
    path("leaders", leaders.leaders, name="leaders"),
    path("language", languages.language, name="language"),
    path("display", display.choose, name="display"),
    path("keys", static_pages.keys, name="keys"),
    path("about", static_pages.about, name="about"),
    path("rules", owner_texts.page, {"name": "rules"}, name="rules"),
    path("privacy", static_pages.privacy, name="privacy"),
    path("contact", owner_texts.page, {"name": "contact"}, name="contact"),
    path("logo/<str:name>.png", owner_texts.logo, name="logo"),
    path("manifest.webmanifest", static_pages.manifest, name="manifest"),
    path(".well-known/change-password", static_pages.change_password, name="change_password"),
    path(".well-known/security.txt", static_pages.security, name="security"),
    path("robots.txt", sitemaps.robots, name="robots"),
    path("sitemap.xml", sitemaps.index, name="sitemap"),
    path("sitemap-lists.xml", sitemaps.lists, name="sitemap_lists"),
    path("sitemap-posts-<id:part>.xml", sitemaps.posts, name="sitemap_posts"),
    path("healthz", static_pages.healthz, name="healthz"),
    path("readyz", health_views.readyz, name="readyz"),
    path("metrics", health_views.metrics, name="metrics"),
    path("accounts/login/", account_views.login, name="account_login"),
    path("accounts/signup/", account_views.signup, name="account_signup"),
    path("accounts/logout/", account_views.logout, name="account_logout"),
    path("accounts/pending/", pending_actions.confirm, name="pending_action"),
    path("accounts/email/", account_views.addresses, name="account_email"),
    path("accounts/oidc/<str:provider_id>/login/", openid.login, name="openid_connect_login"),
    path("accounts/password/set/", account_views.set_password, name="account_set_password"),
    path("accounts/reauthenticate/provider/", provider_again.provider_again, name="provider_again"),
    path("accounts/3rdparty/signup/", openid.signup, name="socialaccount_signup"),
    path("accounts/sessions/", sessions.sessions, name="sessions"),
    path("accounts/sessions/end", sessions.end, name="session_end"),
    path("accounts/2fa/totp/activate/", account_views.activate_app, name="mfa_activate_totp"),
    path("accounts/2fa/webauthn/add/", passkeys.add, name="mfa_add_webauthn"),
    path(
        "accounts/2fa/webauthn/reauthenticate/",
        passkeys.reauthenticate,
        name="mfa_reauthenticate_webauthn",
    ),
    path("accounts/", include("allauth.urls")),
    path(
        "admin/statistics/",
        admin.site.admin_view(statistics.statistics),
        name="admin_statistics",
    ),
    path("admin/", admin.site.urls),
]

handler400 = errors.bad_request
handler403 = errors.forbidden
handler404 = errors.not_found
handler500 = errors.server_error
