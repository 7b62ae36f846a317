"""HTML of rows, comments, threads and guest pages, and the caches that keep it."""
