"""Move a site from one machine to its own Redis and PostgreSQL servers, while it is read-only."""
