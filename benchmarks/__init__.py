"""Benchmarks: what a vote and a page cost, compared with the plain way of using Redis."""
