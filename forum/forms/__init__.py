"""Forms that people send."""
