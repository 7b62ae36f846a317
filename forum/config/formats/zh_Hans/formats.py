"""Large numbers in Chinese: groups of three digits, as in the points of a row."""

THOUSAND_SEPARATOR = ","
NUMBER_GROUPING = 3
