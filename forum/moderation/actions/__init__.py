"""Moderators' actions. Each has a reason, is logged, and can be undone (`undo`).

Each action is one function. It checks that the moderator (`by`) may do the action. It then changes
SQL in one transaction, adds an entry to the moderation log, and notifies the person concerned.
"""
