"""From one machine to Redis and PostgreSQL of their own, while the site is used.

A copy of SQL is brought to the new servers and checked there first, however long that takes. Then
the site stops taking votes and writing, what changed since the copy follows, and a note ends it.
"""
