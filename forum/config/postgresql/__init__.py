"""Django's PostgreSQL backend, with errors at once while the database is down (`ENGINE`)."""
