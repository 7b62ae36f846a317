"""Large numbers in Chinese: digits in groups of three."""

THOUSAND_SEPARATOR = ","
NUMBER_GROUPING = 3
