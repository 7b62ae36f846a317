"""Conversations between a person and the moderators of a group, or of the site: also the appeal."""
