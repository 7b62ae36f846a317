"""How changes in SQL reach Redis: the outbox, and the scheduler of the worker that repeats it."""
