"""Supervises a site's processes: sets up, starts, watches, reloads and stops them."""
