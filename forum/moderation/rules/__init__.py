"""Automatic rules: the pages on which admins and moderators manage them."""
