"""Brings changes in SQL to Redis: the outbox, and the worker's scheduler, which retries it."""
