"""Syncs changes from SQL to Redis: the outbox, and the worker's scheduler, which retries rows."""
