"""Keep Redis and SQL consistent: rebuild, check, repair, inspect."""
