"""Merging duplicate posts: comments move under one post, and votes unite."""
