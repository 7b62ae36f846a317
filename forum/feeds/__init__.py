"""Atom feeds of the site's lists, and private feeds at secret URLs."""
