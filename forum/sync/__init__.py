"""How changes in SQL reach Redis: the outbox and the tasks of the worker."""
