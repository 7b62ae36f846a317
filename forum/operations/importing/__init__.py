"""Write many posts at once, with the people who voted on them, for imports and the demo content."""
