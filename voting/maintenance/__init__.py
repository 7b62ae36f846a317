"""What workers and commands need of voting: the ledger, filling and repairing the store."""
