"""Votes, rankings and groups in Redis. `voting.service` is the only door."""
