"""The demo content of a new site: a small, lively community, written for this project."""
