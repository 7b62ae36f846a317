"""Large numbers in Chinese: digits in groups of three, for example in the points of a post."""

THOUSAND_SEPARATOR = ","
NUMBER_GROUPING = 3
