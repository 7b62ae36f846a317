"""Write many posts at once, with the people who voted on them: imports and the demo content."""
