"""Following and blocking people, and saving and hiding posts."""
