"""Move a site from one machine to its own Redis and PostgreSQL, while it is read-only."""
