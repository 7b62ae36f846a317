"""Benchmarks: the cost of a vote and a page, compared with the plain way to use Redis (`seeds`)."""
