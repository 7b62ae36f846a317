"""Texts of people: markdown, links, mentions."""
