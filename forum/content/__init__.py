"""Use cases for posts, comments and votes, such as submitting, editing and voting."""
