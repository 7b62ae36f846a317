"""Posts that staff pin to the top of `hot`, on the front page or in a group."""
