"""The ledger in SQL, and what is counted from it."""
