"""The parts of `voting` that only the worker and commands use: they read the ledger, and fill and
repair Redis.
"""
