"""The embedded Valkey server: start, stop, adopt and recover it.

Of the rest of `voting`, it needs only the errors.
"""
