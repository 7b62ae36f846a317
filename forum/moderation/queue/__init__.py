"""The moderation queue: open items, heaviest first, and deciding about them."""
