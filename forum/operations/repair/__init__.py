"""Keeps Redis and SQL consistent: rebuilds, checks, repairs and inspects Redis."""
