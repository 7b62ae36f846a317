"""The embedded Valkey server: start, stop, adopt and recover it. Needs nothing else of voting."""
