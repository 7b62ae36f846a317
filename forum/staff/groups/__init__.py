"""What owners do to groups: rename them, close them to new posts, merge one into another."""
