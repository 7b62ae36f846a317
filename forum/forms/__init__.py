"""The forms with which people submit and edit content and preferences."""
