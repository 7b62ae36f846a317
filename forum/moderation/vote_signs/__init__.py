"""Votes that deserve a look: what the worker finds, its alarm, and the page that lists them."""
