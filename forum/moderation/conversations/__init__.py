"""Conversations of people with the moderators of a group or the site, including appeals."""
