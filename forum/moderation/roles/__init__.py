"""The moderators of a group: the public list, and choosing them."""
