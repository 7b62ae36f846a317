"""The moderation queue: lists items by the weight of their flags, and lets moderators decide."""
