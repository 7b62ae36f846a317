"""Rate limits: how often people and networks may do things."""
