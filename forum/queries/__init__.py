"""Read-only queries that load what pages show, from SQL and Redis."""
