"""Log lines, request ids and metrics of all processes."""
