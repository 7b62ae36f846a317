"""Django's PostgreSQL backend, with connections that fail at once while the database is down."""
