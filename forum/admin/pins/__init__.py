"""Staff pin posts to the top of lists."""
