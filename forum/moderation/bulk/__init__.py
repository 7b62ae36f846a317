"""The page on which moderators remove everything that a person wrote in a time span."""
