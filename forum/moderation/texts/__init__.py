"""The pages on which moderators act on a post or comment."""
