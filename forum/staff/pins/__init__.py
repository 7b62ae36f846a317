"""Posts that staff pin to the top of Hot, of the site or of a group."""
