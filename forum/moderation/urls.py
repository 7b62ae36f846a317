"""All URLs of moderation."""

from django.urls import URLPattern, path

from forum.moderation.bulk import views as bulk
from forum.moderation.conversations import views as conversations
from forum.moderation.flags import views as flags
from forum.moderation.joining import views as joining
from forum.moderation.log import views as log
from forum.moderation.merging import views as merging
from forum.moderation.people import views as people
from forum.moderation.queue import views as queue
from forum.moderation.roles import views as roles
from forum.moderation.rules import views as rules
from forum.moderation.texts import views as texts
from forum.moderation.vote_signs import views as vote_signs
from forum.moderation.votes import views as votes

urlpatterns: list[URLPattern] = [
    path(
        "moderation/people/<str:username>/remove-everything",
        bulk.remove_everything,
        name="remove_everything",
    ),
    path("conversations", conversations.mine, name="conversations"),
    path("conversations/write", conversations.write, name="conversation_write"),
    path("conversations/<id:conversation_id>", conversations.conversation, name="conversation"),
    path(
        "conversations/<id:conversation_id>/close", conversations.close, name="conversation_close"
    ),
    path("moderation/conversations", conversations.for_moderators, name="moderation_conversations"),
    path("p/<id:post_id>/flag", flags.flag_post, name="post_flag"),
    path("p/<id:post_id>/c/<id:comment_id>/flag", flags.flag_comment, name="comment_flag"),
    path("u/<str:username>/flag", flags.flag_person, name="person_flag"),
    path("flags", flags.own_flags, name="flags"),
    path("flags/<id:flag_id>/withdraw", flags.withdraw, name="flag_withdraw"),
    path("invitations", joining.invitations, name="invitations"),
    path("invitations/tree", joining.tree, name="invitation_tree"),
    path("invitations/<id:invitation_id>/revoke", joining.revoke, name="invitation_revoke"),
    path("u/<str:username>/invited", joining.invited, name="profile_invited"),
    path(
        "moderation/applications/<id:application_id>",
        joining.decide,
        name="application_decide",
    ),
    path("modlog", log.log, name="modlog"),
    path("modlog/<id:action_id>", log.entry, name="mod_action"),
    path("modlog/<id:action_id>/undo", log.undo_action, name="mod_action_undo"),
    path("modlog/<id:action_id>/stop", log.stop, name="mod_action_stop"),
    path("p/<id:post_id>/merge", merging.merge, name="post_merge"),
    path("conversations/actions", people.own_actions, name="own_actions"),
    path("moderation/people/<str:username>", people.record, name="person_record"),
    path("moderation/people/<str:username>/warn", people.warn, name="person_warn"),
    path("moderation/people/<str:username>/ban", people.ban, name="person_ban"),
    path("moderation/people/<str:username>/unban", people.unban, name="person_unban"),
    path("moderation/people/<str:username>/write", people.write, name="person_write"),
    path("moderation", queue.queue, name="queue"),
    path("moderation/items/<id:item_id>", queue.item, name="queue_item"),
    path("g/<str:slug>/moderators", roles.moderators, name="group_moderators"),
    path("g/<str:slug>/moderators/setting", roles.let_appoint, name="group_let_appoint"),
    path(
        "g/<str:slug>/moderators/<str:username>/remove", roles.remove, name="group_moderator_remove"
    ),
    path("moderation/rules", rules.site_rules, name="site_rules"),
    path("g/<str:slug>/automatic-rules", rules.group_rules, name="group_rules"),
    path("moderation/rules/<id:rule_id>", rules.rule, name="rule"),
    path("moderation/rules/<id:rule_id>/enable", rules.enable, name="rule_enable"),
    path("moderation/rules/<id:rule_id>/delete", rules.delete, name="rule_delete"),
    path("moderation/votes/void", votes.void_votes, name="void_votes"),
    path("moderation/votes", vote_signs.vote_signs, name="vote_signs"),
    path("p/<id:post_id>/moderate", texts.moderate_post, name="moderate_post"),
    path(
        "p/<id:post_id>/c/<id:comment_id>/moderate", texts.moderate_comment, name="moderate_comment"
    ),
]
