"""How the accounts library fits this site. It is told of each class by the settings."""
