"""English as read outside the United States, too."""
