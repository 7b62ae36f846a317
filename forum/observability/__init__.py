"""Log lines, request ids and metrics of every process. Doesn't depend on the site's pages."""
