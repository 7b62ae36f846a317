"""Automatic rules: the pages on which admins and moderators set them."""
