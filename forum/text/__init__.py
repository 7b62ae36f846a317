"""Texts by people: markdown, links, mentions, names and titles."""
