"""Reads the ledger, and fills and repairs Redis. Only the worker and commands use this package."""
