"""Actions of staff: changing groups, pinning posts, and writing the site's own pages."""
