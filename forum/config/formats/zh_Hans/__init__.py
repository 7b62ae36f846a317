"""Formats of numbers in Simplified Chinese. Dates and times have Django's formats."""
