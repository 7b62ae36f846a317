"""The ledger of votes in SQL, and what is counted from it."""
