"""The moderation queue: lists items, heaviest first, and lets moderators decide about them."""
