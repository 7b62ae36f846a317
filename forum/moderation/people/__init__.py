"""What moderators see of a person (the record), and the forms to warn and ban people."""
