"""Django's PostgreSQL backend, but failing at once while the database is down (see `ENGINE`)."""
