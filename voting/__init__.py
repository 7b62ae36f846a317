"""Votes, rankings and groups in Redis. Other packages use it only through `voting.service`."""
