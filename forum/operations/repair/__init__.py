"""Keep Redis and SQL in agreement: rebuild, check, repair, inspect."""
