"""The public list of a group's moderators, and the pages to appoint and remove moderators."""
