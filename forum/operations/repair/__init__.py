"""Rebuilds, checks, repairs and inspects the data in Redis."""
