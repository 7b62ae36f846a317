"""The page on which moderators void votes: it first shows what would change."""
