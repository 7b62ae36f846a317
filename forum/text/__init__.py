"""What people write: markdown, links, mentions, names and titles."""
