"""Dates and times in English: day before month, 24 hours."""

DATE_FORMAT = "j F Y"
DATETIME_FORMAT = "j F Y, H:i"
