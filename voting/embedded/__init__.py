"""Starts, stops and repairs the Valkey server that belongs to the site.

From the rest of `voting`, this package imports only `voting.errors`.
"""
