"""Simplified Chinese; dates and times are Django's own."""
