"""Parts of voting for workers and commands: the ledger, and filling and repairing Redis."""
