"""Benchmarks of votes and pages, compared with the plain way to use Redis (see `seeds`)."""
