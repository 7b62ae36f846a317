"""The moderators of a group: their public list, and appointing and removing them."""
