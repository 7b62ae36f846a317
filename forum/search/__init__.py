"""Search: posts and comments by their words, authors, groups, dates and votes."""
