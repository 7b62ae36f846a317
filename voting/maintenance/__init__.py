"""What only the worker and commands do: read the ledger, and fill and repair Redis."""
