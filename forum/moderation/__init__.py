"""Moderation: flags, the queue, actions with undo, the public log, conversations and rules."""
