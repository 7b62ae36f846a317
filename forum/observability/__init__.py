"""Log lines, request ids and metrics of every process. Independent of the site's pages."""
