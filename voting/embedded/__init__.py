"""The embedded Valkey server: start, stop, adopt and recover it.

This package imports nothing else from `voting` but its errors.
"""
