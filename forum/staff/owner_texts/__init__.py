"""Texts that owners write about their site, such as its rules, and the site's logo."""
