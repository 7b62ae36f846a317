"""The public moderation log: all actions of moderators, automatic rules and the site itself."""
