"""Text that people write: Markdown, links, mentions, user names and titles."""
