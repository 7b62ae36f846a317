"""Formats for Simplified Chinese; dates and times are as in Django."""
