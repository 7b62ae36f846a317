"""Formats for English that suit readers in any country."""
