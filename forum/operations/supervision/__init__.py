"""Starts, watches, reloads and stops a site's processes."""
