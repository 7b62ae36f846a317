"""Posts, comments and votes in the form that voting keeps them."""
