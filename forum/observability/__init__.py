"""Log lines, request ids and metrics of every process. Knows no page."""
