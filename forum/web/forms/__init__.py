"""Forms of the site's pages."""
