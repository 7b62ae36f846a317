"""A person's record, as moderators read it, and the forms to warn and ban them."""
