"""Large numbers in Chinese: digits in groups of three, as in the points of a post."""

THOUSAND_SEPARATOR = ","
NUMBER_GROUPING = 3
