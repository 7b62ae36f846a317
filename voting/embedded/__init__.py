"""The embedded Valkey server: start, stop, adopt and recover it.

From the rest of `voting`, it imports only the errors.
"""
