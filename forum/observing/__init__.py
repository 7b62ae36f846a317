"""What every process notes of its work: log lines, request ids and meters. Knows no page."""
