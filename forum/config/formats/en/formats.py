"""Dates and times in English: the day before the month, and a 24-hour clock."""

DATE_FORMAT = "j F Y"
DATETIME_FORMAT = "j F Y, H:i"
