"""How changes in SQL reach Redis: the outbox, and the worker's scheduler, which retries it."""
