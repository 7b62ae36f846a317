"""Actions of owners on groups: renaming, closing to new posts, and merging."""
