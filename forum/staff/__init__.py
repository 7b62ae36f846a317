"""Actions of staff: groups, pinned posts and owner texts."""
