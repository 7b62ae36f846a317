"""The ledger of votes in SQL, and the numbers computed from it, such as karma and leaderboards."""
