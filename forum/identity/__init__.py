"""Finds out who sent a request: sessions, viewers, known browsers, visitors, daily activity."""
