"""Notices to people, on pages and by mail."""
