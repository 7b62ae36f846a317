"""Merging duplicate posts: their comments move to one post, and their votes are united."""
