"""Django's PostgreSQL backend, which says at once when the database is away (`ENGINE`)."""
