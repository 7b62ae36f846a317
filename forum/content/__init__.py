"""Use cases of posts, comments and votes."""
