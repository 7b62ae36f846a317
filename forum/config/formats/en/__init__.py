"""Formats for English, also outside the United States."""
