"""Merging duplicate posts: the comments and votes of one post move to the other."""
