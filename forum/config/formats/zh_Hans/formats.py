"""Large numbers in Chinese: in groups of three, as on the points of a row."""

THOUSAND_SEPARATOR = ","
NUMBER_GROUPING = 3
