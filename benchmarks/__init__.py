"""Benchmarks of votes and pages. They compare Rostra with a plain site on Redis (see `seeds`)."""
