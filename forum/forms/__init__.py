"""The forms with which people submit and edit posts, comments, bios, mutes and preferences."""
