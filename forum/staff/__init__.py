"""What staff do to a site: its groups, pinned posts and owner texts."""
