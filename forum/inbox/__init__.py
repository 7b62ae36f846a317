"""Notifications to people, on pages and by email."""
