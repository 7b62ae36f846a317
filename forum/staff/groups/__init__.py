"""Actions of admins on groups: renaming, closing to new posts, and merging."""
