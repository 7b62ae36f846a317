"""Supervision of a site's processes: set up, start, watch, reload and stop them."""
