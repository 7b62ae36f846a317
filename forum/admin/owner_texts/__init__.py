"""Texts, tagline and logo of the site's owners."""
