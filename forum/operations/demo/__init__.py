"""What a new site starts with: a small lively community, written for this project."""
