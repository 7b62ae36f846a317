"""The record of a person, which moderators read, and the forms to warn and ban people."""
