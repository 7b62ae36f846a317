"""How often people may do things."""
