"""Formats for Simplified Chinese; dates and times keep Django's formats."""
