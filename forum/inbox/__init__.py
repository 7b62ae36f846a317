"""Notifies people of events that concern them, in their inboxes and by email."""
